import Secrets
import TestSupport
import Testing

@testable import OAuth

@Suite struct TokenGrantTests {
    private func grant(_ status: Int, _ body: String, replacing: String? = nil) throws -> TokenGrant {
        try OAuthClient.make().grant(
            from: response(status, body),
            replacing: replacing.map { SharedSecret(utf8: $0) },
            at: 1_000
        )
    }

    static let success = """
        {
          "access_token":"2YotnFZFEjr1zCsicMWpAA",
          "token_type":"example",
          "expires_in":3600,
          "refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA",
          "example_parameter":"example_value"
        }
        """

    @Test("The response of RFC 6749 section 5.1, as a bearer token") func success() throws {
        let grant = try grant(200, Self.success.replacing(#""example""#, with: #""Bearer""#))
        #expect(secretText(grant.access.secret) == "2YotnFZFEjr1zCsicMWpAA")
        #expect(secretText(grant.refresh) == "tGzv3JOkF0XG5Qx2TlKWIA")
        #expect(grant.access.expiry == 4_600 && grant.access.kind == .bearer)
    }

    @Test("A token of an unknown type is not used (RFC 6749 section 7.1)") func unknownType() {
        #expect(throws: TokenServiceError.self) { try grant(200, Self.success) }
    }

    @Test("A refresh token is kept if the service sends no new one, and replaced otherwise (RFC 6749 section 6)")
    func rotation() throws {
        let body = #"{"access_token":"a","token_type":"bearer"}"#
        #expect(secretText(try grant(200, body, replacing: "old").refresh) == "old")
        let next = #"{"access_token":"a","token_type":"bearer","refresh_token":"new"}"#
        #expect(secretText(try grant(200, next, replacing: "old").refresh) == "new")
        #expect(try grant(200, body).access.expiry == nil)
    }

    @Test("A token needs TLS, whatever a member says that only Esri defines", arguments: [true, false])
    func alwaysTLS(ssl: Bool) throws {
        let grant = try grant(200, #"{"access_token":"a","token_type":"bearer","ssl":\#(ssl)}"#)
        #expect(grant.access.requiresTLS)
    }

    @Test(
        "Every error of RFC 6749 section 5.2",
        arguments: [
            ("invalid_request", OAuthRefusal.Code.invalidRequest), ("invalid_client", .invalidClient),
            ("invalid_grant", .invalidGrant), ("unauthorized_client", .unauthorizedClient),
            ("unsupported_grant_type", .unsupportedGrantType), ("invalid_scope", .invalidScope),
        ]
    )
    func refusals(word: String, code: OAuthRefusal.Code) {
        let expected = TokenServiceError.refused(OAuthRefusal(code: code, text: "why"))
        #expect(throws: expected) { try grant(400, #"{"error":"\#(word)","error_description":"why"}"#) }
        #expect(throws: expected) { try grant(401, #"{"error":"\#(word)","error_description":"why"}"#) }
        // Some services refuse with a success.
        #expect(throws: expected) { try grant(200, #"{"error":"\#(word)","error_description":"why"}"#) }
    }

    @Test("Words of a service that repeat a secret of the request are left out") func repeatedSecret() throws {
        let refused = TokenServiceError.refused(OAuthRefusal(code: .invalidGrant, text: nil))
        #expect(throws: refused) {
            try grant(
                400,
                #"{"error":"invalid_grant","error_description":"no token r3fr3sh here"}"#,
                replacing: "r3fr3sh"
            )
        }
        let client = OAuthClient(
            id: "app",
            authentication: .post(SharedSecret(utf8: "s3cret")),
            tokenEndpoint: try ServiceURL("https://login.acme.example/token")
        )
        let answer = try response(400, #"{"error":"invalid_grant","error_description":"s3cret is wrong"}"#)
        #expect(throws: refused) { try client.grant(from: answer, at: 0) }
    }

    @Test(
        "What is no grant, and why",
        arguments: [
            (500, "<html>", TokenServiceError.status(500)), (200, "{}", .missing("access_token")),
            (404, "{}", .status(404)),
            (200, #"{"access_token":"a"}"#, .missing("token_type")), (302, "", .status(302)),
            (200, #"{"access_token":"","token_type":"bearer"}"#, .missing("access_token")),
        ]
    )
    func defects(status: Int, body: String, error: TokenServiceError) {
        #expect(throws: error) { try grant(status, body) }
    }

    @Test("A token that no field may hold is refused", arguments: ["a b", "a\\r\\nX: y", "é", "\\u0000"])
    func unusable(token: String) {
        #expect(throws: TokenServiceError.self) {
            try grant(200, #"{"access_token":"\#(token)","token_type":"bearer"}"#)
        }
    }

    @Test("Times: none is negative, none is endless") func times() throws {
        func expiry(_ text: String) throws -> Int64? {
            try grant(200, #"{"access_token":"a","token_type":"bearer","expires_in":\#(text)}"#).access.expiry
        }
        #expect(try expiry("0") == 1_000)
        #expect(try expiry(#""60""#) == 1_060)
        #expect(try expiry("9223372036854775807") == 1_000 + TokenLimits.lifetime)
        #expect(throws: TokenServiceError.self) { try expiry("-1") }
        #expect(try expiry("1e9") == 1_000 + TokenLimits.lifetime)
        for text in ["3600", "3600.0", "3.6e3", "36E2", #""3.6e3""#] { #expect(try expiry(text) == 4_600, "\(text)") }
        #expect(try expiry(#""3599.9""#) == 4_599)
        for text in ["true", "[]", "{}", #""soon""#, #"" ""#, "1.x", "1e400", #""0x10""#] {
            #expect(throws: TokenServiceError.self, "\(text)") { try expiry(text) }
        }
    }

    /// What services write for an optional member that they do not use (RFC 6749 section 5.1: such members are left out; requests-oauthlib,
    /// Go's oauth2 and MSAL read them as absent).
    @Test(
        "An optional member that is null or empty is absent",
        arguments: ["expires_in", "refresh_token", "scope", "error", "error_description", "id_token"],
        ["null", #""""#]
    )
    func absent(name: String, value: String) throws {
        let grant = try grant(
            200,
            #"{"access_token":"a","token_type":"bearer","\#(name)":\#(value)}"#,
            replacing: "old"
        )
        #expect(grant.access.expiry == nil && grant.access.scope == nil)
        #expect(secretText(grant.refresh) == "old")
    }

    @Test(
        "A token or type that is null or empty is missing",
        arguments: ["access_token", "token_type"],
        ["null", #""""#]
    )
    func missing(name: String, value: String) {
        let other = name == "access_token" ? #""token_type":"bearer""# : #""access_token":"a""#
        #expect(throws: TokenServiceError.missing(name)) { try grant(200, #"{\#(other),"\#(name)":\#(value)}"#) }
    }

    @Test("A byte order mark before the object is ignored (RFC 8259 section 8.1)") func mark() throws {
        let body = #"{"access_token":"a","token_type":"bearer"}"#
        #expect(secretText(try grant(200, "\u{FEFF}" + body).access.secret) == "a")
        #expect(throws: TokenServiceError.self) { try grant(200, "\u{FEFF}\u{FEFF}" + body) }
    }

    @Test(
        "A revocation is answered by any success (RFC 7009 section 2.2 names 200)",
        arguments: [200, 202, 204, 302, 400, 503]
    )
    func revocation(status: Int) throws {
        let client = try OAuthClient.make()
        let response = try response(status, "")
        if (200...299).contains(status) {
            try client.checkRevocation(response)
        } else {
            #expect(throws: TokenServiceError.status(status)) { try client.checkRevocation(response) }
        }
    }

    @Test("A token is valid until its end less the margin") func validity() {
        let token = AccessToken(SharedSecret(utf8: "t"), expiry: 100)
        #expect(token.isValid(at: 99) && !token.isValid(at: 100))
        #expect(token.isValid(at: 69, margin: 30) && !token.isValid(at: 70, margin: 30))
        #expect(!token.isValid(at: .max, margin: 1))
        #expect(AccessToken(SharedSecret(utf8: "t")).isValid(at: .max))
    }

    @Test("No description shows a secret") func descriptions() throws {
        let grant = try grant(200, #"{"access_token":"s3cr3t","token_type":"bearer","refresh_token":"s3cr3t"}"#)
        var dumped = ""
        dump(grant, to: &dumped)
        dump(grant.access, to: &dumped)
        let request = try OAuthClient.make(.post(SharedSecret(utf8: "s3cr3t"))).refresh(SharedSecret(utf8: "s3cr3t"))
        dump(request, to: &dumped)
        dump(try OAuthClient.make(.basic(SharedSecret(utf8: "s3cr3t"))), to: &dumped)
        for text in [dumped, "\(grant)", "\(grant.access)", "\(request)"] { #expect(!text.contains("s3cr3t")) }
    }

    @Test("Every truncation and seeded damage end in a grant or an error", arguments: UInt64(1)...20)
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let whole = Array(Self.success.replacing(#""example""#, with: #""Bearer""#).utf8)
        let client = try OAuthClient.make()
        for length in 0..<whole.count {
            var bytes = Array(whole.prefix(length))
            _ = try? client.grant(from: TokenResponse(status: 200, body: bytes.span), at: 0)
            bytes = whole
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? client.grant(from: TokenResponse(status: 200, body: bytes.span), at: 0)
        }
    }

    @Test("A body beyond the bound is refused") func tooLong() {
        let bytes = [UInt8](repeating: 0x20, count: TokenLimits.responseBytes + 1)
        #expect(throws: TokenServiceError.tooLong(bytes: bytes.count)) {
            try TokenResponse(status: 200, body: bytes.span)
        }
    }
}

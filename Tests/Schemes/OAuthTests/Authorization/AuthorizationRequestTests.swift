import Secrets
import Testing

@testable import OAuth

@Suite struct AuthorizationRequestTests {
    private func authorization(
        issuer: String? = nil,
        namesIssuer: Bool = false,
        scope: String = "read write",
        wantsIDToken: Bool = false
    ) throws -> AuthorizationRequest {
        let octets = ProofKeyTests.octets
        return AuthorizationRequest(
            try .make(),
            .init(
                authorizationEndpoint: try ServiceURL("https://server.example.com/authorize?tenant=1"),
                issuer: issuer,
                namesIssuer: namesIssuer
            ),
            redirect: try ServiceURL("http://127.0.0.1:8000/cb"),
            wish: .init(
                scope: scope,
                resources: [try ServiceURL("https://api.example/x")],
                wantsIDToken: wantsIDToken
            ),
            proof: ProofKey(random: octets.span),
            state: "xyz",
            nonce: "n-0S6_WzA2Mj"
        )
    }

    @Test(
        "With the scope openid the nonce goes out, and an ID token that is used has it (OpenID Connect Core section 3.1.3.7)"
    )
    func nonce() throws {
        let openID = try authorization(scope: "read openid", wantsIDToken: true)
        #expect(openID.url.hasSuffix("&scope=read+openid&resource=https%3A%2F%2Fapi.example%2Fx&nonce=n-0S6_WzA2Mj"))
        #expect(try !authorization(scope: "openid2", wantsIDToken: true).url.contains("nonce"))
        // Made by hand: Base64 of the payloads.
        func grant(_ payload: String) -> TokenGrant {
            let token = AccessToken(SharedSecret(utf8: "e30.\(payload).c2ln"))
            return TokenGrant(access: token, refresh: nil, identity: token)
        }
        let (right, wrong, none) = ("eyJub25jZSI6Im4tMFM2X1d6QTJNaiJ9", "eyJub25jZSI6Im4ifQ", "e30")
        try openID.check(grant(right))
        for payload in [wrong, none, "%"] {
            #expect(throws: TokenServiceError.self) { try openID.check(grant(payload)) }
            // Of no use without the wish.
            try authorization(scope: "openid").check(grant(payload))
        }
    }

    @Test("The URL for the browser (RFC 6749 section 4.1.1, RFC 7636 section 4.3)") func url() throws {
        #expect(
            try authorization().url == "https://server.example.com/authorize?tenant=1&response_type=code"
                + "&client_id=s6BhdRkqt3&redirect_uri=http%3A%2F%2F127.0.0.1%3A8000%2Fcb&state=xyz"
                + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
                + "&scope=read+write&resource=https%3A%2F%2Fapi.example%2Fx"
        )
    }

    @Test("A pushed authorization has the parameters of the URL, and the browser gets its name (RFC 9126 section 2)")
    func pushed() throws {
        let authorization = try authorization()
        let endpoint = try ServiceURL("https://server.example.com/par")
        let parameters = [
            "response_type=code", "redirect_uri=http%3A%2F%2F127.0.0.1%3A8000%2Fcb", "state=xyz",
            "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method=S256",
            "scope=read+write", "resource=https%3A%2F%2Fapi.example%2Fx",
        ]
        let request = authorization.pushedRequest(to: endpoint)
        #expect(request.url == endpoint && form(request) == parameters + ["client_id=s6BhdRkqt3"])
        // Section 2.1: the parameter client_id is there in any case, and once.
        let basic = OAuthClient(
            id: "s6BhdRkqt3",
            authentication: .basic(SharedSecret(utf8: "s")),
            tokenEndpoint: endpoint
        )
        let named = [parameters[0], "client_id=s6BhdRkqt3"] + parameters.dropFirst()
        #expect(form(authorization.pushedRequest(to: endpoint, by: basic)) == named)
        // The example of section 2.2.
        let body = #"{"request_uri":"urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c","expires_in":60}"#
        let (url, seconds) = try authorization.pushedURL(response(201, body))
        #expect(
            url == "https://server.example.com/authorize?tenant=1&client_id=s6BhdRkqt3"
                + "&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A6esc_11ACC5bwc014ltc14eY22c"
        )
        #expect(seconds == 60)
    }

    @Test(
        "A response without a name, an end or a success brings no URL",
        arguments: [
            (201, #"{"expires_in":60}"#), (201, #"{"request_uri":"urn:a"}"#), (401, #"{"error":"invalid_client"}"#),
            (201, #"{"request_uri":"urn:a","expires_in":0}"#), (201, #"{"request_uri":"urn: a","expires_in":60}"#),
            (201, #"{"request_uri":"\#(String(repeating: "a", count: 2_049))","expires_in":60}"#),
        ]
    )
    func notPushed(status: Int, body: String) throws {
        let authorization = try authorization()
        #expect(throws: TokenServiceError.self) { try authorization.pushedURL(response(status, body)) }
    }

    @Test("The code, and the request that exchanges it (RFC 6749 sections 4.1.2 and 4.1.3)") func code() throws {
        let authorization = try authorization()
        let code = try authorization.code(in: "/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=xyz")
        #expect(secretText(code) == "SplxlOBeZQQYbYS6WxSbIA")
        #expect(
            form(authorization.tokenRequest(for: code)) == [
                "grant_type=authorization_code", "code=SplxlOBeZQQYbYS6WxSbIA",
                "redirect_uri=http%3A%2F%2F127.0.0.1%3A8000%2Fcb",
                "code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "resource=https%3A%2F%2Fapi.example%2Fx",
                "client_id=s6BhdRkqt3",
            ]
        )
    }

    @Test(
        "A response of another authorization, or a forged one, brings no code",
        arguments: [
            ("/cb?code=a", AuthorizationError.otherState), ("/cb?code=a&state=xyZ", .otherState),
            ("/cb?code=a&state=", .otherState), ("/cb", .otherState), ("/cb?error=access_denied", .otherState),
            ("/other?code=a&state=xyz", .otherPath), ("/cb/?code=a&state=xyz", .otherPath),
            ("//cb?code=a&state=xyz", .otherPath), ("/cb?state=xyz", .noCode), ("/cb?code=&state=xyz", .noCode),
            ("/cb?code=a&code=b&state=xyz", .malformed("code")),
            ("/cb?code=a&state=xyz&state=xyz", .malformed("state")),
            ("/cb?code=%4&state=xyz", .malformed("code")), ("/cb?code=%zz&state=xyz", .malformed("code")),
            ("/cb?c%6fde=a&code=b&state=xyz", .malformed("code")),
            ("/cb?code=&code=a&state=xyz", .malformed("code")), ("/cb?code&code&state=xyz", .malformed("code")),
            ("/cb?error=&error=&code=a&state=xyz", .malformed("error")), ("/cb?error=&state=xyz", .noCode),
            ("/cb?state=&code=a&state=xyz", .malformed("state")),
        ]
    )
    func refused(target: String, error: AuthorizationError) throws {
        let authorization = try authorization()
        #expect(throws: error) { try authorization.code(in: target) }
    }

    @Test(
        "Each error of RFC 6749 section 4.1.2.1",
        arguments: [
            "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
            "server_error", "temporarily_unavailable",
        ]
    )
    func errors(word: String) throws {
        let authorization = try authorization()
        let refusal = OAuthRefusal(code: .init(rawValue: word), text: "why not")
        #expect(throws: AuthorizationError.refused(refusal)) {
            try authorization.code(in: "/cb?error=\(word)&error_description=why+not&state=xyz")
        }
    }

    @Test("Mix-up: the issuer of the response must be the one that was asked (RFC 9207)") func issuer() throws {
        let honest = try authorization(issuer: "https://honest.as.example", namesIssuer: true)
        // The example of RFC 9207 section 2.
        let target =
            "/cb?code=x1848ZT64p4IirMPT0R-X3141MFPTuBX-VFL_cvaplMH58&state=xyz&iss=https%3A%2F%2Fhonest.as.example"
        #expect(secretText(try honest.code(in: target)) == "x1848ZT64p4IirMPT0R-X3141MFPTuBX-VFL_cvaplMH58")
        #expect(throws: AuthorizationError.otherIssuer) {
            try honest.code(in: "/cb?code=a&state=xyz&iss=https%3A%2F%2Fattacker.example")
        }
        #expect(throws: AuthorizationError.otherIssuer) { try honest.code(in: "/cb?code=a&state=xyz") }
        #expect(throws: AuthorizationError.otherIssuer) { try honest.code(in: "/cb?code=a&state=xyz&iss=") }
        let silent = try authorization(issuer: "https://honest.as.example")
        #expect(secretText(try silent.code(in: "/cb?code=a&state=xyz")) == "a")
        #expect(secretText(try silent.code(in: "/cb?code=a&state=xyz&iss=")) == "a")
    }

    @Test(
        "A parameter without a value counts as omitted (RFC 6749 section 3.1)",
        arguments: [
            "/cb?code=a&state=xyz&error=", "/cb?error&code=a&state=xyz", "/cb?iss=&code=a&state=xyz&error_description=",
            "/cb?code=a&state=xyz&error=&error_description=&error_uri=&session_state=&iss",
        ]
    )
    func withoutValue(target: String) throws {
        #expect(secretText(try authorization().code(in: target)) == "a")
        let refusal = OAuthRefusal(code: .accessDenied, text: nil)
        #expect(throws: AuthorizationError.refused(refusal)) {
            try authorization().code(in: "/cb?error=access_denied&error_description=&code=&state=xyz")
        }
    }

    @Test("A redirect beyond the bound is refused") func tooLong() throws {
        let authorization = try authorization()
        let target = "/cb?code=" + String(repeating: "a", count: TokenLimits.redirectBytes)
        #expect(throws: AuthorizationError.tooLong) { try authorization.code(in: target) }
    }

    @Test("Two authorizations have other states") func states() throws {
        let service = AuthorizationRequest.Service(authorizationEndpoint: try ServiceURL("https://a.example/"))
        let redirect = try ServiceURL("http://127.0.0.1:1/cb")
        let client = try OAuthClient.make()
        let urls = (0..<50).map { _ in AuthorizationRequest(client, service, redirect: redirect).url }
        #expect(Set(urls).count == 50)
    }
}

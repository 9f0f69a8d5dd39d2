import Secrets
import Testing

@testable import OAuth

@Suite struct OAuthClientTests {
    @Test("Client credentials with Basic: the example of RFC 6749 section 4.4.2") func clientCredentials() throws {
        let client = try OAuthClient.make(.basic(SharedSecret(utf8: "gX1fBat3bV")))
        let request = client.clientCredentials()
        #expect(form(request) == ["grant_type=client_credentials"])
        // RFC 6749 section 2.3.1 has the same identifier and secret under another name.
        #expect(secretText(request.authorization) == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(request.fields.contains(.init(name: "Content-Type", value: "application/x-www-form-urlencoded")))
        #expect("\(request)" == "POST https://server.example.com/token")
    }

    @Test("A secret in the body: the example of RFC 6749 section 2.3.1") func secretInBody() throws {
        let client = try OAuthClient.make(.post(SharedSecret(utf8: "7Fjfp0ZBr1KtDRbnfVdmIw")))
        let request = client.refresh(SharedSecret(utf8: "tGzv3JOkF0XG5Qx2TlKWIA"))
        #expect(request.authorization == nil)
        #expect(
            form(request) == [
                "grant_type=refresh_token", "refresh_token=tGzv3JOkF0XG5Qx2TlKWIA", "client_id=s6BhdRkqt3",
                "client_secret=7Fjfp0ZBr1KtDRbnfVdmIw",
            ]
        )
    }

    @Test("Identifier and secret are encoded before Basic joins them (RFC 6749 section 2.3.1)")
    func encodedPair() throws {
        let client = OAuthClient(
            id: "a:b",
            authentication: .basic(SharedSecret(utf8: "p w%")),
            tokenEndpoint: try ServiceURL("https://server.example.com/token")
        )
        // python3: base64.b64encode(b"a%3Ab:p+w%25")
        #expect(secretText(client.clientCredentials().authorization) == "Basic YSUzQWI6cCt3JTI1")
    }

    @Test("An assertion, scopes and resources (RFC 7523 section 2.2, RFC 8707 section 2)") func assertion() throws {
        let client = try OAuthClient.make(.assertion(SharedSecret(utf8: "PHNhbW.ZT")))
        let wish = OAuthClient.Wish(scope: "a b", resources: [try ServiceURL("https://api.example/x")])
        #expect(
            form(client.clientCredentials(wish)) == [
                "grant_type=client_credentials", "scope=a+b", "resource=https%3A%2F%2Fapi.example%2Fx",
                "client_id=s6BhdRkqt3",
                "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer",
                "client_assertion=PHNhbW.ZT",
            ]
        )
    }

    @Test("A token has the bound of each secret", arguments: [SecretLimits.bytes, SecretLimits.bytes + 1])
    func longToken(bytes: Int) throws {
        let client = try OAuthClient.make(.basic(SharedSecret(utf8: "gX1fBat3bV")))
        let token = String(repeating: "t", count: bytes)
        for name in ["access_token", "refresh_token"] {
            let other = name == "access_token" ? "refresh_token" : "access_token"
            let text = #"{"token_type":"Bearer","\#(name)":"\#(token)","\#(other)":"short"}"#
            if bytes == SecretLimits.bytes {
                _ = try client.grant(from: response(200, text), at: 0)
            } else {
                let error = #expect(throws: TokenServiceError.self) {
                    _ = try client.grant(from: response(200, text), at: 0)
                }
                #expect("\(try #require(error))".contains("\(name)"))
            }
        }
    }

    @Test("Revocation (RFC 7009 section 2.1)") func revocation() throws {
        let client = try OAuthClient.make(.basic(SharedSecret(utf8: "gX1fBat3bV")))
        let endpoint = try ServiceURL("https://server.example.com/revoke")
        let request = client.revocation(SharedSecret(utf8: "45ghiukldjahdnhzdauz"), isRefresh: true, at: endpoint)
        #expect(request.url == endpoint)
        #expect(form(request) == ["token=45ghiukldjahdnhzdauz", "token_type_hint=refresh_token"])
        try client.checkRevocation(response(200, ""))
        #expect(throws: TokenServiceError.status(503)) { try client.checkRevocation(response(503, "busy")) }
    }
}

import Hostnames
import Secrets
import Testing

@testable import OAuth
@testable import TokenProofs

/// RFC 9449 and RFC 7523. Signatures are checked with swift-crypto's own types; `LiveProofTests` meets joserfc.
@Suite struct ProofOfPossessionTests {
    private let key = ES256Key()
    private let client: OAuthClient

    init() throws { client = try OAuthClient.make() }

    private func proof(_ request: TokenRequest) throws -> WebToken {
        let values = request.fields.filter { $0.name == "DPoP" }
        #expect(values.count == 1)
        let first = try #require(values.first)
        return try #require(WebToken(first.value, by: key.publicKey))
    }

    @Test("A proof names method, URL without query, and time; each has another name (section 4.2)") func members()
        throws
    {
        let proofs = ProofOfPossession(key)
        let made = try (0..<2).map { _ in try proof(proofs.request(client.clientCredentials(), at: 1_000)) }
        for proof in made {
            #expect(proof.isSigned)
            #expect(proof.header["typ"] as? String == "dpop+jwt" && proof.header["alg"] as? String == "ES256")
            let jwk = proof.header["jwk"] as? [String: String]
            #expect(jwk?.keys.sorted() == ["crv", "kty", "x", "y"])
            #expect(proof.payload["htm"] as? String == "POST")
            #expect(proof.payload["htu"] as? String == "https://server.example.com/token")
            #expect(proof.payload["iat"] as? Int == 1_000)
            #expect(proof.payload["nonce"] == nil && proof.payload["ath"] == nil)
        }
        #expect(made[0].payload["jti"] as? String != made[1].payload["jti"] as? String)
    }

    @Test("A proof for a resource has the token's hash (section 7)") func resource() throws {
        let proofs = ProofOfPossession(key)
        // The token and its hash are those of RFC 9449 section 7.1.
        let token = AccessToken(
            SharedSecret(utf8: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"),
            kind: .dpop
        )
        let fields = proofs.fields(
            for: token,
            method: "GET",
            origin: try Origin(parsing: "https://resource.example.org"),
            target: "/protectedresource?a=b",
            at: 1_562_262_618
        )
        #expect(secretText(fields.authorization) == "DPoP Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
        let proof = try #require(WebToken(fields.proof, by: key.publicKey))
        #expect(proof.isSigned && proof.payload["ath"] as? String == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        #expect(proof.payload["htu"] as? String == "https://resource.example.org/protectedresource")
    }

    @Test("The service's nonce goes into the next proof to it, and to it alone (sections 8 and 9)") func nonces() throws
    {
        var proofs = ProofOfPossession(key)
        let origin = client.tokenEndpoint.origin
        let body = Array(#"{"error":"use_dpop_nonce","error_description":"x"}"#.utf8)
        let response = try TokenResponse(status: 400, body: body.span, nonce: "eyJ7S_zG.eyJH0-Z.HX4w-7v")
        let asks = proofs.wantsAgain(response, from: origin)
        #expect(asks)
        #expect(
            try proof(proofs.request(client.clientCredentials(), at: 0)).payload["nonce"] as? String == response.nonce
        )
        // The same nonce again is no reason to ask again.
        let asksAgain = proofs.wantsAgain(response, from: origin)
        #expect(!asksAgain)
        let other = proofs.fields(
            for: AccessToken(SharedSecret(utf8: "t"), kind: .dpop),
            method: "GET",
            origin: try Origin(parsing: "https://other.example"),
            target: "/",
            at: 0
        )
        #expect(WebToken(other.proof, by: key.publicKey)?.payload["nonce"] == nil)
    }

    @Test(
        "A nonce that no nonce may be is ignored",
        arguments: ["", #"a"b"#, #"a\b"#, "a b", "a\nb", "ä", String(repeating: "a", count: 1_025)]
    )
    func badNonces(nonce: String) {
        var proofs = ProofOfPossession(key)
        let takes = proofs.received(nonce: nonce, from: client.tokenEndpoint.origin)
        #expect(!takes)
    }

    @Test("Another refusal with a nonce is final, and so is a success") func finals() throws {
        var proofs = ProofOfPossession(key)
        let origin = client.tokenEndpoint.origin
        let refused = try TokenResponse(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8).span, nonce: "n1")
        let refusedAsks = proofs.wantsAgain(refused, from: origin)
        #expect(!refusedAsks)
        let granted = try TokenResponse(status: 200, body: Array("{}".utf8).span, nonce: "n2")
        let grantedAsks = proofs.wantsAgain(granted, from: origin)
        #expect(!grantedAsks)
        #expect(try proof(proofs.request(client.clientCredentials(), at: 0)).payload["nonce"] as? String == "n2")
    }

    @Test("An assertion names the client, the service and a minute (RFC 7523 section 3)") func assertion() throws {
        let asserting = client.asserting(.es256(key), keyID: #"k"1"#, at: 2_000)
        let request = asserting.clientCredentials()
        let value = try #require(form(request).first { $0.hasPrefix("client_assertion=") })
        let token = try #require(WebToken(String(value.dropFirst(17)), by: key.publicKey))
        #expect(token.isSigned && token.header["kid"] as? String == #"k"1"#)
        #expect(token.payload["iss"] as? String == client.id && token.payload["sub"] as? String == client.id)
        #expect(token.payload["aud"] as? String == "https://server.example.com/token")
        #expect(token.payload["exp"] as? Int == 2_060)
    }

    @Test("A key comes back from its bytes, and other bytes are no key") func keys() throws {
        let again = try #require(ES256Key(key.secret))
        #expect(again.publicKey == key.publicKey)
        #expect(ES256Key(SharedSecret(utf8: "short")) == nil)
        #expect(ES256Key(SharedSecret(SecretBytes(copying: [UInt8](repeating: 0, count: 32).span))) == nil)
        let text = try #require(secretText(key.secret))
        #expect(!"\(key)".contains(text))
    }
}

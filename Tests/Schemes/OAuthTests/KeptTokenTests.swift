import Foundation
import OAuth
import Secrets
import Testing

@Suite struct KeptTokenTests {
    private static let tokens = [
        "a", #"q"uo\te"#, "~!#$%&'()*+,-./:;<=>?@[]^_`{|}", String(repeating: "x", count: 4_000),
    ]

    @Test(
        "What is kept comes back, and is JSON for Foundation, too",
        arguments: tokens,
        [nil, "read write", "a\"b\\c\u{1}é"]
    )
    func comesBack(token: String, scope: String?) throws {
        for expiry in [nil, 1_700_000_000] as [Int64?] {
            let access = AccessToken(
                SharedSecret(utf8: token),
                expiry: expiry,
                scope: scope,
                requiresTLS: expiry == nil
            )
            let encoded = try #require(KeptToken(access, issuer: "https://login.acme.example/a\"b").encoded)
            let read = try #require(KeptToken(encoded))
            #expect(secretText(read.access.secret) == token && read.access.scope == scope)
            #expect(read.access.expiry == expiry && read.access.requiresTLS == (expiry == nil))
            #expect(read.issuer == "https://login.acme.example/a\"b")
            let text = try #require(secretText(encoded))
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            #expect(object?["token"] as? String == token && object?["scope"] as? String == scope)
        }
    }

    @Test("A token that no field can carry is not kept", arguments: ["é", "a b", "a\u{7}", "a\u{7F}"])
    func unsendable(token: String) {
        #expect(KeptToken(AccessToken(SharedSecret(utf8: token)), issuer: "https://login.acme.example").encoded == nil)
    }

    @Test(
        "A token that is bound to a key is kept with the key's name, and without one not at all; no description shows a token"
    )
    func proof() throws {
        let token = SharedSecret(utf8: "s3cr3t")
        #expect(KeptToken(AccessToken(token, kind: .dpop), issuer: "i").encoded == nil)
        // The thumbprint of RFC 9449 section 6.1.
        let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
        let prover = TokenProver(thumbprint: thumbprint) { _ in "" }
        let kept = KeptToken(AccessToken(token, kind: .dpop, prover: prover), issuer: "i")
        let encoded = try #require(kept.encoded)
        let read = try #require(KeptToken(encoded))
        #expect(read.thumbprint == thumbprint && read.access.kind == .dpop && read.access.prover == nil)
        // A bearer token stays one.
        #expect(KeptToken(AccessToken(token, prover: prover), issuer: "i").thumbprint == nil)
        var text = ""
        dump(KeptToken(AccessToken(token), issuer: "i"), to: &text)
        #expect(!(text + "\(KeptToken(AccessToken(token), issuer: "i"))").contains("s3cr3t"))
    }

    @Test(
        "Another text is no token",
        arguments: [
            "", "{}", "[]", #"{"issuer":"i"}"#, #"{"token":"t"}"#, #"{"issuer":"i","token":""}"#,
            #"{"issuer":"i","token":1}"#,
            #"{"issuer":"i","token":"t","jkt":1}"#, #"{"issuer":"i","token":"t","expiry":"soon"}"#,
            #"{"issuer":"i","token":"t","token":"u"}"#,
        ]
    )
    func others(text: String) { #expect(KeptToken(SharedSecret(utf8: text)) == nil) }
}

import Credentials
import Hostnames
import Secrets
import Testing

@testable import CredentialStores

/// What an item of the keyring holds, written out by hand.
@Suite struct KeyringValueTests {
    private func text(_ secret: SharedSecret) -> String {
        secret.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    private func credential(_ bytes: [UInt8], created: Int64 = 1_000, expires: Int64? = nil) throws -> StoredCredential
    {
        StoredCredential(
            name: CredentialName(space: .origin(try StoreSamples.origin("https://a.example")), user: "u"),
            secret: SharedSecret(SecretBytes(copying: bytes.span)),
            created: created,
            expires: expires
        )
    }

    @Test("A text that was made now stands as it is; all else has a mark") func forms() throws {
        func encoded(_ credential: StoredCredential) -> String { text(KeyringValue.encode(credential, now: 1_000)) }
        #expect(encoded(try credential(Array("p\u{E9}".utf8))) == "p\u{E9}")
        #expect(encoded(try credential(Array("p".utf8), created: 1_002)) == "p")
        #expect(encoded(try credential(Array("p".utf8), created: 1_003)) == "sallyport:1:1003::70")
        #expect(encoded(try credential(Array("p".utf8), created: .min)) == "sallyport:1:-9223372036854775808::70")
        #expect(encoded(try credential(Array("p".utf8), expires: 2_000)) == "sallyport:1:1000:2000:70")
        #expect(encoded(try credential([0x70, 0])) == "sallyport:1:1000::7000")
        #expect(encoded(try credential([0xFF, 0x0A])) == "sallyport:1:1000::ff0a")
        // A password that looks like a mark would otherwise be read as one.
        #expect(
            encoded(try credential(Array("sallyport:1:".utf8))) == "sallyport:1:1000::73616c6c79706f72743a313a"
        )
    }

    @Test("Each form is read back, and another one is refused") func reads() throws {
        let name = try credential([1]).name
        func read(_ text: String) -> StoredCredential? {
            KeyringValue.decode(Array(text.utf8).span, of: name, written: 77)
        }
        let plain = try #require(read("sallyport:2:x"))
        #expect(plain.text == "sallyport:2:x" && plain.created == 77 && plain.expires == nil)
        let marked = try #require(read("sallyport:1:-5:9:70FF"))
        #expect(marked.created == -5 && marked.expires == 9)
        #expect(marked.secret.withBytes { $0.count == 2 && $0[0] == 0x70 && $0[1] == 0xFF })
        let malformed = [
            "", "sallyport:1:", "sallyport:1:5:9:", "sallyport:1:5:9:7", "sallyport:1:5:9:7g", "sallyport:1:::70",
            "sallyport:1:5:70", "sallyport:1:5:x:70", "sallyport:1:99999999999999999999::70",
            "sallyport:1:000000000000000000005::70",
        ]
        for text in malformed { #expect(read(text) == nil, "\(text)") }
    }

    @Test("Attributes are those of the page, and others than all of them are no record") func attributes() throws {
        let origin = try StoreSamples.origin("http://[2001:db8::1]:3128")
        let name = CredentialName(
            space: .realm("50%\0", of: origin, party: .proxy),
            user: "",
            domain: "",
            kind: .token
        )
        let pairs = KeyringAttributes.pairs(of: name)
        #expect(
            pairs.map { "\($0.name)=\($0.value)" } == [
                "xdg:schema=org.sallyport.Credential", "party=proxy", "scheme=http", "host=[2001:db8::1]", "port=3128",
                "reach=realm", "realm=50%25%00", "path=%", "user=", "domain=", "kind=token",
            ]
        )
        var values = Dictionary(uniqueKeysWithValues: pairs.map { ($0.name, $0.value) })
        #expect(KeyringAttributes.name { values[$0] } == name)
        for pair in pairs.dropFirst() {
            values[pair.name] = nil
            #expect(KeyringAttributes.name { values[$0] } == nil, "\(pair.name)")
            values[pair.name] = pair.value
        }
        // A whole host has no port of its own, and "%41" is not how "A" is written.
        for (key, value) in [("reach", "host"), ("user", "%41"), ("user", "%"), ("party", "origin")] {
            let before = values.updateValue(value, forKey: key)
            #expect(KeyringAttributes.name { values[$0] } == nil, "\(key)=\(value)")
            values[key] = before
        }
    }
}

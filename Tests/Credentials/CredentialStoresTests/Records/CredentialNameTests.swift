import Hostnames
import TestSupport
import Testing
import WireFormat

@testable import CredentialStores

@Suite struct CredentialNameTests {
    @Test("The bytes of a name are those that its drawing says") func drawn() throws {
        let origin = try StoreSamples.origin("https://a.example:8443")
        let name = CredentialName(space: .realm("R", of: origin, party: .proxy), user: "j", kind: .token)
        let expected: [UInt8] =
            [1, 0, 0xFB, 0x20, 5, 0] + Array("https".utf8) + [9, 0] + Array("a.example".utf8) + [1, 0, 0x52]
            + [1, 0, 0x6A, 0xFF, 0xFF, 5, 0] + Array("token".utf8)
        #expect(name.encoded == expected)
        #expect(CredentialName(decoding: expected.span) == name)
    }

    @Test("The password of a proxy has another name than that of a server at its address") func parties() throws {
        let origin = try StoreSamples.origin("https://a.example:8443")
        let server = CredentialName(space: .realm("R", of: origin), user: "j")
        #expect(server == CredentialName(space: .realm("R", of: origin, party: .origin), user: "j"))
        #expect(server != CredentialName(space: .realm("R", of: origin, party: .proxy), user: "j"))
    }

    @Test("Shortened or changed bytes are another name or none, and never a trap") func damaged() throws {
        let origin = try StoreSamples.origin("https://a.example:8443")
        let bytes = CredentialName(space: .realm("R", of: origin), user: "j", domain: "D").encoded
        for count in bytes.indices {
            let part = Array(bytes[..<count])
            #expect(CredentialName(decoding: part.span) == nil)
        }
        let longer = bytes + [0]
        #expect(CredentialName(decoding: longer.span) == nil)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            var changed = bytes
            changed[Int.random(in: 0..<bytes.count, using: &generator)] = generator.bytes(1)[0]
            if let name = CredentialName(decoding: changed.span) { #expect(name.encoded == changed) }
        }
    }

    @Test("Bytes that no name has are refused: a port of a whole host, a realm of an origin, letters of a host")
    func notCanonical() throws {
        let origin = try StoreSamples.origin("https://a.example")
        var host = CredentialName(space: .host(origin.host, scheme: .https), user: "j").encoded
        #expect(CredentialName(decoding: host.span) != nil)
        host[2] = 1
        #expect(CredentialName(decoding: host.span) == nil)
        var realm = CredentialName(space: .realm("R", of: origin), user: "j").encoded
        realm[1] = CredentialSpace.Reach.origin.rawValue
        #expect(CredentialName(decoding: realm.span) == nil)
        var letters = CredentialName(space: .origin(origin), user: "j").encoded
        letters[13] = UInt8(ascii: "A")
        #expect(CredentialName(decoding: letters.span) == nil)
    }
}

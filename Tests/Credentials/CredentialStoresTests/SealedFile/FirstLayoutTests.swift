import Foundation
import Secrets
import TestSupport
import Testing

@testable import CredentialStores

/// A file that `sallyport credentials add` wrote before the first release. Every later version must read it.
@Suite struct FirstLayoutTests {
    /// What was typed: place, user, domain, kind and secret, in hexadecimal for the NT hash.
    private static let typed: Set = [
        ["https://wiki.example", "jdoe", "ACME", "password", "Correct-Horse"],
        ["https://wiki.example:8443", "j\u{F6}rg", "", "password", "Pa\u{DF}wort-\u{1F40E}"],
        ["http://proxy.example:3128", "jdoe", "", "nt-hash", "0123456789abcdef0123456789abcdef"],
        ["https://api.example", "", "", "token", "a-token.of-a-service"],
    ]

    @Test("A file of the first layout opens, gives back what was typed, and can be written") func opens() throws {
        try StoreSamples.inFolder { folder in
            for name in ["store", "key"] {
                let copy = folder.appending(path: name)
                try FileManager.default.copyItem(at: HelperFile.url("first-layout.\(name)"), to: copy)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
            }
            let key = StoreKey.keyFile(path: folder.appending(path: "key").path)
            let file = try SealedFile.open(at: folder.appending(path: "store").path, key: key)
            #expect(try read(file) == Self.typed)
            try file.save(StoreSamples.credential("https://new.example", secret: "new"))
            let added = ["https://new.example", "jdoe", "", "password", "new"]
            #expect(try read(file) == Self.typed.union([added]))
        }
    }

    private func read(_ file: SealedFile) throws -> Set<[String]> {
        var found: Set<[String]> = []
        for (place, proxy) in [
            ("https://wiki.example", false), ("https://wiki.example:8443", false), ("http://proxy.example:3128", true),
            ("https://api.example", false), ("https://new.example", false),
        ] {
            var query = CredentialQuery(origin: try StoreSamples.origin(place), party: proxy ? .proxy : .origin)
            query.realm = "Staff only"
            for credential in try file.credentials(for: query, at: StoreSamples.now) {
                let name = credential.name
                let bytes = credential.secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
                let secret =
                    name.kind == .ntHash ? bytes.map { String(format: "%02x", $0) }.joined() : credential.text
                found.insert([place, name.user, name.domain ?? "", name.kind.rawValue, secret])
            }
        }
        return found
    }
}

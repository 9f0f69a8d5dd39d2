import Foundation
import Hostnames
import Secrets
import TestLimits
import Testing

@testable import CredentialStores

/// Records for one path of an origin.
@Suite(.inTurn) struct PathTests {
    /// Calls `body` with each store of this package.
    private func withStores(_ body: (any CredentialStore) async throws -> Void) async throws {
        try await body(MemoryCredentialStore())
        try await StoreSamples.inFolder { folder in
            let (path, key) = (folder.appending(path: "store").path, try StoreSamples.keyFile(in: folder))
            try await body(try await SealedFileStore.create(at: path, key: key, now: StoreSamples.now))
        }
    }

    @Test("A path finds its own record byte by byte; a challenge finds the records without a path") func lookups()
        async throws
    {
        try await withStores { store in
            let origin = try StoreSamples.origin("https://a.example")
            for credential in [
                StoreSamples.credential(.path("acme/b\u{FC}.git", of: origin), secret: "path 1", created: 3),
                StoreSamples.credential(.path("acme", of: origin), secret: "path 2", created: 4),
                StoreSamples.credential(.path("", of: origin), secret: "empty", created: 5),
                StoreSamples.credential(.realm("R", of: origin), secret: "realm", created: 1),
                StoreSamples.credential(.origin(origin), secret: "origin", created: 2),
                StoreSamples.credential(.host(origin.host, scheme: .https), secret: "host", created: 6),
            ] { try await store.save(credential) }
            func found(_ paths: CredentialQuery.Paths, _ origin: Origin) async throws -> [String] {
                let query = CredentialQuery(origin: origin, realm: "R", paths: paths)
                return try await store.credentials(for: query, at: StoreSamples.now).map(\.text)
            }
            #expect(try await found(.none, origin) == ["realm", "origin", "host"])
            #expect(try await found(.any, origin) == ["realm", "origin", "host", "empty", "path 2", "path 1"])
            #expect(try await found(.only("acme/b\u{FC}.git"), origin) == ["path 1"])
            #expect(try await found(.only("acme"), origin) == ["path 2"])
            #expect(try await found(.only(""), origin) == ["empty"])
            // The fourth has the same letter in two parts.
            for path in ["acme/", "/acme", "Acme", "acme/bu\u{308}.git", "acme/b\u{FC}.git/x", "acm", "b"] {
                #expect(try await found(.only(path), origin).isEmpty, "\(path)")
            }
            #expect(try await found(.only("acme"), StoreSamples.origin("https://a.example:8443")).isEmpty)
            #expect(try await found(.any, StoreSamples.origin("https://a.example:8443")) == ["host"])
            #expect(try await found(.any, StoreSamples.origin("http://a.example")).isEmpty)
            let name = CredentialName(space: .path("acme", of: origin), user: "jdoe")
            #expect(try await store.remove(name))
            #expect(try await found(.only("acme"), origin).isEmpty)
            #expect(try await store.list().count == 5)
        }
    }

    @Test("A path of 4,096 bytes is kept, and one byte more is refused") func bound() async throws {
        try await withStores { store in
            let origin = try StoreSamples.origin("https://a.example")
            let longest = String(repeating: "x", count: 4096)
            try await store.save(StoreSamples.credential(.path(longest, of: origin), secret: "s"))
            let query = CredentialQuery(origin: origin, paths: .only(longest))
            #expect(try await store.credentials(for: query, at: 0).map(\.text) == ["s"])
            do throws(CredentialStoreError) {
                try await store.save(StoreSamples.credential(.path(longest + "x", of: origin), secret: "s"))
                Issue.record("a path of 4,097 bytes is kept")
            } catch {
                #expect(error.problem == .tooLong(.path, bytes: 4097, limit: 4096))
            }
        }
    }

    @Test("The bytes of a name have its path at their end, and other names have the bytes that they had") func drawn()
        throws
    {
        let origin = try StoreSamples.origin("https://a.example:8443")
        let start: [UInt8] = [0xFB, 0x20, 5, 0] + Array("https".utf8) + [9, 0] + Array("a.example".utf8)
        let rest: [UInt8] = [0xFF, 0xFF, 1, 0, 0x6A, 0xFF, 0xFF, 8, 0] + Array("password".utf8)
        let name = CredentialName(space: .path("a/b", of: origin), user: "j")
        let expected = [0, 3] + start + rest + [3, 0] + Array("a/b".utf8)
        #expect(name.encoded == expected)
        #expect(CredentialName(decoding: expected.span) == name)
        let without = [0, 1] + start + rest
        #expect(CredentialName(space: .origin(origin), user: "j").encoded == without)
        for wrong in [
            [0, 3] + start + rest, [0, 3] + start + rest + [0xFF, 0xFF], without + [0, 0], expected + [0],
        ] {
            #expect(CredentialName(decoding: wrong.span) == nil)
        }
    }
}

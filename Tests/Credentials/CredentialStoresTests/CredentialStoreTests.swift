import Credentials
import Foundation
import Hostnames
import Secrets
import TestLimits
import TestSupport
import Testing

@testable import CredentialStores

/// The rules that every store keeps. Each test runs with each store.
@Suite(.inTurn) struct CredentialStoreTests {
    /// A store of this package.
    enum Kind: CaseIterable {
        case memory, sealedFile
        /// That of the session of this process: ``KeyringStoreTests`` runs the rules there.
        case keyring

        static let allCases = [memory, sealedFile]
    }

    private func withStore(_ kind: Kind, _ body: (any CredentialStore) async throws -> Void) async throws {
        switch kind {
        case .memory: try await body(MemoryCredentialStore())
        case .keyring:
            var options = KeyringStore.Options()
            // A limit is not the subject of these tests, and the machine may have much to do.
            options.limit = .seconds(600)
            let store = try await KeyringStore.open(options)
            try await store.removeAll()
            try await body(store)
        case .sealedFile:
            try await StoreSamples.inFolder { folder in
                let (path, key) = (folder.appending(path: "store").path, try StoreSamples.keyFile(in: folder))
                try await body(try await SealedFileStore.create(at: path, key: key, now: StoreSamples.now))
            }
        }
    }

    private func problem(
        _ expected: CredentialStoreError.Problem,
        _ comment: Comment? = nil,
        _ body: () async throws(CredentialStoreError) -> Void
    ) async {
        do throws(CredentialStoreError) {
            try await body()
            Issue.record("no error instead of \(expected)")
        } catch {
            #expect(error.problem == expected, comment)
        }
    }

    @Test("What was saved is found, with all its parts", arguments: Kind.allCases)
    func savesAndFinds(kind: Kind) async throws {
        try await withStore(kind) { store in
            let origin = try StoreSamples.origin("https://wiki.example:8443")
            let saved = StoreSamples.credential(
                .realm("Wiki \u{E9}\0", of: origin, party: .proxy),
                user: "J\u{F6}rg",
                domain: "ACME",
                kind: CredentialKind(rawValue: "made-up-2"),
                secret: "p\0\u{1F600}",
                created: -5,
                expires: .max
            )
            try await store.save(saved)
            let query = CredentialQuery(origin: origin, party: .proxy, realm: "Wiki \u{E9}\0")
            let found = try await store.credentials(for: query, at: StoreSamples.now)
            let only = try #require(found.first)
            #expect(found.count == 1)
            #expect(only.name == saved.name)
            #expect(only.text == "p\0\u{1F600}")
            #expect(only.created == -5 && only.expires == .max)
            #expect(only.credential == nil, "a kind that this version does not know is not sent")
            #expect(try await store.list() == [saved.listingForTests])
        }
    }

    @Test("Hosts of every form are found again", arguments: Kind.allCases)
    func hosts(kind: Kind) async throws {
        try await withStore(kind) { store in
            let origins = ["http://192.0.2.1:3128", "https://[2001:db8::1]", "https://a-b_c.example", "http://x:1"]
            for text in origins { try await store.save(StoreSamples.credential(text, secret: text)) }
            for text in origins {
                let query = CredentialQuery(origin: try StoreSamples.origin(text))
                #expect(try await store.credentials(for: query, at: StoreSamples.now).map(\.text) == [text])
            }
        }
    }

    @Test("A record of the same name is replaced", arguments: Kind.allCases)
    func replaces(kind: Kind) async throws {
        try await withStore(kind) { store in
            for secret in ["first", "second"] {
                try await store.save(StoreSamples.credential("https://a.example", secret: secret))
            }
            let query = CredentialQuery(origin: try StoreSamples.origin("https://a.example"))
            #expect(try await store.credentials(for: query, at: StoreSamples.now).map(\.text) == ["second"])
            #expect(try await store.list().count == 1)
        }
    }

    @Test("A narrower space comes first, then the newer record", .row(26), arguments: Kind.allCases)
    func order(kind: Kind) async throws {
        try await withStore(kind) { store in
            let origin = try StoreSamples.origin("https://a.example:444")
            for credential in [
                StoreSamples.credential(.host(origin.host, scheme: .https), secret: "host"),
                StoreSamples.credential(.origin(origin), user: "old", secret: "origin, old", created: 1),
                StoreSamples.credential(.origin(origin), user: "new", secret: "origin, new", created: 2),
                StoreSamples.credential(.realm("R", of: origin), secret: "realm"),
                StoreSamples.credential(.realm("r", of: origin), secret: "other realm"),
                StoreSamples.credential(.realm(nil, of: origin), secret: "no realm"),
            ] { try await store.save(credential) }
            func found(_ query: CredentialQuery) async throws -> [String] {
                try await store.credentials(for: query, at: StoreSamples.now).map(\.text)
            }
            let wide = ["origin, new", "origin, old", "host"]
            #expect(try await found(CredentialQuery(origin: origin, realm: "R")) == ["realm"] + wide)
            #expect(try await found(CredentialQuery(origin: origin)) == ["no realm"] + wide)
            #expect(try await found(CredentialQuery(origin: origin, realm: "none of these")) == wide)
            let port = try StoreSamples.origin("https://a.example")
            #expect(try await found(CredentialQuery(origin: port, realm: "R")) == ["host"])
            #expect(try await found(CredentialQuery(origin: origin, realm: "R", user: "old")) == ["origin, old"])
        }
    }

    @Test("Another scheme, host, party, domain or kind gets nothing", arguments: Kind.allCases)
    func strangers(kind: Kind) async throws {
        try await withStore(kind) { store in
            let origin = try StoreSamples.origin("https://a.example")
            try await store.save(
                StoreSamples.credential(.host(origin.host, scheme: .https), domain: "ACME", secret: "s")
            )
            let strangers = [
                CredentialQuery(origin: try StoreSamples.origin("http://a.example")),
                CredentialQuery(origin: try StoreSamples.origin("https://b.a.example")),
                CredentialQuery(origin: try StoreSamples.origin("https://example")),
                CredentialQuery(origin: origin, party: .proxy),
                CredentialQuery(origin: origin, user: "JDOE"),
                CredentialQuery(origin: origin, domain: "acme"),
                CredentialQuery(origin: origin, domain: ""),
                CredentialQuery(origin: origin, kind: .token),
            ]
            for query in strangers {
                #expect(try await store.credentials(for: query, at: StoreSamples.now).isEmpty, "\(query)")
            }
            let own = CredentialQuery(origin: origin, user: "jdoe", domain: "ACME", kind: .password)
            #expect(try await store.credentials(for: own, at: StoreSamples.now).count == 1)
        }
    }

    @Test("An expired record is not found, but listed", arguments: Kind.allCases)
    func expiry(kind: Kind) async throws {
        try await withStore(kind) { store in
            let origin = try StoreSamples.origin("https://a.example")
            try await store.save(StoreSamples.credential(.origin(origin), secret: "s", expires: 100))
            let query = CredentialQuery(origin: origin)
            #expect(try await store.credentials(for: query, at: 99).count == 1)
            #expect(try await store.credentials(for: query, at: 100).isEmpty)
            #expect(try await store.list().map(\.expires) == [100])
        }
    }

    @Test("Removing one record leaves the others; removing all leaves none", arguments: Kind.allCases)
    func removes(kind: Kind) async throws {
        try await withStore(kind) { store in
            let users = ["a", "b", "c"]
            let records = try users.map { try StoreSamples.credential("https://a.example", user: $0, secret: $0) }
            for record in records { try await store.save(record) }
            #expect(try await store.remove(records[1].name))
            #expect(try await !store.remove(records[1].name))
            #expect(try await store.list().map(\.name.user) == ["a", "c"])
            #expect(try await store.removeAll() == 2)
            #expect(try await store.removeAll() == 0)
            #expect(try await store.list().isEmpty)
            try await store.save(records[0])
            #expect(try await store.list().count == 1)
        }
    }

    @Test("Names that differ in any part are different records, byte by byte", arguments: Kind.allCases)
    func names(kind: Kind) async throws {
        try await withStore(kind) { store in
            let (one, other) = (
                try StoreSamples.origin("https://a.example"), try StoreSamples.origin("https://a.example:1")
            )
            let names = [
                CredentialName(space: .origin(one), user: "\u{E9}"),
                // The same letter, decomposed: equal as a text, and another user for a server.
                CredentialName(space: .origin(one), user: "e\u{301}"),
                CredentialName(space: .origin(one), user: "\u{E9}", domain: "D"),
                CredentialName(space: .origin(one), user: "\u{E9}", kind: .ntHash),
                CredentialName(space: .origin(one, party: .proxy), user: "\u{E9}"),
                CredentialName(space: .origin(other), user: "\u{E9}"),
                CredentialName(space: .host(one.host, scheme: .https), user: "\u{E9}"),
                CredentialName(space: .realm(nil, of: one), user: "\u{E9}"),
                CredentialName(space: .realm("", of: one), user: "\u{E9}"),
                CredentialName(space: .origin(one), user: ""),
            ]
            for (index, name) in names.enumerated() {
                let secret = SharedSecret(utf8: "\(index)")
                try await store.save(StoredCredential(name: name, secret: secret, created: StoreSamples.now))
            }
            #expect(try await store.list().count == names.count)
            let empty = CredentialName(space: .origin(one), user: "\u{E9}", domain: "")
            #expect(try await !store.remove(empty), "an empty domain is not an absent one")
            try await store.save(
                StoredCredential(name: empty, secret: SharedSecret(utf8: "e"), created: StoreSamples.now)
            )
            #expect(try await store.list().contains { $0.name.domain == "" && $0.name == empty })
            #expect(try await store.list().count == names.count + 1)
            #expect(try await store.remove(empty))
            #expect(try await store.remove(names[0]))
            #expect(try await store.list().count == names.count - 1)
        }
    }

    @Test("What exceeds a bound is refused, and nothing is stored", arguments: Kind.allCases)
    func bounds(kind: Kind) async throws {
        try await withStore(kind) { store in
            let origin = try StoreSamples.origin("https://a.example")
            func text(_ count: Int) -> String { String(repeating: "x", count: count) }
            let cases: [(StoredCredential, CredentialStoreError.Problem)] =
                [
                    (
                        StoreSamples.credential(.origin(origin), user: text(1025), secret: "s"),
                        .tooLong(.user, bytes: 1025, limit: 1024)
                    ),
                    (
                        StoreSamples.credential(.origin(origin), domain: text(256), secret: "s"),
                        .tooLong(.domain, bytes: 256, limit: 255)
                    ),
                    (
                        StoreSamples.credential(.realm(text(1025), of: origin), secret: "s"),
                        .tooLong(.realm, bytes: 1025, limit: 1024)
                    ),
                    (
                        StoreSamples.credential(.origin(origin), secret: text(524_289)),
                        .tooLong(.secret, bytes: 524_289, limit: 524_288)
                    ),
                    (StoreSamples.credential(.origin(origin), secret: ""), .emptySecret),
                ]
                + ["", text(33), "Password", "a b", "\u{E9}"].map { name in
                    (
                        StoreSamples.credential(.origin(origin), kind: CredentialKind(rawValue: name), secret: "s"),
                        .malformedKind
                    )
                }
            for (credential, expected) in cases {
                await problem(expected, "\(credential)") { () async throws(CredentialStoreError) in
                    try await store.save(credential)
                }
            }
            #expect(try await store.list().isEmpty)
            let longest = StoreSamples.credential(
                .realm(text(1024), of: origin),
                user: text(1024),
                domain: text(255),
                kind: CredentialKind(rawValue: text(32)),
                secret: text(524_288)
            )
            try await store.save(longest)
            let query = CredentialQuery(origin: origin, realm: text(1024))
            #expect(try await store.credentials(for: query, at: StoreSamples.now).first?.text == text(524_288))
        }
    }

    @Test("A host has at most 256 records, other hosts and replacements have room", arguments: Kind.allCases)
    func recordsPerHost(kind: Kind) async throws {
        try await withStore(kind) { store in
            for number in 0..<256 {
                try await store.save(try StoreSamples.credential("https://a.example:\(number + 1)", secret: "s"))
            }
            await problem(.tooManyRecordsForHost) { () async throws(CredentialStoreError) in
                try await store.save(
                    StoreSamples.credential(.host(fixedHost, scheme: .https), secret: "s")
                )
            }
            try await store.save(StoreSamples.credential("https://a.example:1", secret: "other"))
            try await store.save(StoreSamples.credential("http://a.example", secret: "s"))
            #expect(try await store.list().count == 257)
        }
    }

    @Test("Sixteen tasks save at once, and nothing is lost", arguments: Kind.allCases)
    func concurrentTasks(kind: Kind) async throws {
        try await withStore(kind) { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let secret = "secret \(number)"
                        try await store.save(StoreSamples.credential("https://h\(number).example", secret: secret))
                    }
                }
                try await group.waitForAll()
            }
            for number in 0..<16 {
                let query = CredentialQuery(origin: try StoreSamples.origin("https://h\(number).example"))
                #expect(try await store.credentials(for: query, at: 0).map(\.text) == ["secret \(number)"])
            }
        }
    }

    @Test("Accounts are stored with their kind and come back as credentials")
    func accounts() throws {
        let space = CredentialSpace.origin(try StoreSamples.origin("https://a.example"))
        let secret = SharedSecret(utf8: "s")
        let cases: [(Credential, CredentialKind)] = [
            (.password(secret), .password), (.ntHash(secret), .ntHash), (.token(secret), .token),
        ]
        for (credential, kind) in cases {
            let account = Account(name: "x", user: "ACME\\jdoe", credential: credential)
            let stored = try #require(StoredCredential(account, in: space, created: 1))
            #expect(stored.name == CredentialName(space: space, user: "jdoe", domain: "ACME", kind: kind))
            #expect(stored.credential.map(String.init(describing:)) == "\(credential)")
        }
        #expect(StoredCredential(Account(name: "x", user: "y", credential: .ticket), in: space, created: 1) == nil)
        let refresh = StoreSamples.credential(space, kind: .refreshToken, secret: "s")
        #expect(refresh.credential == nil, "a refresh token is not sent to the protected server")
    }

    @Test("Descriptions and dumps show no secret", .row(32)) func descriptions() throws {
        let credential = try StoreSamples.credential("https://a.example", secret: "Correct-Horse")
        var dumped = ""
        dump(credential, to: &dumped)
        dump(StoreKey.passphrase("Correct-Horse"), to: &dumped)
        let texts = [
            dumped, "\(credential)", "\(StoreKey.passphrase("Correct-Horse"))", String(reflecting: credential),
        ]
        for text in texts { #expect(!text.contains("Correct-Horse"), "\(text)") }
    }

    private var fixedHost: Hostname {
        guard let host = try? Hostname(parsing: "a.example") else { preconditionFailure("a good name") }
        return host
    }
}

extension StoredCredential {
    /// What a store lists of this record.
    fileprivate var listingForTests: CredentialListing {
        CredentialListing(name: name, created: created, expires: expires)
    }
}

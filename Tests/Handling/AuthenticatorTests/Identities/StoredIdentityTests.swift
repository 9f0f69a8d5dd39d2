import LiveServers
import Sallyport
import TestSupport
import Testing

/// Client identities as records of a store.
@Suite(.inTurn) struct StoredIdentityTests {
    private func identity(_ kind: ClientPair.Kind) throws -> KeyedIdentity {
        let bytes = Array(try TestAuthority("A").client("x", kind).pem.utf8)
        return try KeyedIdentity(name: "laptop", parsing: bytes.span)
    }

    @Test("A record gives back chain and key, and expires with the certificate", arguments: ClientPair.Kind.allCases)
    func roundTrip(kind: ClientPair.Kind) async throws {
        let identity = try identity(kind)
        let record = try #require(StoredIdentity.record(of: identity, created: 7))
        #expect(record.problem == nil && record.expires == identity.notAfter + 1)
        let store = MemoryCredentialStore()
        try await store.save(record)
        let query = try #require(StoredIdentity.query(for: "laptop"))
        let found = try #require(try await store.credentials(for: query, at: identity.notAfter).first)
        let read = try StoredIdentity.identity(of: found)
        #expect(read.identity == identity.identity && read.key.kind == identity.key.kind)
        let isSame = read.key.pkcs8.withBytes { one in identity.key.pkcs8.withBytes { constantTimeEqual(one, $0) } }
        #expect(isSame)
        #expect(try await store.credentials(for: query, at: identity.notAfter + 1).isEmpty)
        // It is no credential of an account.
        #expect(found.credential == nil && !"\(found)".contains("laptop"))
    }

    @Test("A damaged record is an error, wherever it is cut or changed") func damaged() throws {
        let record = try #require(StoredIdentity.record(of: identity(.p256), created: 0))
        let bytes = record.secret.withBytes { span in span.indices.map { span[$0] } }
        func read(_ bytes: [UInt8]) throws -> KeyedIdentity {
            var bytes = bytes
            let secret = SharedSecret(SecretBytes(consuming: &bytes))
            return try StoredIdentity.identity(of: StoredCredential(name: record.name, secret: secret, created: 0))
        }
        _ = try read(bytes)
        for count in 1..<bytes.count {
            #expect(throws: IdentityError.Problem.self) { try read(Array(bytes.prefix(count))) }
        }
        #expect(throws: IdentityError.Problem.self) { try read(bytes + [0]) }
        var random = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            var changed = bytes
            changed[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            // A changed signature of a certificate is not seen here: the store's own seal covers the record.
            _ = try? read(changed)
        }
        var later = bytes
        later[0] = 2
        #expect(throws: IdentityError.Problem.unsupported("layout of the record")) { try read(later) }
    }

    @Test("Another record is not an identity") func other() throws {
        let origin = try Origin(parsing: "https://wiki.example")
        for name in [
            CredentialName(space: .origin(origin), user: "laptop", kind: .identity),
            CredentialName(space: .origin(origin), user: "laptop"),
        ] {
            #expect(!StoredIdentity.isIdentity(name))
            let record = StoredCredential(name: name, secret: SharedSecret(utf8: "x"), created: 0)
            #expect(throws: IdentityError.Problem.self) { try StoredIdentity.identity(of: record) }
        }
    }
}

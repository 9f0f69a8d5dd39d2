internal import CredentialSources
internal import CredentialStores
internal import Secrets

/// What a credential helper of Git does with a store. Git names no realm, so records of one realm are not for it.
struct GitStoreHelper {
    let store: any CredentialStore
    /// Seconds since 1970.
    let now: Int64

    /// The password for a server and, if Git names one, a user.
    func find(_ question: CredentialQuestion) async throws -> SuppliedCredential? {
        guard let record = try await answers(to: question).first else { return nil }
        return SuppliedCredential(
            user: record.name.user,
            domain: record.name.domain,
            password: record.secret,
            keep: record.expires.map { .until($0) } ?? .stored
        )
    }

    /// Keeps a password that a server has accepted, unless the store has it: Git also reports what it got from here.
    func keep(_ message: GitCredentialMessage, for question: CredentialQuestion) async throws {
        guard let user = message.user, !user.isEmpty, let password = message.password, password.count > 0 else {
            return
        }
        if let expires = message.expires, expires <= now { return }
        let isKnown = try await answers(to: question).contains {
            $0.expires == message.expires && Self.isSame($0.secret, password)
        }
        guard !isKnown else { return }
        let login = Login(user)
        let name = CredentialName(space: .origin(question.origin), user: login.user, domain: login.domain)
        let record = StoredCredential(name: name, secret: password, created: now, expires: message.expires)
        try await store.save(record)
    }

    /// Forgets a password that a server has refused. A newer one, which another process has stored meanwhile, stays.
    func forget(_ message: GitCredentialMessage, for question: CredentialQuestion) async throws {
        guard let password = message.password else { return }
        for record in try await answers(to: question) where Self.isSame(record.secret, password) {
            try await store.remove(record.name)
        }
    }

    private func answers(to question: CredentialQuestion) async throws -> [StoredCredential] {
        let login = question.user.map { Login($0) }
        let query = CredentialQuery(
            origin: question.origin,
            user: login?.user,
            // A user without a domain is not one of a domain: Git takes no answer for another user.
            domain: login.map { $0.domain ?? "" },
            kind: .password
        )
        return try await store.credentials(for: query, at: now)
    }

    private static func isSame(_ one: SharedSecret, _ other: SharedSecret) -> Bool {
        one.withBytes { one in other.withBytes { constantTimeEqual(one, $0) } }
    }
}

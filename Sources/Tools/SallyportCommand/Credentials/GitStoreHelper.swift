internal import CredentialSources
internal import CredentialStores
internal import Hostnames
internal import Secrets

/// What a credential helper of Git does with a store, by the rules of `git credential-store`: a part that Git does not name matches
/// every record, and a path that it names (`credential.useHttpPath`) matches the record of that path alone.
///
/// Git names no realm, so records of one realm are not for it.
struct GitStoreHelper {
    let store: any CredentialStore
    /// Seconds since 1970.
    let now: Int64

    /// The request with what the store has for it: the newest password, and the refresh token that came with it.
    ///
    /// - Returns: `nil` if the store has nothing. A password that has expired is left out; its refresh token is not, because another
    ///   helper gets a new password with it.
    func answer(to request: GitCredentialMessage, for origin: Origin) async throws -> GitCredentialMessage? {
        let records = try await records(for: request, at: origin, expired: true)
        func answered(by record: StoredCredential) async throws -> GitCredentialMessage {
            var answer = request
            answer.user = Login(record.name).text
            answer.refreshToken = try await refreshToken(of: record.name)
            return answer
        }
        if let record = records.first(where: { !isExpired($0) }) {
            var answer = try await answered(by: record)
            answer.password = record.secret
            answer.expires = record.expires
            return answer
        }
        for record in records {
            let answer = try await answered(by: record)
            if answer.refreshToken != nil { return answer }
        }
        return nil
    }

    /// Keeps a password that a server has accepted, unless the store has it: Git also reports what it got from here.
    func keep(_ message: GitCredentialMessage, for origin: Origin) async throws {
        guard let user = message.user, let password = message.password, password.count > 0 else { return }
        if let expires = message.expires, expires <= now { return }
        let known = try await records(for: message, at: origin, withoutPath: .none, expired: false).first {
            Self.isSame($0.secret, password)
        }
        // Git before 2.40 hands on no time, and before 2.41 no refresh token. What a helper or the store knows of this password stays.
        var isKnown = false
        if let known {
            let token = try await refreshToken(of: known.name)
            isKnown =
                (message.expires == nil || message.expires == known.expires)
                && (message.refreshToken.map { new in token.map { Self.isSame($0, new) } ?? false } ?? true)
        }
        guard !isKnown else { return }
        let login = Login(user)
        let space = message.path.map { CredentialSpace.path($0, of: origin) } ?? .origin(origin)
        func record(_ kind: CredentialKind, _ secret: SharedSecret, expires: Int64?) -> StoredCredential {
            let name = CredentialName(space: space, user: login.user, domain: login.domain, kind: kind)
            return StoredCredential(name: name, secret: secret, created: now, expires: expires)
        }
        let kept = record(.password, password, expires: message.expires ?? known?.expires)
        // The refresh token of another password goes before that password does, so that it never belongs to the new one.
        if let token = message.refreshToken, token.count > 0 {
            try await store.save(record(.gitRefreshToken, token, expires: nil))
        } else if known == nil {
            try await store.remove(Self.tokenName(of: kept.name))
        }
        try await store.save(kept)
    }

    /// Forgets what matches. A password that differs from the one that a server has refused, because another process has stored it
    /// meanwhile, stays.
    func forget(_ message: GitCredentialMessage, for origin: Origin) async throws {
        for record in try await records(for: message, at: origin, expired: true) {
            if let password = message.password, !Self.isSame(record.secret, password) { continue }
            try await store.remove(Self.tokenName(of: record.name))
            try await store.remove(record.name)
        }
    }

    // MARK: - Records

    /// The passwords that a message matches, the newest first; those without a path come before those with one.
    ///
    /// - Parameters:
    ///   - withoutPath: the paths that a message without a path matches.
    ///   - expired: whether those that have expired match, too.
    private func records(
        for message: GitCredentialMessage,
        at origin: Origin,
        withoutPath: CredentialQuery.Paths = .any,
        expired: Bool
    ) async throws -> [StoredCredential] {
        let query = CredentialQuery(
            origin: origin,
            kind: .password,
            paths: message.path.map { .only($0) } ?? withoutPath
        )
        // No record has expired at the first time there is.
        let records = try await store.credentials(for: query, at: expired ? .min : now)
        // Git compares names as texts and takes no answer for another user. Earlier versions kept `\jdoe` as a user without a domain.
        guard let login = message.user.map({ Login($0) }) else { return records }
        return records.filter { Login($0.name) == login }
    }

    private func refreshToken(of name: CredentialName) async throws -> SharedSecret? {
        let query = CredentialQuery(
            origin: name.space.origin,
            user: name.user,
            domain: name.domain ?? "",
            kind: .gitRefreshToken,
            paths: name.space.path.map { .only($0) } ?? .none
        )
        let wanted = Self.tokenName(of: name)
        return try await store.credentials(for: query, at: now).first { $0.name == wanted }?.secret
    }

    private static func tokenName(of name: CredentialName) -> CredentialName {
        CredentialName(space: name.space, user: name.user, domain: name.domain, kind: .gitRefreshToken)
    }

    private func isExpired(_ record: StoredCredential) -> Bool { record.expires.map { $0 <= now } ?? false }

    private static func isSame(_ one: SharedSecret, _ other: SharedSecret) -> Bool {
        one.withBytes { one in other.withBytes { constantTimeEqual(one, $0) } }
    }
}

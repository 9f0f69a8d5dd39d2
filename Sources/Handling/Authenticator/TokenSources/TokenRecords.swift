internal import ChallengeHandling
internal import CredentialStores
internal import Hostnames
internal import OAuth
internal import Secrets
internal import TokenProofs

/// The tokens of one source in a store, which other processes may use, too.
struct TokenRecords: Sendable {
    /// Names the records.
    let name: String
    let store: any CredentialStore
    /// The origin under which the store has them.
    let place: Origin
    /// Tells the issuers of one origin apart.
    let realm: String?
    /// The issuer of access tokens, which the store keeps beside their refresh token; `nil` if it keeps refresh tokens alone.
    let issuer: String?
    let clock: @Sendable () -> Int64
    /// Whether the access tokens in the store are ID tokens.
    var isOfIDTokens = false

    /// The same records, of tokens of this kind.
    func with(idTokens: Bool) -> TokenRecords {
        var records = self
        records.isOfIDTokens = idTokens
        return records
    }

    /// Runs `body` while no other process runs such a body for the same store.
    func alone<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let turn = await (store as? any ProcessSharedStore)?.turn()
        defer { withExtendedLifetime(turn) {} }
        return try await body()
    }

    // MARK: - The access token

    /// The access token, also one that has ended.
    func access() async throws -> KeptToken? {
        guard let issuer else { return nil }
        // A token of another issuer at the same origin is not this source's.
        return try await record(.accessToken).flatMap { KeptToken($0.secret) }.flatMap {
            $0.issuer == issuer && $0.isIDToken == isOfIDTokens ? $0 : nil
        }
    }

    /// Keeps an access token, if the store has those.
    func save(_ token: AccessToken) async throws {
        guard let issuer, let encoded = KeptToken(token, issuer: issuer, isIDToken: isOfIDTokens).encoded else {
            return
        }
        let record = StoredCredential(
            name: recordName(.accessToken),
            secret: encoded,
            created: clock(),
            expires: token.expiry
        )
        try await store.save(record)
    }

    func removeAccess() async throws { if issuer != nil { try await store.remove(recordName(.accessToken)) } }

    // MARK: - The refresh token

    func refresh() async throws -> SharedSecret? { try await record(.refreshToken)?.secret }

    /// - Parameter signIn: when the user signed in, which outlasts rotations: seconds since 1970.
    func save(refresh: SharedSecret, signIn: Int64) async throws {
        try await store.save(StoredCredential(name: recordName(.refreshToken), secret: refresh, created: signIn))
    }

    func removeRefresh() async throws { try await store.remove(recordName(.refreshToken)) }

    // MARK: - The key

    /// The key that the tokens are bound to; `nil` without one that can be read.
    func key() async throws -> ES256Key? { try await record(.proofKey).flatMap { ES256Key($0.secret) } }

    func save(key: ES256Key) async throws {
        try await store.save(StoredCredential(name: recordName(.proofKey), secret: key.secret, created: clock()))
    }

    func removeKey() async throws { try await store.remove(recordName(.proofKey)) }

    // MARK: - The sign-in

    /// When the user signed in, in seconds since 1970; `nil` without tokens. Of tokens without a refresh token it is when they came.
    func signIn() async throws -> Int64? {
        if let record = try await record(.refreshToken) { return record.created }
        return try await issuer == nil ? nil : record(.accessToken)?.created
    }

    /// The record, also one that has ended.
    private func record(_ kind: CredentialKind) async throws -> StoredCredential? {
        let query = CredentialQuery(origin: place, realm: realm, user: name, kind: kind)
        let name = recordName(kind)
        // An ended record is left out at its end, so the query asks for a time before that.
        return try await store.credentials(for: query, at: .min).first { $0.name == name }
    }

    private func recordName(_ kind: CredentialKind) -> CredentialName {
        CredentialName(space: realm.map { .realm($0, of: place) } ?? .origin(place), user: name, kind: kind)
    }
}

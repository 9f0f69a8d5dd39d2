internal import CredentialStores
public import OAuth
internal import Secrets
public import TokenProofs

/// Gets access tokens from an OAuth service, with the application's own credentials or with a refresh token of a user.
///
/// ```swift
/// let tokens = OAuthTokenSource("tracker", client: client, grant: .refreshToken, store: store) { try await service.send($0) }
/// try await tokens.signedIn(grant)  // once, after the user has signed in
/// var place = AccountPlace(name: "tracker", sites: ["https://api.acme.example"])
/// place.tokens = tokens
/// ```
///
/// At most one request for a token runs at a time. A cancelled caller leaves it running, because the service may have spent the refresh
/// token already: its successor must reach the store. The end of a request is bounded by the closure that sends it.
public actor OAuthTokenSource: TokenSource {
    /// What a token is asked for with.
    public enum Grant: Hashable, Sendable {
        /// The credentials of the application (RFC 6749 section 4.4).
        case clientCredentials
        /// A refresh token, which lies in the store (RFC 6749 section 6).
        case refreshToken
    }

    /// Sends a request to the token service. It must not authenticate the request, follow a redirect, repeat the request by itself, or wait
    /// without a limit.
    public typealias Sender = @Sendable (TokenRequest) async throws -> TokenResponse

    /// Names the refresh token in the store, and the account in errors.
    public nonisolated let name: String
    let grant: Grant
    let wish: OAuthClient.Wish
    let requiresTLS: Bool
    let records: TokenRecords
    /// Finds the service, when it is needed first.
    let find: @Sendable () async throws -> OAuthService
    let keys: ClientKeys
    /// Whether the store keeps the key that tokens are bound to.
    let keepsKey: Bool
    /// How many seconds a user stays signed in; `nil` for no limit.
    let signInLimit: Int64?
    let clock: @Sendable () -> Int64
    let send: Sender
    /// Sends requests with the proofs of the key in use, and with the nonce of the service.
    var sender: ProvenSender
    /// Makes the proofs for servers; `nil` without a key.
    var prover: TokenProver?

    /// The token of the last grant.
    var access: AccessToken?
    var found: OAuthService?
    /// The refresh token of the last grant, while the store could not save it.
    var unsaved: SharedSecret?
    /// When the user signed in, in seconds since 1970; `nil` before it is known.
    var signIn: Int64?
    var running: Task<AccessToken?, any Error>?
    var isSigningOut = false
    var unkept: (@Sendable (any Error) -> Void)?

    /// Stores what the public initialisers have prepared.
    init(
        _ grant: Grant,
        _ wish: OAuthClient.Wish,
        requiresTLS: Bool,
        records: TokenRecords,
        keys: ClientKeys,
        keepsKey: Bool,
        signInLimit: Int64?,
        clock: @escaping @Sendable () -> Int64,
        find: @escaping @Sendable () async throws -> OAuthService,
        send: @escaping Sender
    ) {
        name = records.name
        self.grant = grant
        self.wish = wish
        self.requiresTLS = requiresTLS
        self.records = records.with(idTokens: wish.wantsIDToken)
        self.keys = keys
        self.keepsKey = keepsKey && keys.proof == nil
        self.signInLimit = signInLimit
        self.clock = clock
        self.find = find
        self.send = send
        sender = ProvenSender(keys, clock: clock, send: send)
        prover = keys.proof.map { TokenProver($0) }
    }

    /// The token in use. If it was refused or has ended, the service is asked for the next one. `nil` if the token was refused and the source has no
    /// refresh token to ask with.
    ///
    /// - Throws: ``OAuthTokenError``, `TokenServiceError`, `CredentialStoreError`, or what the sender throws.
    public func token(for question: TokenQuestion) async throws -> AccessToken? {
        guard !isSigningOut else { throw OAuthTokenError.notSignedIn(name) }
        if let access, access.isValid(at: clock()), question.replaced.map({ !$0.isSame(as: access.secret) }) ?? true {
            return access
        }
        return try await renewal(replacing: question.replaced).value
    }

    /// The access token that the store keeps, also one that has ended; `nil` without one.
    public func storedToken() async throws -> KeptToken? { try await records.access() }

    /// Whether the store has a refresh token.
    public func hasRefreshToken() async throws -> Bool { try await refreshToken() != nil }

    /// Calls `report` with the store's error when a request uses a new access token that the store could not keep, so that the next run of the
    /// program needs another one.
    public func reportUnkept(_ report: @escaping @Sendable (any Error) -> Void) { unkept = report }

    /// Takes what the service has granted after a sign-in of the user. Its tokens are in the store when this returns.
    ///
    /// - Parameters:
    ///   - grant: the tokens.
    ///   - key: the key that they are bound to, if the store keeps that.
    /// - Throws: ``OAuthTokenError`` for tokens of another kind than the source was made for, and the store's error, also if it keeps only one
    ///   of them.
    public func signedIn(_ grant: TokenGrant, key: ES256Key? = nil) async throws {
        if keepsKey || keys.proof != nil, grant.access.kind != .dpop { throw OAuthTokenError.notBound(name) }
        if keepsKey, key == nil { throw OAuthTokenError.noKey(name) }
        // A request with the token of an earlier sign-in would take the place of this one. Those that come now wait for it.
        while let running { _ = try? await running.value }
        let task = Task<AccessToken?, any Error> {
            defer { running = nil }
            return try await exchanged(for: grant, keepsKey ? key : nil)
        }
        running = task
        _ = try await task.value
    }

    /// Forgets the tokens, in memory and in the store. Then the service takes them back: the refresh token, and the access token.
    ///
    /// - Returns: whether the service has taken back what it can.
    public func signOut() async throws -> Bool {
        isSigningOut = true
        defer { isSigningOut = false }
        let withdrawn = await withdraw()
        var (isRevoked, failure) = (false, withdrawn.failure as (any Error)?)
        do { isRevoked = try await revoke(withdrawn) } catch { failure = failure ?? error }
        // A sign-in that came meanwhile ends, too.
        while let running { _ = try? await running.value }
        (access, unsaved, signIn) = (nil, nil, nil)
        try await records.removeRefresh()
        try await records.removeAccess()
        if keepsKey { try await records.removeKey() }
        if let failure { throw failure }
        return isRevoked
    }
}

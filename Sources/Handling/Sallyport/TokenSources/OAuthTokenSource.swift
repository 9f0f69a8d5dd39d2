internal import ChallengeHandling
public import CredentialStores
internal import Hostnames
internal import NTLM
internal import Secrets
internal import TokenProofs
public import Tokens

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
    let clock: @Sendable () -> Int64
    let send: Sender
    /// Makes proofs of possession, with the nonce of the service; `nil` for bearer tokens.
    private var proofs: ProofOfPossession?

    /// The token of the last grant.
    private var access: AccessToken?
    private var found: OAuthService?
    /// The refresh token of the last grant, while the store could not save it.
    private var unsaved: SharedSecret?
    private var running: Task<AccessToken?, any Error>?
    private var isSigningOut = false
    private var unkept: (@Sendable (any Error) -> Void)?

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - name: names the refresh token in the store; two sources of one service need two names.
    ///   - client: the application and its token endpoint.
    ///   - grant: what a token is asked for with.
    ///   - wish: the scope and the resources to ask for.
    ///   - revocationEndpoint: where a sign-out takes tokens back; `nil` if the service has no such endpoint.
    ///   - requiresTLS: whether the tokens never go over plain http, also if their place allows clear text.
    ///   - store: keeps the refresh token; the default keeps it until the process ends.
    ///   - keys: sign assertions of the client, and proofs for tokens that are bound to a key.
    ///   - send: sends a request to the service.
    public init(
        _ name: String,
        client: OAuthClient,
        grant: Grant,
        wish: OAuthClient.Wish = OAuthClient.Wish(),
        revocationEndpoint: ServiceURL? = nil,
        requiresTLS: Bool = true,
        store: any CredentialStore = MemoryCredentialStore(),
        keys: ClientKeys = ClientKeys(),
        send: @escaping Sender
    ) {
        self.init(
            name,
            client: client,
            grant: grant,
            wish: wish,
            revocationEndpoint: revocationEndpoint,
            requiresTLS: requiresTLS,
            store: store,
            keys: keys,
            clock: { FileTime.now.unixSeconds },
            send: send
        )
    }

    init(
        _ name: String,
        client: OAuthClient,
        grant: Grant,
        wish: OAuthClient.Wish = OAuthClient.Wish(),
        revocationEndpoint: ServiceURL? = nil,
        requiresTLS: Bool = true,
        store: any CredentialStore = MemoryCredentialStore(),
        keys: ClientKeys = ClientKeys(),
        clock: @escaping @Sendable () -> Int64,
        send: @escaping Sender
    ) {
        self.name = name
        self.grant = grant
        self.wish = wish
        self.requiresTLS = requiresTLS
        records = TokenRecords(
            name: name,
            store: store,
            place: client.tokenEndpoint.origin,
            realm: nil,
            issuer: nil,
            clock: clock
        )
        self.keys = keys
        self.clock = clock
        self.send = send
        proofs = keys.proof.map { ProofOfPossession($0) }
        find = { OAuthService(client: client, revocationEndpoint: revocationEndpoint) }
    }

    /// Makes a source of an issuer whose endpoints are found when a token is needed that the store does not have.
    ///
    /// The store keeps the access token, too, so that several short runs of a program use one token.
    ///
    /// - Parameters:
    ///   - name: names the tokens in the store; two sources of one issuer need two names.
    ///   - issuer: the service. The store has the tokens under its origin; for an issuer with a path the path is their realm.
    ///   - grant: what a token is asked for with.
    ///   - wish: the scope and the resources to ask for.
    ///   - requiresTLS: whether the tokens never go over plain http, also if their place allows clear text.
    ///   - store: keeps the tokens.
    ///   - service: finds the endpoints and the secret of the client, for example by ``ServiceDiscovery``. Called until it succeeds once.
    ///   - keys: sign assertions of the client, and proofs for tokens that are bound to a key.
    ///   - send: sends a request to the service.
    public init(
        _ name: String,
        issuer: ServiceURL,
        grant: Grant,
        wish: OAuthClient.Wish = OAuthClient.Wish(),
        requiresTLS: Bool = true,
        store: any CredentialStore,
        keys: ClientKeys = ClientKeys(),
        service: @escaping @Sendable () async throws -> OAuthService,
        send: @escaping Sender
    ) {
        self.init(
            name,
            issuer: issuer,
            grant: grant,
            wish: wish,
            requiresTLS: requiresTLS,
            store: store,
            keys: keys,
            service: service,
            clock: { FileTime.now.unixSeconds },
            send: send
        )
    }

    init(
        _ name: String,
        issuer: ServiceURL,
        grant: Grant,
        wish: OAuthClient.Wish,
        requiresTLS: Bool,
        store: any CredentialStore,
        keys: ClientKeys = ClientKeys(),
        service: @escaping @Sendable () async throws -> OAuthService,
        clock: @escaping @Sendable () -> Int64,
        send: @escaping Sender
    ) {
        self.name = name
        self.grant = grant
        self.wish = wish
        self.requiresTLS = requiresTLS
        records = TokenRecords(
            name: name,
            store: store,
            place: issuer.origin,
            realm: issuer.storeRealm,
            issuer: "\(issuer)",
            clock: clock
        )
        self.keys = keys
        self.clock = clock
        self.send = send
        proofs = keys.proof.map { ProofOfPossession($0) }
        find = service
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
    /// - Throws: also the store's error, if it keeps only one of them.
    public func signedIn(_ grant: TokenGrant) async throws {
        // A request with the token of an earlier sign-in would take the place of this one. Those that come now wait for it.
        while let running { _ = try? await running.value }
        let task = Task<AccessToken?, any Error> {
            defer { running = nil }
            return try await exchanged(for: grant)
        }
        running = task
        _ = try await task.value
    }

    /// Takes the tokens back at the service: the refresh token if there is one, and the access token otherwise. Then, and also if the
    /// service fails, the store forgets the refresh token.
    public func signOut() async throws -> Bool {
        isSigningOut = true
        defer { isSigningOut = false }
        // A request that runs brings the refresh token to take back.
        _ = try? await running?.value
        let last = access
        access = nil
        var (isRevoked, failure) = (false, nil as (any Error)?)
        // So that no other process gets a token that this one does not take back.
        do { isRevoked = try await records.alone { try await revoke(last) } } catch { failure = error }
        // A sign-in that came meanwhile ends, too.
        while let running { _ = try? await running.value }
        (access, unsaved) = (nil, nil)
        try await records.removeRefresh()
        try await records.removeAccess()
        if let failure { throw failure }
        return isRevoked
    }

    // MARK: - Getting tokens

    private func renewal(replacing old: SharedSecret?) -> Task<AccessToken?, any Error> {
        if let running { return running }
        let task = Task<AccessToken?, any Error> {
            defer { running = nil }
            // Two processes would use one refresh token twice, for which services take back all tokens of the sign-in.
            return try await records.alone { try await renewed(replacing: old) }
        }
        running = task
        return task
    }

    /// The tokens of a sign-in in place of all others.
    private func exchanged(for grant: TokenGrant) async throws -> AccessToken {
        try await records.alone {
            // Those of an earlier sign-in belong to another grant, and perhaps to another user. They go first, so that an end of the process
            // leaves none of them beside one of these.
            (access, unsaved) = (nil, nil)
            try await records.removeAccess()
            if grant.refresh == nil { try await records.removeRefresh() }
            return try await keep(grant, replacing: nil) { throw $0 }
        }
    }

    private func renewed(replacing old: SharedSecret?) async throws -> AccessToken? {
        if let old, let only = try await onlyToken(), only.secret.isSame(as: old), only.isValid(at: clock()) {
            // It may open other pages than the one that refused it.
            access = only
            return nil
        }
        // It was refused or has ended, so it is not used again if the service has no other one.
        let last = access?.secret
        access = nil
        if let kept = try await storedToken()?.access {
            // Of an earlier run of the program, or of another process that has replaced the token meanwhile.
            if kept.isValid(at: clock()), ![old, last].contains(where: { $0?.isSame(as: kept.secret) ?? false }) {
                access = kept
                return kept
            }
            try await records.removeAccess()
        }
        switch grant {
        case .clientCredentials:
            return try await granted(by: service().client, replacing: nil) { $0.clientCredentials(wish) }
        case .refreshToken: return try await refreshed()
        }
    }

    /// The token in use or in the store; `nil` if the service can give another one without a new sign-in.
    private func onlyToken() async throws -> AccessToken? {
        guard grant == .refreshToken, try await refreshToken() == nil else { return nil }
        if let access { return access }
        return try await storedToken()?.access
    }

    /// The service; looked for until it is found once.
    private func service() async throws -> OAuthService {
        if let found { return found }
        let service = try await find()
        found = service
        return service
    }

    private func refreshed() async throws -> AccessToken {
        guard let first = try await refreshToken() else { throw OAuthTokenError.notSignedIn(name) }
        let client = try await service().client
        do {
            return try await granted(by: client, replacing: first) { $0.refresh(first, wish) }
        } catch TokenServiceError.refused(let refusal) where refusal.code == .invalidGrant {
            // Another process with the same store may have used the token, and stored the next one.
            guard let next = try await refreshToken(), !next.isSame(as: first) else {
                // The service never takes it again.
                try await records.removeRefresh()
                throw TokenServiceError.refused(refusal)
            }
            return try await granted(by: client, replacing: next) { $0.refresh(next, wish) }
        }
    }

    /// Makes a request of a client, which may have an assertion for this request alone.
    private typealias Making = (OAuthClient) -> TokenRequest

    private func granted(
        by client: OAuthClient,
        replacing refresh: SharedSecret?,
        _ make: Making
    ) async throws -> AccessToken {
        // Before the request, so that a slow response does not lengthen the token's life.
        let now = clock()
        let grant = try client.grant(from: await answer(by: client, make), replacing: refresh, at: now)
        // A service that ignores proofs would leave a token that everybody can use (RFC 9449 section 5).
        if proofs != nil, grant.access.kind != .dpop { throw OAuthTokenError.notBound(name) }
        // The request for which it was granted does not end with the store's error, because the next run of the program can get another token.
        return try await keep(grant, replacing: refresh) { unkept?($0) }
    }

    /// The response to a request; it is sent again if the service first wants its nonce in the proof, which it checks before the grant.
    private func answer(by client: OAuthClient, _ make: Making) async throws -> TokenResponse {
        let request = signed(client, make)
        let response = try await send(request)
        guard proofs?.wantsAgain(response, from: request.url.origin) == true else { return response }
        return try await send(signed(client, make))
    }

    private func signed(_ client: OAuthClient, _ make: Making) -> TokenRequest {
        let now = clock()
        let request = make(keys.asserting(client, at: now))
        return proofs?.request(request, at: now) ?? request
    }

    /// Stores the refresh token, and only then lets the access token be used.
    ///
    /// - Parameter failed: called with the store's error if the access token cannot be kept.
    private func keep(
        _ grant: TokenGrant,
        replacing refresh: SharedSecret?,
        _ failed: (any Error) throws -> Void
    ) async throws -> AccessToken {
        if let next = grant.refresh, refresh.map({ !$0.isSame(as: next) }) ?? true {
            unsaved = next
            try await save(next)
        }
        let (granted, requiresTLS) = (grant.access, requiresTLS)
        let token = AccessToken(
            granted.secret,
            kind: granted.kind,
            expiry: granted.expiry,
            scope: granted.scope,
            requiresTLS: granted.requiresTLS && requiresTLS
        )
        access = token
        do { try await records.save(token) } catch { try failed(error) }
        return token
    }

    // MARK: - The refresh token

    /// The refresh token in the store; each time anew, because other processes rotate it too.
    private func refreshToken() async throws -> SharedSecret? {
        if let unsaved {
            try await save(unsaved)
            return unsaved
        }
        return try await records.refresh()
    }

    private func save(_ refresh: SharedSecret) async throws {
        try await records.save(refresh: refresh)
        unsaved = nil
    }

    private func revoke(_ access: AccessToken?) async throws -> Bool {
        // Of the two the refresh token is worth more, and takes its access tokens along (RFC 7009 section 2.1).
        var refresh = unsaved
        if refresh == nil, grant == .refreshToken { refresh = try await refreshToken() }
        let kept = refresh == nil && access == nil ? try await storedToken()?.access : access
        guard let token = refresh ?? kept?.secret else { return false }
        let service = try await service()
        guard let endpoint = service.revocationEndpoint else { return false }
        let isRefresh = refresh != nil
        let response = try await answer(by: service.client) { $0.revocation(token, isRefresh: isRefresh, at: endpoint) }
        try service.client.checkRevocation(response)
        return true
    }
}

extension ServiceURL {
    /// The realm under which a store has what belongs to this issuer; `nil` for an issuer that has its origin for itself. Issuers of one origin
    /// with different paths are different services, such as the tenants of one host.
    package var storeRealm: String? { path == "/" ? nil : path }
}

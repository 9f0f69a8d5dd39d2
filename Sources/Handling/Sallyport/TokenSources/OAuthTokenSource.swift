public import CredentialStores
internal import Hostnames
internal import NTLM
internal import Secrets
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
    let client: OAuthClient
    let grant: Grant
    let wish: OAuthClient.Wish
    /// Where tokens are taken back; `nil` if the service has no such endpoint.
    let revocationEndpoint: ServiceURL?
    let requiresTLS: Bool
    let store: any CredentialStore
    let clock: @Sendable () -> Int64
    let send: Sender

    /// The token of the last grant.
    private var access: AccessToken?
    /// The refresh token of the last grant, while the store could not save it.
    private var unsaved: SharedSecret?
    private var running: Task<AccessToken, any Error>?
    private var isSigningOut = false

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
    ///   - send: sends a request to the service.
    public init(
        _ name: String,
        client: OAuthClient,
        grant: Grant,
        wish: OAuthClient.Wish = OAuthClient.Wish(),
        revocationEndpoint: ServiceURL? = nil,
        requiresTLS: Bool = true,
        store: any CredentialStore = MemoryCredentialStore(),
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
        clock: @escaping @Sendable () -> Int64,
        send: @escaping Sender
    ) {
        self.name = name
        self.client = client
        self.grant = grant
        self.wish = wish
        self.revocationEndpoint = revocationEndpoint
        self.requiresTLS = requiresTLS
        self.store = store
        self.clock = clock
        self.send = send
    }

    /// The token in use, or the next one if that was refused or has ended.
    ///
    /// - Throws: ``OAuthTokenError``, `TokenServiceError`, `CredentialStoreError`, or what the sender throws.
    public func token(for question: TokenQuestion) async throws -> AccessToken? {
        guard !isSigningOut else { throw OAuthTokenError.notSignedIn(name) }
        if let access, access.isValid(at: clock()), question.replaced.map({ !$0.isSame(as: access.secret) }) ?? true {
            return access
        }
        return try await renewal().value
    }

    /// Takes what the service has granted after a sign-in of the user. The refresh token is in the store when this returns.
    public func signedIn(_ grant: TokenGrant) async throws {
        // A request with the token of an earlier sign-in would take the place of this one.
        _ = try? await running?.value
        try await keep(grant, replacing: nil)
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
        do { isRevoked = try await revoke(last) } catch { failure = error }
        unsaved = nil
        try await store.remove(recordName)
        if let failure { throw failure }
        return isRevoked
    }

    // MARK: - Getting tokens

    private func renewal() -> Task<AccessToken, any Error> {
        if let running { return running }
        let task = Task {
            defer { running = nil }
            return try await renewed()
        }
        running = task
        return task
    }

    private func renewed() async throws -> AccessToken {
        // It was refused or has ended, so it is not used again if the service has no other one.
        access = nil
        switch grant {
        case .clientCredentials: return try await granted(client.clientCredentials(wish), replacing: nil)
        case .refreshToken: return try await refreshed()
        }
    }

    private func refreshed() async throws -> AccessToken {
        guard let first = try await refreshToken() else { throw OAuthTokenError.notSignedIn(name) }
        do {
            return try await granted(client.refresh(first, wish), replacing: first)
        } catch TokenServiceError.refused(let refusal) where refusal.code == .invalidGrant {
            // Another process with the same store may have used the token, and stored the next one.
            guard let next = try await refreshToken(), !next.isSame(as: first) else {
                // The service never takes it again.
                try await store.remove(recordName)
                throw TokenServiceError.refused(refusal)
            }
            return try await granted(client.refresh(next, wish), replacing: next)
        }
    }

    private func granted(_ request: TokenRequest, replacing refresh: SharedSecret?) async throws -> AccessToken {
        // Before the request, so that a slow response does not lengthen the token's life.
        let now = clock()
        return try await keep(client.grant(from: send(request), replacing: refresh, at: now), replacing: refresh)
    }

    /// Stores the refresh token, and only then lets the access token be used.
    @discardableResult
    private func keep(_ grant: TokenGrant, replacing refresh: SharedSecret?) async throws -> AccessToken {
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
        return token
    }

    // MARK: - The refresh token

    private var recordName: CredentialName {
        CredentialName(space: .origin(client.tokenEndpoint.origin), user: name, kind: .refreshToken)
    }

    /// The refresh token in the store; each time anew, because other processes rotate it too.
    private func refreshToken() async throws -> SharedSecret? {
        if let unsaved {
            try await save(unsaved)
            return unsaved
        }
        let query = CredentialQuery(origin: client.tokenEndpoint.origin, user: name, kind: .refreshToken)
        return try await store.credentials(for: query, at: clock()).first { $0.name == recordName }?.secret
    }

    private func save(_ refresh: SharedSecret) async throws {
        try await store.save(StoredCredential(name: recordName, secret: refresh, created: clock()))
        unsaved = nil
    }

    private func revoke(_ access: AccessToken?) async throws -> Bool {
        guard let revocationEndpoint else { return false }
        // Of the two the refresh token is worth more, and takes its access tokens along (RFC 7009 section 2.1).
        var refresh = unsaved
        if refresh == nil, grant == .refreshToken { refresh = try await refreshToken() }
        guard let token = refresh ?? access?.secret else { return false }
        let request = client.revocation(token, isRefresh: refresh != nil, at: revocationEndpoint)
        try client.checkRevocation(try await send(request))
        return true
    }
}

/// Why an ``OAuthTokenSource`` has no token without asking its service.
public enum OAuthTokenError: Error, Equatable, Sendable {
    /// There is no refresh token for the source of this name.
    case notSignedIn(String)
}

extension OAuthTokenError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .notSignedIn(let name): "\(name): no refresh token is stored: sign in"
        }
    }
}

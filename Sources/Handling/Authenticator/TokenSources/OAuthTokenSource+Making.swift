internal import ChallengeHandling
public import CredentialStores
internal import HTTPAuthentication
internal import Hostnames
public import OAuth
internal import WireFormat

extension OAuthTokenSource {
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
    ///   - keepsKey: whether tokens are bound to a key (RFC 9449) that the store keeps with them. A key of `keys` takes its place.
    ///   - signInLimit: how many seconds a user stays signed in, also over refreshes and restarts; `nil` for no limit.
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
        keepsKey: Bool = false,
        signInLimit: Int64? = nil,
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
            keepsKey: keepsKey,
            signInLimit: signInLimit,
            clock: { SystemClock.unixSeconds },
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
        keepsKey: Bool = false,
        signInLimit: Int64? = nil,
        clock: @escaping @Sendable () -> Int64,
        send: @escaping Sender
    ) {
        self.init(
            grant,
            wish,
            requiresTLS: requiresTLS,
            records: TokenRecords(
                name: name,
                store: store,
                place: client.tokenEndpoint.origin,
                realm: nil,
                issuer: nil,
                clock: clock
            ),
            keys: keys,
            keepsKey: keepsKey,
            signInLimit: signInLimit,
            clock: clock,
            find: { OAuthService(client: client, revocationEndpoint: revocationEndpoint) },
            send: send
        )
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
    ///   - keepsKey: whether tokens are bound to a key (RFC 9449) that the store keeps with them. A key of `keys` takes its place.
    ///   - signInLimit: how many seconds a user stays signed in, also over refreshes and restarts; `nil` for no limit.
    ///   - send: sends a request to the service.
    public init(
        _ name: String,
        issuer: ServiceURL,
        grant: Grant,
        wish: OAuthClient.Wish = OAuthClient.Wish(),
        requiresTLS: Bool = true,
        store: any CredentialStore,
        keys: ClientKeys = ClientKeys(),
        keepsKey: Bool = false,
        signInLimit: Int64? = nil,
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
            keepsKey: keepsKey,
            signInLimit: signInLimit,
            service: service,
            clock: { SystemClock.unixSeconds },
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
        keepsKey: Bool = false,
        signInLimit: Int64? = nil,
        service: @escaping @Sendable () async throws -> OAuthService,
        clock: @escaping @Sendable () -> Int64,
        send: @escaping Sender
    ) {
        self.init(
            grant,
            wish,
            requiresTLS: requiresTLS,
            records: TokenRecords(
                name: name,
                store: store,
                place: issuer.origin,
                realm: issuer.storeRealm,
                issuer: "\(issuer)",
                clock: clock
            ),
            keys: keys,
            keepsKey: keepsKey,
            signInLimit: signInLimit,
            clock: clock,
            find: service,
            send: send
        )
    }
}

extension ServiceURL {
    /// The realm under which a store has what belongs to this issuer; `nil` for an issuer that has its origin for itself. Issuers of one origin
    /// with different paths are different services, such as the tenants of one host.
    package var storeRealm: String? { path == "/" ? nil : path }
}

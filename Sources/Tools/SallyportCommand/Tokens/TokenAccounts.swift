internal import ClientCertificates
internal import CredentialSources
internal import CredentialStores
internal import Hostnames
internal import OAuth
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import SallyportClient
internal import Secrets
internal import TokenProofs
internal import WireFormat

/// The token sources of a profile's accounts. The store is opened, and a service is asked for its endpoints, when a token is needed.
struct TokenAccounts: Sendable {
    let accounts: [TokenAccount]
    /// All accounts of the profile: one may get its tokens by another one's.
    let known: [TokenAccount]
    let service: TokenService
    let store: Once<any CredentialStore>
    /// The rules, which say where client certificates go.
    let current: CurrentHandler
    /// Gets to know the servers of an OAuth service before a request to them.
    var found: @Sendable (ServerMetadata) throws -> Void = { _ in }

    /// The places of the accounts, with their sources.
    var places: [AccountPlace] {
        // One source for a portal and the servers that are federated with it.
        var sources: [String: any TokenSource] = [:]
        for account in known where account.portal != nil {
            sources[account.name] = StoredTokens { try await source(of: account, portals: [:]) }
        }
        return accounts.map { [sources] account in
            var place = AccountPlace(name: account.name, sites: account.sites)
            // Without its token an account with wider rules would answer, so the token comes before the request.
            place.sendsTokenFirst = true
            place.allowsCleartext = account.allowsCleartext
            place.placement = account.placement
            place.tokens = sources[account.name] ?? StoredTokens { try await source(of: account, portals: sources) }
            place.readsArcGISErrors = account.portal != nil
            if case .arcGIS(let account) = account {
                (place.readsArcGISErrors, place.referer) = (true, account.referer)
            }
            return place
        }
    }

    /// The source of an account, by the sources of portals by the names of their accounts.
    func source(of account: TokenAccount, portals: [String: any TokenSource]) async throws -> any TokenSource {
        switch account {
        case .oauth(let account): try await source(of: account)
        case .arcGIS(let account): try await source(of: account, portals: portals)
        }
    }

    /// The source of an account.
    ///
    /// - Throws: ``TokenProblem`` if the profile names no issuer, or what opening the store throws.
    func source(of account: OAuthAccount) async throws -> OAuthTokenSource {
        guard let issuer = account.issuer else { throw TokenProblem.noIssuer(account.name) }
        // A key that cannot be read is an error where the service is needed, and not where a sign-out clears the store.
        let keys = Result { try self.keys(of: account, issuer) }
        let source = OAuthTokenSource(
            account.name,
            issuer: issuer,
            grant: account.grant == .clientCredentials ? .clientCredentials : .refreshToken,
            wish: account.wish,
            requiresTLS: !account.allowsCleartext,
            store: try await store.value,
            keys: (try? keys.get()) ?? ClientKeys(),
            keepsKey: account.bindsTokens,
            signInLimit: account.signedInSeconds,
            service: { [self] in
                _ = try keys.get()
                let metadata = try await metadata(of: account, issuer)
                return OAuthService(
                    client: try await client(of: account, issuer, metadata),
                    revocationEndpoint: metadata.revocationEndpoint
                )
            },
            send: { [service] in try await service.send($0) }
        )
        let name = account.name.inOneLine
        await source.reportUnkept { error in
            StandardError.write("'\(name)': the new token is used, and not kept: \("\(error)".inOneLine)\n")
        }
        return source
    }

    /// What the service of an account says of itself, with the endpoints that the account's client uses.
    func metadata(of account: OAuthAccount, _ issuer: ServiceURL) async throws -> ServerMetadata {
        var metadata =
            account.dialect == .arcGIS
            ? ServerMetadata(ArcGISPortal(root: issuer)) : try await discovery.metadata(of: issuer)
        if case .certificate = account.proof { metadata = try metadata.forCertificates() }
        if account.bindsTokens, let algorithms = metadata.proofAlgorithms, !algorithms.contains("ES256") {
            throw TokenProblem.otherProofs(account.name, algorithms: algorithms)
        }
        try found(metadata)
        return metadata
    }

    /// The keys with which an account's client proves itself.
    func keys(of account: OAuthAccount, _ issuer: ServiceURL) throws -> ClientKeys {
        guard case .key(let file) = account.proof else { return ClientKeys() }
        let key: IdentityKey
        do throws(IdentityError) {
            key = try IdentityKey(reading: file.path, passphrase: file.passphrase)
        } catch {
            throw error.problem == .passphraseNeeded ? TokenProblem.encryptedKey(file.path) : error
        }
        guard let signing = Self.signing(key, file.algorithm) else {
            throw TokenProblem.otherKey(file.path, kind: "\(key.kind)", algorithm: file.algorithm)
        }
        return ClientKeys(
            assertion: signing,
            assertionKeyID: file.id,
            // By its own name alone, a false service cannot show the assertion to the true one.
            audience: file.audience ?? .named(issuer.spelling)
        )
    }

    /// - Parameter algorithm: how an RSA key signs; `nil` for the default, and for other keys.
    private static func signing(_ key: IdentityKey, _ algorithm: String?) -> AssertionKey? {
        switch (key.kind, algorithm) {
        case (.p256, nil): ES256Key(pkcs8: key.pkcs8).map { .es256($0) }
        case (.rsa, _):
            RSATokenKey.Algorithm(rawValue: algorithm ?? RSATokenKey.Algorithm.rs256.rawValue)
                .flatMap { RSATokenKey(pkcs8: key.pkcs8, algorithm: $0) }.map { .rsa($0) }
        default: nil
        }
    }

    var discovery: ServiceDiscovery { ServiceDiscovery { [service] in try await service.send($0) } }

    /// The application of an account, with its secret.
    func client(
        of account: OAuthAccount,
        _ issuer: ServiceURL,
        _ metadata: ServerMetadata
    ) async throws -> OAuthClient {
        var authentication = OAuthClient.Authentication.none
        if case .secret(let source, let inBody) = account.proof {
            let secret: SharedSecret
            switch source {
            case .place(let place): secret = try place.load()
            case .store:
                guard let kept = try await keptSecret(of: account, issuer) else {
                    throw TokenProblem.noSecret(account.name)
                }
                secret = kept
            }
            authentication = inBody ? .post(secret) : .basic(secret)
        }
        if case .certificate = account.proof {
            try checkCertificate(for: metadata.tokenEndpoint.origin, account)
            authentication = .certificate
        }
        return OAuthClient(
            id: account.client,
            authentication: authentication,
            tokenEndpoint: metadata.tokenEndpoint,
            dialect: account.dialect
        )
    }

    /// Without a certificate the service would refuse the client, and say nothing of a certificate.
    private func checkCertificate(for origin: Origin, _ account: OAuthAccount) throws {
        if case .none = current.handler.identityChoice(for: origin, .unknown, at: SystemClock.unixSeconds) {
            throw TokenProblem.noCertificate(account.name, origin: "\(origin)")
        }
    }

    /// The name of the record with the secret of an account's application.
    static func secretName(of account: OAuthAccount, _ issuer: ServiceURL) -> CredentialName {
        let space = issuer.storeRealm.map { CredentialSpace.realm($0, of: issuer.origin) } ?? .origin(issuer.origin)
        return CredentialName(space: space, user: account.client, kind: .clientSecret)
    }

    func keptSecret(of account: OAuthAccount, _ issuer: ServiceURL) async throws -> SharedSecret? {
        let query = CredentialQuery(
            origin: issuer.origin,
            realm: issuer.storeRealm,
            user: account.client,
            kind: .clientSecret
        )
        return try await store.value.credentials(for: query, at: SystemClock.unixSeconds).first?.secret
    }
}

/// Tokens of a source that is made when a request needs one.
struct StoredTokens: TokenSource {
    private let source: Once<any TokenSource>

    init(_ make: @escaping @Sendable () async throws -> any TokenSource) { source = Once(make) }

    func token(for question: TokenQuestion) async throws -> AccessToken? {
        try await source.value.token(for: question)
    }

    func signOut() async throws -> Bool { try await source.value.signOut() }
}

internal import CredentialSources
internal import CredentialStores
internal import OAuth
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import SallyportClient
internal import Secrets
internal import WireFormat

/// The token sources of a profile's OAuth accounts. The store is opened, and a service is asked for its endpoints, when a token is needed.
struct TokenAccounts: Sendable {
    let accounts: [OAuthAccount]
    let service: TokenService
    let store: Once<any CredentialStore>

    /// The places of the accounts, with their sources.
    var places: [AccountPlace] {
        accounts.map { account in
            var place = AccountPlace(name: account.name, sites: account.sites)
            // Without its token an account with wider rules would answer, so the token comes before the request.
            place.sendsTokenFirst = true
            place.allowsCleartext = account.allowsCleartext
            place.tokens = StoredTokens(account, self)
            return place
        }
    }

    /// The source of an account.
    ///
    /// - Throws: ``TokenProblem`` if the profile names no issuer, or what opening the store throws.
    func source(of account: OAuthAccount) async throws -> OAuthTokenSource {
        guard let issuer = account.issuer else { throw TokenProblem.noIssuer(account.name) }
        let source = OAuthTokenSource(
            account.name,
            issuer: issuer,
            grant: account.grant == .clientCredentials ? .clientCredentials : .refreshToken,
            wish: account.wish,
            requiresTLS: !account.allowsCleartext,
            store: try await store.value,
            service: { [self] in
                let metadata = try await discovery.metadata(of: issuer)
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
        return OAuthClient(id: account.client, authentication: authentication, tokenEndpoint: metadata.tokenEndpoint)
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
    private let source: Once<OAuthTokenSource>

    init(_ account: OAuthAccount, _ accounts: TokenAccounts) {
        source = Once { try await accounts.source(of: account) }
    }

    func token(for question: TokenQuestion) async throws -> AccessToken? {
        try await source.value.token(for: question)
    }

    func signOut() async throws -> Bool { try await source.value.signOut() }
}

/// Why a verb about tokens cannot do its work.
enum TokenProblem: Error, Equatable {
    case noAccount(String)
    case noAccounts(profile: String)
    case noIssuer(String)
    case noDescription(issuer: String, reason: String)
    case issuerFound(String, issuer: String)
    case noSecret(String)
    case noDevicePage(String)
    case notOfUser(String)
    case notDecided(seconds: Int)
    case browser(String)
}

extension TokenProblem: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        switch self {
        case .noAccount(let text):
            "\(text.inOneLine): the profile has no account with 'oauth' of this name or for this URL: check the profile"
        case .noAccounts(let profile): "\(profile.inOneLine): no account has 'oauth': add one"
        case .noIssuer(let name):
            "\(name.inOneLine): the account has no 'issuer': sallyport login finds the service that its resource names"
        case .noDescription(let issuer, let reason):
            "\(issuer.inOneLine): the service does not describe itself as RFC 8414 asks: \(reason)"
        case .issuerFound(let name, let issuer):
            "\(name.inOneLine): the resource names the service \(issuer.inOneLine): if that is right, write 'issuer: \(issuer.inOneLine)' into the profile"
        case .noSecret(let name):
            "\(name.inOneLine): the store has no secret of the client: sallyport login asks for it"
        case .noDevicePage(let name):
            "\(name.inOneLine): the service has no sign-in on another device: leave --device out"
        case .notOfUser(let name):
            "\(name.inOneLine): the application signs in itself, without a person: leave --device and --browser out"
        case .notDecided(let seconds): "the code was not typed in \(seconds) s: begin again, or raise --wait"
        case .browser(let reason):
            "--browser: xdg-open cannot be started (\(reason.inOneLine)): open the address yourself"
        }
    }
}

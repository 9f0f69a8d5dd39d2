internal import ChallengeHandling
public import CredentialStores
internal import Credentials
internal import HTTPAuthentication
internal import Hostnames
public import OAuth
public import Secrets
internal import WireFormat

/// Gets tokens of `generateToken` from an ArcGIS portal or server: for a user with a password, or for a federated server by a token of its
/// portal.
///
/// ```swift
/// let portal = ArcGISPortal(root: try ServiceURL("https://gis.acme.example/portal/sharing/rest"))
/// let user = ArcGISTokenSource("portal", portal, grant: .password(user: "jdoe", password)) { try await service.send($0) }
/// let server = ArcGISTokenSource("server", portal, grant: .federated(server: url, portal: user)) { try await service.send($0) }
/// ```
///
/// Users and applications of OAuth have an `OAuthTokenSource` with a client of `ArcGISPortal.oauthClient(id:authentication:)`.
///
/// A password that the service refuses is not sent again. At most one request runs at a time.
public actor ArcGISTokenSource: TokenSource {
    /// What a token is asked for with.
    public enum Grant: Sendable {
        /// User and password.
        case password(user: String, SharedSecret)
        /// The token that `portal` brings, for the server of this URL.
        case federated(server: ServiceURL, portal: any TokenSource)
        /// The token that ``ArcGISTokenSource/signedIn(_:)`` has put into the store. At its end the user signs in again.
        case signIn
    }

    /// Names the account in errors.
    public nonisolated let name: String
    private let portal: ArcGISPortal
    private let client: ArcGISPortal.Client
    private let minutes: Int
    /// Keeps the tokens; `nil` if they end with the source.
    private let records: TokenRecords?
    private let clock: @Sendable () -> Int64
    private let send: OAuthTokenSource.Sender
    /// `nil` after a sign-out.
    private var grant: Grant?
    private var access: AccessToken?
    private var running: Task<AccessToken, any Error>?
    /// Why the service refused the password.
    private var refusal: OAuthRefusal?
    /// Counts sign-outs: a token that was asked for before one is dropped.
    private var signOuts = 0

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - name: names the account in errors.
    ///   - portal: the portal, or the token service of a server that stands alone.
    ///   - grant: what a token is asked for with.
    ///   - client: whom the token serves. Name a referer in ``AccountPlace/referer`` as well.
    ///   - minutes: the lifetime to ask for; the service may shorten it.
    ///   - owner: whose tokens the store keeps: a token of another owner is not used.
    ///   - store: keeps the token for later runs of the program, under the origin of the portal; `nil` keeps it in the source.
    ///   - send: sends a request to the service.
    public init(
        _ name: String,
        _ portal: ArcGISPortal,
        grant: Grant,
        client: ArcGISPortal.Client = .requestAddress,
        minutes: Int = 60,
        owner: String = "",
        store: (any CredentialStore)? = nil,
        send: @escaping OAuthTokenSource.Sender
    ) {
        self.init(
            name,
            portal,
            grant: grant,
            client: client,
            minutes: minutes,
            owner: owner,
            store: store,
            clock: { SystemClock.unixSeconds },
            send: send
        )
    }

    init(
        _ name: String,
        _ portal: ArcGISPortal,
        grant: Grant,
        client: ArcGISPortal.Client = .requestAddress,
        minutes: Int = 60,
        owner: String = "",
        store: (any CredentialStore)? = nil,
        clock: @escaping @Sendable () -> Int64,
        send: @escaping OAuthTokenSource.Sender
    ) {
        (self.name, self.portal, self.grant, self.client, self.minutes) = (name, portal, grant, client, minutes)
        (self.clock, self.send) = (clock, send)
        records = store.map { store in
            TokenRecords(
                name: name,
                store: store,
                place: portal.root.origin,
                realm: portal.root.storeRealm,
                issuer: owner.isEmpty ? "\(portal.root)" : "\(portal.root) \(owner)",
                clock: clock
            )
        }
    }

    /// The token in use, or the next one if that was refused or has ended.
    ///
    /// - Throws: `TokenServiceError`, ``OAuthTokenError/notSignedIn(_:)`` after a sign-out, or what the sender throws.
    public func token(for question: TokenQuestion) async throws -> AccessToken? {
        if let access, access.isValid(at: clock()), question.replaced.map({ !$0.isSame(as: access.secret) }) ?? true {
            return access
        }
        if let running { return try await running.value }
        let task = Task {
            defer { running = nil }
            return try await renewed(replacing: question.replaced)
        }
        running = task
        return try await task.value
    }

    /// The token that the store keeps, also one that has ended; `nil` without one.
    public func storedToken() async throws -> KeptToken? { try await records?.access() }

    /// Takes the token of a sign-in. It is in the store when this returns.
    public func signedIn(_ token: AccessToken) async throws {
        try await records?.save(token)
        access = token
    }

    /// Asks the service for a token, whatever the store has, and keeps it.
    public func signIn() async throws -> AccessToken {
        while let running { _ = try? await running.value }
        let task = Task {
            defer { running = nil }
            let token = try await granted()
            try await records?.save(token)
            return token
        }
        running = task
        return try await task.value
    }

    /// Forgets the password and the token, also that of the store. Esri's services take no such token back; it ends by itself.
    public func signOut() async throws -> Bool {
        signOuts += 1
        (access, grant, refusal) = (nil, nil, nil)
        try await records?.removeAccess()
        return false
    }

    private func renewed(replacing old: SharedSecret?) async throws -> AccessToken {
        let last = access?.secret
        access = nil
        if let kept = try await storedToken()?.access {
            // Of an earlier run of the program.
            if kept.isValid(at: clock()), ![old, last].contains(where: { $0?.isSame(as: kept.secret) ?? false }) {
                access = kept
                return kept
            }
            try await records?.removeAccess()
        }
        let token = try await granted()
        // The request does not end with the store's error, because the next run of the program can get another token.
        try? await records?.save(token)
        return token
    }

    private func granted() async throws -> AccessToken {
        let began = signOuts
        let token: AccessToken
        switch grant {
        case nil, .signIn: throw OAuthTokenError.notSignedIn(name)
        case .password(let user, let password): token = try await byPassword(user, password)
        case .federated(let server, let source): token = try await byPortal(source, for: server)
        }
        guard signOuts == began else { throw OAuthTokenError.notSignedIn(name) }
        access = token
        return token
    }

    private func byPassword(_ user: String, _ password: SharedSecret) async throws -> AccessToken {
        if let refusal { throw TokenServiceError.refused(refusal) }
        let request = portal.generateToken(user: user, password: password, for: client, minutes: minutes)
        do {
            return try portal.token(from: await send(request), at: clock())
        } catch TokenServiceError.refused(let said) {
            let refused = said.hiding([password])
            // Each try with a wrong password brings the account nearer to being locked. A service that is busy has not looked at it.
            if !["429", "500", "502", "503", "504"].contains(refused.code.rawValue) { refusal = refused }
            throw TokenServiceError.refused(refused)
        }
    }

    private func byPortal(_ source: any TokenSource, for server: ServiceURL) async throws -> AccessToken {
        let question = TokenQuestion(origin: portal.root.origin)
        guard let first = try await source.token(for: question) else { throw OAuthTokenError.notSignedIn(name) }
        do {
            return try await byPortal(first, for: server)
        } catch TokenServiceError.refused(let refused) where ["498", "499"].contains(refused.code.rawValue) {
            // The portal has taken its token back.
            var next = question
            next.replaced = first.secret
            guard let token = try await source.token(for: next) else { throw TokenServiceError.refused(refused) }
            return try await byPortal(token, for: server)
        }
    }

    private func byPortal(_ token: AccessToken, for server: ServiceURL) async throws -> AccessToken {
        let request = portal.serverToken(for: server, by: token, minutes: minutes)
        return try portal.token(from: await send(request), at: clock())
    }
}

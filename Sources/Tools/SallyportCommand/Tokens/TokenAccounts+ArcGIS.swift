internal import CredentialStores
internal import OAuth
internal import ProfileFiles
internal import Sallyport
internal import SallyportClient
internal import Secrets
internal import WireFormat

extension TokenAccounts {
    /// The source of an account of ArcGIS.
    ///
    /// - Parameter portals: the sources of portals, by the names of their accounts.
    func source(of account: ArcGISAccount, portals: [String: any TokenSource]) async throws -> any TokenSource {
        if case .token(let place, let end) = account.way {
            let now = SystemClock.unixSeconds
            if let end, end <= now { throw TokenProblem.tokenEnded(account.name, at: end) }
            return FixedTokenSource(
                AccessToken(try place.load(), expiry: end, requiresTLS: !account.allowsCleartext)
            )
        }
        return try await arcGISSource(of: account, portals: portals)
    }

    /// The source of an account whose tokens come from a portal.
    ///
    /// - Parameters:
    ///   - portals: the sources of portals, by the names of their accounts.
    ///   - grant: what a token is asked for with; `nil` for what the profile says.
    func arcGISSource(
        of account: ArcGISAccount,
        portals: [String: any TokenSource] = [:],
        grant: ArcGISTokenSource.Grant? = nil
    ) async throws -> ArcGISTokenSource {
        guard let portal = account.portal else { throw TokenProblem.needsNoSignIn(account.name) }
        var grant = grant
        if grant == nil { grant = try await self.grant(of: account, portals) }
        return ArcGISTokenSource(
            account.name,
            portal,
            grant: grant ?? .signIn,
            client: account.client,
            minutes: account.minutes,
            owner: account.owner,
            store: try await store.value,
            send: { [service] in try await service.send($0) }
        )
    }

    private func grant(
        of account: ArcGISAccount,
        _ portals: [String: any TokenSource]
    ) async throws -> ArcGISTokenSource.Grant {
        switch account.way {
        case .user(let user, let password):
            return try password.map { .password(user: user, try $0.load()) } ?? .signIn
        case .federated(let name, let server):
            if let portal = portals[name] { return .federated(server: server, portal: portal) }
            return .federated(server: server, portal: try await source(ofPortal: name))
        case .token: throw TokenProblem.needsNoSignIn(account.name)
        }
    }

    private func source(ofPortal name: String) async throws -> any TokenSource {
        guard let account = known.first(where: { $0.name == name && $0.portal != nil }) else {
            throw TokenProblem.noPortal(name)
        }
        return try await source(of: account, portals: [:])
    }
}

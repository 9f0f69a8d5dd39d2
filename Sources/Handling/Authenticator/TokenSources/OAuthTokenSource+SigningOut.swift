package import CredentialStores
internal import OAuth
internal import Secrets

/// What a source has forgotten, for its service to take back.
package struct WithdrawnToken: Sendable {
    let refresh: SharedSecret?
    let access: SharedSecret?
    /// Why the store may still have tokens.
    package let failure: CredentialStoreError?

    /// Whether there was a token.
    package var isToken: Bool { refresh != nil || access != nil }
}

extension OAuthTokenSource {
    /// Forgets the tokens, in memory and in the store. ``revoke(_:)`` follows, so that a process that is ended between the two leaves none.
    ///
    /// - Parameter isAlone: whether the caller keeps other processes from the store, and is itself the request that runs.
    package func withdraw(isAlone: Bool = false) async -> WithdrawnToken {
        // A request that runs brings the refresh token to take back.
        if !isAlone { _ = try? await running?.value }
        var (last, refresh) = (access?.secret, unsaved)
        (access, unsaved, signIn) = (nil, nil, nil)
        var failure: CredentialStoreError?
        do {
            // In the turn of this process, so that no other one gets a token that is not taken back.
            let found = try await isAlone ? taken() : records.alone { try await taken() }
            refresh = refresh ?? found.refresh
            last = last ?? found.access
        } catch {
            failure = error as? CredentialStoreError
        }
        return WithdrawnToken(refresh: refresh, access: last, failure: failure)
    }

    /// Takes the tokens out of the store.
    private func taken() async throws -> (refresh: SharedSecret?, access: SharedSecret?) {
        let refresh = grant == .refreshToken ? try await records.refresh() : nil
        let access = try await records.access()?.access.secret
        try await records.removeRefresh()
        try await records.removeAccess()
        if keepsKey { try await records.removeKey() }
        return (refresh, access)
    }

    /// Lets the service take the tokens back; returns whether it has.
    ///
    /// The access token is taken back, too: a service need not let it end with the refresh token (RFC 7009 section 2.1), and it is good for an hour
    /// at many. Esri's portals let both end. No service takes back an ID token.
    package func revoke(_ withdrawn: WithdrawnToken) async throws -> Bool {
        guard withdrawn.isToken else { return false }
        let service = try await service()
        guard let endpoint = service.revocationEndpoint else { return false }
        // First the one that is worth more.
        if let refresh = withdrawn.refresh {
            try await revoke(refresh, isRefresh: true, of: service.client, at: endpoint)
            guard service.client.dialect == .standard else { return true }
        }
        let isRevoked = withdrawn.refresh != nil
        guard let access = withdrawn.access, !wish.wantsIDToken else { return isRevoked }
        do {
            try await revoke(access, isRefresh: false, of: service.client, at: endpoint)
        } catch TokenServiceError.refused(let refusal) where refusal.code == .unsupportedTokenType {
            // RFC 7009 section 2.2.1: this service takes back refresh tokens alone.
            return isRevoked
        }
        return true
    }

    private func revoke(
        _ token: SharedSecret,
        isRefresh: Bool,
        of client: OAuthClient,
        at endpoint: ServiceURL
    ) async throws {
        let response = try await sender.answer(by: client) { $0.revocation(token, isRefresh: isRefresh, at: endpoint) }
        try client.checkRevocation(response)
    }
}

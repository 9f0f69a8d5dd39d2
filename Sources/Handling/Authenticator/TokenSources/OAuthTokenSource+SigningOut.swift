package import CredentialStores
internal import OAuth
internal import Secrets

/// What a source has forgotten, for its service to take back.
package struct WithdrawnToken: Sendable {
    /// The refresh token, or without one the access token; `nil` if there was neither.
    let token: SharedSecret?
    let isRefresh: Bool
    /// Why the store may still have tokens.
    package let failure: CredentialStoreError?

    /// Whether there was a token.
    package var isToken: Bool { token != nil }
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
        // Of the two the refresh token is worth more, and takes its access tokens along (RFC 7009 section 2.1).
        return WithdrawnToken(token: refresh ?? last, isRefresh: refresh != nil, failure: failure)
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

    /// Lets the service take a token back; returns whether it has.
    package func revoke(_ withdrawn: WithdrawnToken) async throws -> Bool {
        guard let token = withdrawn.token else { return false }
        let service = try await service()
        guard let endpoint = service.revocationEndpoint else { return false }
        let isRefresh = withdrawn.isRefresh
        let response = try await sender.answer(by: service.client) {
            $0.revocation(token, isRefresh: isRefresh, at: endpoint)
        }
        try service.client.checkRevocation(response)
        return true
    }
}

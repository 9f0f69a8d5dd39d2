internal import OAuth
internal import Secrets

/// The refresh token: in the store, which other processes use too, and at the service that takes it back.
extension OAuthTokenSource {
    /// The refresh token in the store; each time anew, because other processes rotate it too.
    func refreshToken() async throws -> SharedSecret? {
        if let unsaved {
            try await save(unsaved)
            return unsaved
        }
        return try await records.refresh()
    }

    func save(_ refresh: SharedSecret) async throws {
        try await records.save(refresh: refresh)
        unsaved = nil
    }

    func revoke(_ access: AccessToken?) async throws -> Bool {
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

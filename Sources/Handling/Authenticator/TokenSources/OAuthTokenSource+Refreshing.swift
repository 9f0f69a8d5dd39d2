internal import OAuth
internal import Secrets

/// The refresh token: in the store, which other processes use too.
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
        try await records.save(refresh: refresh, signIn: signIn ?? clock())
        unsaved = nil
    }

    // MARK: - The longest sign-in

    /// When the sign-in ends, in seconds since 1970; `nil` for no limit, without a sign-in, and for an application.
    ///
    /// - Throws: ``OAuthTokenError/signInEnded(_:)`` if it has; the tokens are gone then.
    func signInEnd() async throws -> Int64? {
        guard grant == .refreshToken else { return nil }
        // Each time anew, because the user may have signed in again by another process. An unsaved token is of this one.
        if unsaved == nil { signIn = try await records.signIn() ?? signIn }
        guard let signInLimit, let signIn else { return nil }
        let (end, now) = (signIn + signInLimit, clock())
        guard end <= now || now < signIn - TokenLimits.signInClockMargin else { return end }
        let withdrawn = await withdraw(isAlone: true)
        if let failure = withdrawn.failure { throw failure }
        // The sign-in has ended here, whatever the service says.
        _ = try? await revoke(withdrawn)
        throw OAuthTokenError.signInEnded(name)
    }
}

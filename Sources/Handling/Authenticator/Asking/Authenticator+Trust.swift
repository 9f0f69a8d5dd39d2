public import ChallengeHandling
internal import HTTPAuthentication
internal import Hostnames
internal import SPKIPins
internal import Synchronization

extension Authenticator {
    /// What to do after a server could not be verified. For clients: connect again, once, if this returns
    /// ``AuthenticatorAdvice/repeatRequest``.
    ///
    /// Requests that wait for the decision about one key share one question. A server that the pins of the profile refuse is not asked
    /// about.
    ///
    /// - Throws: ``AuthenticatorError``, `CancellationError`, `ProfileError`, or what the source throws.
    public func advice(on server: UntrustedServer) async throws -> AuthenticatorAdvice {
        let key = AuthenticatorState.ServerKey(host: server.origin.host, pin: server.pin)
        if let known = knownAdvice(on: server, key) { return known }
        guard let serverTrust else { return .deliver }
        return try await trustCalls.run(for: key) { [self] in
            // An equal question may have ended since.
            if let known = knownAdvice(on: server, key) { return known }
            let signOuts = state.withLock { $0.signOuts }
            let ask = CredentialAsk(source: .trust, origin: server.origin, party: .origin, account: nil)
            let reply = try await observed(ask, \.kind) { [self] in
                try await visibly { try await serverTrust(server) }
            }
            switch reply {
            case .cancel: return .deliver
            case .reject:
                state.withLock { $0.reject(key) }
                return .deliver
            case .trust(let until):
                guard until > clock() else { return .deliver }
                try trust(TrustedKey(host: key.host, pin: key.pin, until: until), signOuts)
                return .repeatRequest
            }
        }
    }

    /// The advice without a question; `nil` if somebody has to decide.
    private func knownAdvice(on server: UntrustedServer, _ key: AuthenticatorState.ServerKey) -> AuthenticatorAdvice? {
        let (leaf, handler) = (server.chain[0], current.handler)
        if handler.trustsKey(of: leaf, at: key.host, now: clock()) { return .repeatRequest }
        let mayAsk =
            handler.pinsAllowKey(of: leaf, at: key.host, now: clock()) && !state.withLock { $0.isRejected(key) }
        return mayAsk ? nil : .deliver
    }

    /// Whether a source decides about servers that no authority vouches for.
    package var asksAboutServers: Bool { serverTrust != nil }

    /// - Throws: `CancellationError` if there was a sign-out since the question, or `ProfileError`.
    private func trust(_ key: TrustedKey, _ signOuts: UInt64) throws {
        // Before the profile changes, so that a sign-out in between knows of the key.
        let isCurrent = state.withLock { [now = clock()] state in
            guard state.signOuts == signOuts else { return false }
            state.trust(key, now: now)
            return true
        }
        guard isCurrent else { throw CancellationError() }
        try current.update(at: clock()) { profile in
            guard state.withLock({ $0.signOuts }) == signOuts else { return }
            profile.trustedKeys.removeAll { $0.host == key.host && $0.pin == key.pin }
            profile.trustedKeys.append(key)
        }
    }

    /// Takes keys that were trusted on a question out of the profile.
    func distrust(_ keys: [TrustedKey]) throws(ProfileError) {
        guard !keys.isEmpty else { return }
        try current.update(at: clock()) { profile in profile.trustedKeys.removeAll(where: keys.contains) }
    }
}

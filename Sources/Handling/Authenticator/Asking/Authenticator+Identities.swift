public import ChallengeHandling
internal import Credentials
internal import Hostnames
internal import Synchronization

extension Authenticator {
    /// What to do after a server has asked for a client certificate and several identities fit. For clients: connect again if this
    /// returns ``AuthenticatorAdvice/repeatRequest``.
    ///
    /// The handshake that brought the question has ended, so no connection waits for a person. Requests that wait for the decision
    /// about one host share one question, and the reply counts for the host until the sign-out.
    ///
    /// - Throws: ``AuthenticatorError``, `CancellationError`, `ProfileError`, or what the source throws.
    public func advice(on question: IdentityQuestion) async throws -> AuthenticatorAdvice {
        // Another request may have brought the reply since the handshake.
        let host = question.origin.host
        if hasChoice(for: host) { return .repeatRequest }
        guard let identityChoice else { return .deliver }
        let key = AuthenticatorState.IdentityKey(host: host, candidates: question.candidates)
        return try await identityCalls.run(for: key) { [self] in
            // An equal question may have ended since.
            if hasChoice(for: key.host) { return .repeatRequest }
            let signOuts = state.withLock { $0.signOuts }
            let reply = try await visibly { try await identityChoice(question) }
            switch reply {
            case .cancel: throw AuthenticatorError.cancelled
            case .none: try choose(ChosenIdentity(host: key.host, identity: nil), signOuts)
            case .use(let name):
                guard key.candidates.contains(where: { $0.identity.name == name }) else {
                    throw AuthenticatorError.unknownIdentity(name)
                }
                try choose(ChosenIdentity(host: key.host, identity: name), signOuts)
            }
            return .repeatRequest
        }
    }

    private func hasChoice(for host: Hostname) -> Bool {
        current.handler.compiled.profile.chosenIdentities.contains { $0.host == host }
    }

    /// - Throws: `CancellationError` if there was a sign-out since the question, or `ProfileError`.
    private func choose(_ choice: ChosenIdentity, _ signOuts: UInt64) throws {
        // Before the profile changes, so that a sign-out in between knows of the choice.
        let isCurrent = state.withLock { state in
            guard state.signOuts == signOuts else { return false }
            state.choose(choice)
            return true
        }
        guard isCurrent else { throw CancellationError() }
        try current.update(at: clock()) { profile in
            guard state.withLock({ $0.signOuts }) == signOuts else { return }
            profile.chosenIdentities.removeAll { $0.host == choice.host }
            profile.chosenIdentities.append(choice)
        }
    }

    /// Takes choices that a person has made out of the profile.
    func forget(_ choices: [ChosenIdentity]) throws(ProfileError) {
        guard !choices.isEmpty else { return }
        try current.update(at: clock()) { profile in profile.chosenIdentities.removeAll(where: choices.contains) }
    }

    /// Asks for the user's client identities and puts them into the profile, in place of all that it has. Connections that no
    /// request uses are closed at once, and the others when their request has ended.
    ///
    /// - Throws: what the source throws, `ProfileError`, or `CancellationError`; then everything stays as it was.
    public func fetchNewCertificates() async throws {
        guard let identities else { return }
        try await updates.run(for: .certificates) { [self] in
            let found = try await identities()
            try Task.checkCancellation()
            try current.update(at: clock()) { profile in profile.identities = found }
            closeConnections()
        }
    }
}

public import ChallengeHandling
public import CredentialStores
internal import OAuth
internal import Synchronization
internal import Waiting

extension Authenticator {
    /// Ends what users have begun: accounts from sources and stores leave the profile, services take tokens back, the store is
    /// emptied, questions that wait are cancelled, keys that were trusted and identities that were chosen on a question are not any more, and connections that no
    /// request uses are closed. Accounts that the profile itself brought stay,
    /// and get back what a source replaced.
    ///
    /// It does all of that, also if a part of it fails. `TokenLimits.revocationsAtOnce` services are asked at once, and a source clears its
    /// tokens before it asks. What a request gets meanwhile from a source that is not signed out yet ends with it.
    @discardableResult
    public func signOut() async -> SignOutReport {
        var report = SignOutReport()
        forgetAll(&report)
        // Before the store is emptied, because a source takes its own tokens out of it, and sends them to its service.
        let sources = places.all.compactMap { place in place.tokens.map { (place.name, $0) } }
        let patience = options.revocationPatience
        let results = await ParallelWork.results(of: sources, atMost: TokenLimits.revocationsAtOnce) {
            [self] (name, source) -> (String, Result<Bool, any Error>) in
            do {
                return (name, .success(try await patiently(for: patience) { try await source.signOut() }))
            } catch {
                return (name, .failure(error))
            }
        }
        for (name, result) in results {
            switch result {
            case .success(let isRevoked): if isRevoked { report.revokedTokens.append(name) }
            case .failure(let error): report.failures.append(.tokens(account: name, error))
            }
        }
        if let store {
            do {
                report.storedCredentials = try await store.removeAll()
            } catch {
                report.failures.append(.store(error))
            }
        }
        forgetAll(&report)
        closeConnections()
        observer?.emit(.signedOut(SignOutSummary(report)))
        return report
    }

    /// Cancels the questions that wait, and takes out of the profile what users, sources and stores have brought.
    private func forgetAll(_ report: inout SignOutReport) {
        calls.cancelAll()
        tokenCalls.cancelAll()
        trustCalls.cancelAll()
        identityCalls.cancelAll()
        let (accounts, trusted, chosen) = state.withLock { state in
            defer { state.forget() }
            // The token of a place replaced what its source had given before.
            let accounts = state.supplied.mapValues(\.previous).merging(state.tokens.mapValues(\.previous)) {
                first,
                _ in first
            }
            return (accounts, state.trusted, state.chosen)
        }
        do {
            try takeBack(accounts)
            report.accounts = Set(report.accounts).union(accounts.keys).sorted()
            try distrust(trusted)
            report.trustedKeys += trusted
            try forget(chosen)
            report.chosenIdentities += chosen
        } catch {
            report.failures.append(.profile(error))
        }
    }
}

extension SignOutSummary {
    fileprivate init(_ report: SignOutReport) {
        self.init(
            accounts: report.accounts,
            trustedKeys: report.trustedKeys.count,
            storedCredentials: report.storedCredentials,
            failures: report.failures.map { failure in
                switch failure {
                case .profile(let error): "\(error)"
                case .store(let error): "\(error)"
                case .tokens(let account, let error): "\(account): \(error)"
                }
            }
        )
    }
}

/// What a sign-out has done.
public struct SignOutReport: Sendable {
    /// What could not be done.
    public enum Failure: Error, Sendable {
        /// Accounts are still in the profile.
        case profile(ProfileError)
        /// Credentials are still in the store.
        case store(CredentialStoreError)
        /// The service has not taken back the tokens of this account. This machine has none any more.
        case tokens(account: String, any Error)
    }

    /// The names of the accounts that left the profile.
    public internal(set) var accounts: [String] = []
    /// The names of the accounts whose service has taken tokens back.
    public internal(set) var revokedTokens: [String] = []
    /// The keys of servers that are not trusted any more.
    public internal(set) var trustedKeys: [TrustedKey] = []
    /// The choices among client identities that do not count any more.
    public internal(set) var chosenIdentities: [ChosenIdentity] = []
    /// How many records were removed from the store.
    public internal(set) var storedCredentials = 0
    /// What could not be done; empty if all is.
    public internal(set) var failures: [Failure] = []
}

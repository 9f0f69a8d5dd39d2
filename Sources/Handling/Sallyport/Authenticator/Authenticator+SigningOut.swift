public import CredentialStores
internal import Synchronization

extension Authenticator {
    /// Ends what users have begun: accounts from sources and stores leave the profile, the store is emptied, questions that wait are
    /// cancelled, keys that were trusted and identities that were chosen on a question are not any more, and connections that no
    /// request uses are closed. Accounts that the profile itself brought stay,
    /// and get back what a source replaced.
    ///
    /// It does all of that, also if a part of it fails.
    @discardableResult
    public func signOut() async -> SignOutReport {
        calls.cancelAll()
        trustCalls.cancelAll()
        identityCalls.cancelAll()
        let (supplied, trusted, chosen) = state.withLock { state in
            defer { state.forget() }
            return (state.supplied, state.trusted, state.chosen)
        }
        var report = SignOutReport()
        do {
            try takeBack(supplied)
            report.accounts = supplied.keys.sorted()
            try distrust(trusted)
            report.trustedKeys = trusted
            try forget(chosen)
            report.chosenIdentities = chosen
        } catch {
            report.failures.append(.profile(error))
        }
        if let store {
            do {
                report.storedCredentials = try await store.removeAll()
            } catch {
                report.failures.append(.store(error))
            }
        }
        closeConnections()
        observer?.emit(.signedOut(SignOutSummary(report)))
        return report
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
    }

    /// The names of the accounts that left the profile.
    public internal(set) var accounts: [String] = []
    /// The keys of servers that are not trusted any more.
    public internal(set) var trustedKeys: [TrustedKey] = []
    /// The choices among client identities that do not count any more.
    public internal(set) var chosenIdentities: [ChosenIdentity] = []
    /// How many records were removed from the store.
    public internal(set) var storedCredentials = 0
    /// What could not be done; empty if all is.
    public internal(set) var failures: [Failure] = []
}

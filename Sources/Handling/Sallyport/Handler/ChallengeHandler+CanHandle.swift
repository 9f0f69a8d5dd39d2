internal import AllowedSites
internal import Credentials
internal import HTTPAuthentication
internal import Hostnames

/// Whether a handler would answer a challenge, with the reason if not.
public enum HandlingVerdict: Equatable, Sendable {
    /// The site is allowed, the kind is supported, and the profile has a credential.
    case yes
    /// The handler would not answer, for this reason.
    case no(Refusal)
}

extension ChallengeHandler {
    /// Whether a challenge in `space` would be answered.
    ///
    /// Yes only if the site is allowed, the kind is supported and the profile has a credential. The call changes no
    /// state: it counts no attempt and draws no nonce.
    ///
    /// - Complexity: two site lookups.
    public func canHandle(_ space: ProtectionSpace) -> HandlingVerdict {
        switch space.kind {
        case .serverTrust:
            return .yes
        case .clientCertificate:
            if let refusal = siteRefusal(space.origin, path: space.path) { return .no(refusal) }
            let assigned = identityTable.assignment(for: space.origin, path: space.path)
            return assigned == nil ? .no(.noCredential) : .yes
        case .http(let offered, let party):
            if let refusal = siteRefusal(space.origin, path: space.path) { return .no(refusal) }
            guard schemes.contains(where: offered.contains) else { return .no(.noSupportedScheme) }
            guard let index = accountTable.assignment(for: space.origin, path: space.path) else {
                return .no(.noCredential)
            }
            let prepared = preparedAccount(at: index)
            let place = LockoutBudget.Place(host: space.origin.host.description, isProxy: party == .proxy)
            if prepared.budget.isSpent(place, version: prepared.version) {
                return .no(.budgetSpent(account: prepared.account.name))
            }
            return .yes
        }
    }

    /// Why `origin` may not receive credentials, or `nil` if it may.
    func siteRefusal(_ origin: Origin, path: String) -> Refusal? {
        let verdict = sites.verdict(for: origin, path: path)
        if case .allowed = verdict { return nil }
        return .siteNotAllowed(verdict)
    }
}

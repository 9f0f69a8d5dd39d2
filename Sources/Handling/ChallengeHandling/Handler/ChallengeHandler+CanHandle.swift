internal import AllowedSites
internal import Credentials
internal import HTTPAuthentication
package import Hostnames

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
            // The handshake comes before any path.
            if let refusal = siteRefusal(space.origin, path: "/") { return .no(refusal) }
            return compiled.identities(for: space.origin).isEmpty ? .no(.noCredential) : .yes
        case .http(let offered, let party):
            if let refusal = siteRefusal(space.origin, path: space.path) { return .no(refusal) }
            guard let index = compiled.accounts.assignment(for: space.origin, path: space.path) else {
                let isKnown = compiled.schemes.contains { offered.contains($0.name) }
                return .no(isKnown ? .noCredential : .noSupportedScheme)
            }
            let prepared = preparedAccount(at: index)
            let schemes = prepared.schemes.filter { offered.contains($0.name) }
            guard !schemes.isEmpty else { return .no(.noSupportedScheme) }
            let obstacles = schemes.map { cleartextRefusal($0, space.origin, prepared) }
            if let refusal = obstacles[0], !obstacles.contains(nil) { return .no(refusal) }
            let place = Place(host: space.origin.host.description, isProxy: party == .proxy)
            if prepared.isSpent(place, path: RequestPath(space.path)) {
                return .no(.budgetSpent(account: prepared.account.name))
            }
            return .yes
        }
    }

    /// Why `origin` may not receive credentials, or `nil` if it may.
    package func siteRefusal(_ origin: Origin, path: String) -> Refusal? {
        let verdict = sites.verdict(for: origin, path: path)
        if case .allowed = verdict { return nil }
        return .siteNotAllowed(verdict)
    }
}

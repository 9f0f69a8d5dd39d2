internal import Credentials
public import Hostnames

extension ChallengeHandler {
    /// Chooses the client certificate when a server asks for one in the TLS handshake.
    ///
    /// - Parameters:
    ///   - origin: the server that asks.
    ///   - request: what it accepts, as far as it is known.
    ///   - now: Unix time in seconds: an identity is presented only while it is valid. `nil` if the time does not count.
    public func identityChoice(for origin: Origin, _ request: CertificateRequest, at now: Int64?) -> IdentityChoice {
        if let refusal = siteRefusal(origin, path: "/") { return .none(refusal) }
        let candidates = compiled.identities(for: origin)
        guard !candidates.isEmpty else { return .none(.noCredential) }
        guard let chosen = compiled.profile.chosenIdentities.last(where: { $0.host == origin.host }) else {
            return IdentityChoice(among: candidates, for: request, at: now)
        }
        guard let name = chosen.identity else { return .none(.identityDeclined) }
        // If the chosen one does not fit any more, none takes its place: the user wanted that one.
        let wanted = candidates.filter { $0.identity.name == name }
        return IdentityChoice(among: wanted.isEmpty ? candidates : wanted, for: request, at: now)
    }

    /// The same as a decision: of several identities that fit, none is presented.
    ///
    /// - Parameters:
    ///   - origin: the server that asks.
    ///   - authorities: the DER Names of its CertificateRequest (RFC 8446 section 4.2.4); empty accepts any issuer.
    ///   - now: Unix time in seconds; `nil` if the time does not count.
    public func identity(for origin: Origin, authorities: [[UInt8]], now: Int64? = nil) -> IdentityDecision {
        identityChoice(for: origin, CertificateRequest(authorities: authorities), at: now).decision
    }

    /// The identities of the profile for `origin`, also those that cannot be presented now, or not there because of `sites`.
    package func identities(for origin: Origin) -> [IdentityCandidate] { compiled.identities(for: origin) }

    /// Whether the profile has an identity for `origin`, also one that cannot be presented now.
    package func hasIdentities(for origin: Origin) -> Bool {
        siteRefusal(origin, path: "/") == nil && !compiled.identities(for: origin).isEmpty
    }
}

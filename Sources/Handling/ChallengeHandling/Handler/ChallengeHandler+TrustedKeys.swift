public import Hostnames
internal import SPKIPins

extension ChallengeHandler {
    /// Whether the profile trusts the key of a server's certificate without an authority. Ask only if no valid path leads from
    /// the certificate to a root, and the server has proven that it holds the key.
    ///
    /// - Parameters:
    ///   - certificate: the server's own certificate in DER.
    ///   - host: the host that the client wanted to reach.
    ///   - now: Unix time in seconds.
    /// - Complexity: O(*n*) in the number of trusted keys, and one hash.
    public func trustsKey(of certificate: [UInt8], at host: Hostname, now: Int64) -> Bool {
        let candidates = compiled.profile.trustedKeys.filter { $0.host == host && now < $0.until }
        guard !candidates.isEmpty, let pin = try? Pin(ofCertificate: certificate.span) else { return false }
        return candidates.contains { $0.pin == pin } && pinsAllowKey(of: certificate, at: host, now: now)
    }

    /// Whether the pins of the profile allow a chain of this certificate alone.
    package func pinsAllowKey(of certificate: [UInt8], at host: Hostname, now: Int64) -> Bool {
        // A trusted key is its own anchor.
        guard let chain = try? ValidatedChain(assertingValidated: [certificate]) else { return false }
        switch judge(ServerTrust(host: host, chain: chain), now: now) {
        case .trusted, .validatedOnly: return true
        case .rejected: return false
        }
    }

    /// Whether the profile has a trusted key for `host`. A connection to such a host needs a TLS library that lets Sallyport verify.
    public func hasTrustedKeys(for host: Hostname) -> Bool {
        compiled.profile.trustedKeys.contains { $0.host == host }
    }
}

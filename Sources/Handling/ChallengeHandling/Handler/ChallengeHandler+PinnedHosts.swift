public import Hostnames
internal import SPKIPins

extension ChallengeHandler {
    /// Whether the profile has pins for `host`, enforced, only reported or expired.
    ///
    /// A connection to such a host needs a TLS library that shows the validated chain.
    public func hasPins(for host: Hostname) -> Bool { compiled.pins?.entryIndex(for: host) != nil }
}

/// The DNS names of a server's certificate (RFC 5280 section 4.2.1.6), and the hosts that they are for (RFC 9525 section 6.3).
package enum CertificateName {
    /// Whether a name is the host's: equal, or `*.` in place of the host's first label.
    ///
    /// Two labels follow `*.` at least, as OpenSSL and browsers demand: `*.com` would be for the servers of strangers. The public suffix
    /// list is not asked. No authority of browsers may sign `*.co.uk` (CA/Browser Forum, Baseline Requirements 3.2.2.6), and a wildcard
    /// directly below a private suffix, such as `*.github.io`, is rightly its owner's.
    ///
    /// - Parameters:
    ///   - name: the name in the certificate, as it is there; its case does not matter.
    ///   - host: the host that was asked, in A-labels; a dot at its end does not matter.
    package static func covers(_ name: String, host: String) -> Bool {
        let name = name.lowercased()
        var host = host.lowercased()[...]
        if host.hasSuffix(".") { host = host.dropLast() }
        guard name.hasPrefix("*.") else { return !name.contains("*") && name == host }
        let base = name.dropFirst(2)
        guard !base.contains("*"), base.contains("."), let dot = host.firstIndex(of: "."), dot > host.startIndex else {
            return false
        }
        return host[host.index(after: dot)...] == base
    }
}

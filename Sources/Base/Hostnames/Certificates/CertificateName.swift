/// The DNS names of a server's certificate (RFC 5280 section 4.2.1.6), and the hosts that they are for (RFC 9525 section 6.3).
package enum CertificateName {
    /// Whether a name is the host's: equal, or `*.` in place of the host's first label.
    ///
    /// Nothing is covered directly below a suffix of a registry, such as `*.co.uk`, nor below one label: that would be for the servers of
    /// strangers. No authority of browsers may sign it (CA/Browser Forum, Baseline Requirements 3.2.2.6), and Chromium does not take it
    /// either. A wildcard directly below a private suffix, such as `*.github.io`, is rightly its owner's.
    ///
    /// - Parameters:
    ///   - name: the name in the certificate, as it is there; its case does not matter.
    ///   - host: the host that was asked, in A-labels; a dot at its end does not matter.
    /// - Complexity: O(*n*) in the length of both; two look-ups in the public suffix list for a wildcard that fits.
    package static func covers(_ name: String, host: String) -> Bool {
        let name = name.lowercased()
        var host = host.lowercased()[...]
        if host.hasSuffix(".") { host = host.dropLast() }
        guard name.hasPrefix("*.") else { return !name.contains("*") && name == host }
        let base = name.dropFirst(2)
        guard !base.contains("*"), let dot = host.firstIndex(of: "."), dot > host.startIndex,
            host[host.index(after: dot)...] == base
        else { return false }
        let bytes = [UInt8](base.utf8)
        return !bytes.isEmpty && !PublicSuffixList.current.isOfRegistry(bytes.span, in: bytes.indices)
    }
}

internal import Hostnames
internal import SwiftASN1
internal import X509

/// What clients demand of a server's chain beyond RFC 5280's path: the leaf names the host in a way that they accept, and is
/// a certificate for servers (RFC 9525, CA/Browser Forum's baseline requirements).
struct ServerChainPolicy: VerifierPolicy {
    /// The host as it was asked for: a name, or an address.
    let host: String
    let isAddress: Bool

    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [.X509ExtensionID.extendedKeyUsage]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        let certificates = Array(chain)
        for check in [versions, signatures, uses, leaf, names] {
            do {
                if let problem = try check(certificates) { return .failsToMeetPolicy(reason: problem) }
            } catch {
                return .failsToMeetPolicy(reason: "an extension of the chain cannot be read")
            }
        }
        return .meetsPolicy
    }

    /// Version 1 has no extensions, so nothing says that such a key belongs to an authority or to a name. A root is trusted by
    /// itself.
    private func versions(_ chain: [Certificate]) -> String? {
        let isOld = chain.enumerated().contains { index, one in
            one.version != .v3 && (index == 0 || index < chain.count - 1)
        }
        return isOld ? "a certificate below the root is not of version 3" : nil
    }

    /// Somebody may have made a certificate to fit the SHA-1 signature of another one. A root is trusted by itself and needs no signature.
    private func signatures(_ chain: [Certificate]) -> String? {
        let isWeak = chain.dropLast().contains { $0.signatureAlgorithm == .sha1WithRSAEncryption }
        return isWeak ? "a certificate below the root is signed with SHA-1" : nil
    }

    /// A use that is stated must be this one, in the leaf and in each authority below the root.
    private func uses(_ chain: [Certificate]) throws -> String? {
        for (index, certificate) in chain.enumerated() {
            if index > 0, let usage = try certificate.extensions.keyUsage, !usage.keyCertSign {
                return "the key usage of an authority is not to sign certificates"
            }
            guard index == 0 || index < chain.count - 1, let extended = try certificate.extensions.extendedKeyUsage
            else {
                continue
            }
            // An authority may be for any use; of a leaf, clients want to be told.
            guard extended.contains(.serverAuth) || (index > 0 && extended.contains(.any)) else {
                return index == 0
                    ? "the leaf's extended key usage is not for servers"
                    : "an authority's extended key usage is not for servers"
            }
        }
        return nil
    }

    /// The leaf's key may do what a handshake of TLS needs, and it is not an authority, unless it is a root that is trusted itself, as of a
    /// device with a certificate of its own.
    private func leaf(_ chain: [Certificate]) throws -> String? {
        guard let leaf = chain.first else { return nil }
        // Which of the three a handshake needs depends on its cipher suite (RFC 8446 4.4.2.2, RFC 5246 7.4.2).
        if let usage = try leaf.extensions.keyUsage,
            !usage.digitalSignature, !usage.keyEncipherment, !usage.keyAgreement
        {
            return "the leaf's key usage is not for TLS"
        }
        guard chain.count > 1 else { return nil }
        if case .isCertificateAuthority = try leaf.extensions.basicConstraints { return "the leaf is an authority" }
        if try leaf.extensions.keyUsage?.keyCertSign == true { return "the leaf's key usage is to sign certificates" }
        if try leaf.extensions.nameConstraints != nil {
            return "the leaf has name constraints, which only authorities have"
        }
        return nil
    }

    private func names(_ chain: [Certificate]) throws -> String? {
        // RFC 9525 2: the common name does not count.
        guard let leaf = chain.first, let names = try leaf.extensions.subjectAlternativeNames else {
            return "the leaf has no subject alternative name"
        }
        let patterns = names.compactMap { name -> String? in
            if case .dnsName(let text) = name { text.lowercased() } else { nil }
        }
        if !isAddress, !patterns.contains(where: { CertificateName.covers($0, host: host) }) {
            return "no subject alternative name is the host"
        }
        for certificate in chain.dropFirst() {
            guard let constraints = try certificate.extensions.nameConstraints else { continue }
            for name in constraints.excludedSubtrees {
                guard case .dnsName(let excluded) = name else { continue }
                if patterns.contains(where: { Self.reaches($0, excluded.lowercased()) }) {
                    return "a subject alternative name reaches into names that an authority excludes"
                }
            }
        }
        return nil
    }

    /// Whether a name, or one that a wildcard covers, is `excluded` or below it.
    private static func reaches(_ pattern: String, _ excluded: String) -> Bool {
        let excluded = excluded.hasPrefix(".") ? excluded.dropFirst() : excluded[...]
        let base = pattern.hasPrefix("*.") ? pattern.dropFirst(2) : pattern[...]
        if excluded.isEmpty || base == excluded || base.hasSuffix(".\(excluded)") { return true }
        // `*.a.example` covers `b.a.example`, but not `c.b.a.example`.
        guard pattern.hasPrefix("*."), let dot = excluded.firstIndex(of: ".") else { return false }
        return excluded[excluded.index(after: dot)...] == base
    }
}

package import Hostnames

/// Why the trust of the operating system does not vouch for a server.
package enum SystemTrustProblem: Error, Equatable, Sendable {
    /// No path leads to an authority that the system trusts.
    case unknownAuthority
    case expired
    case notYetValid
    case otherName
    case otherUse
    /// Another reason, such as a certificate that was revoked, or that a person distrusts; in the system's words.
    case refused(reason: String)

    /// - Parameters:
    ///   - code: the code of the error, of Apple's `SecBase.h`.
    ///   - text: what the system says about it, in the language of the user.
    package init(code: Int, text: String?) {
        switch code {
        case -67_843, -25_318: self = .unknownAuthority  // errSecNotTrusted, errSecCreateChainFailed
        case -67_818: self = .expired  // errSecCertificateExpired
        case -67_819: self = .notYetValid  // errSecCertificateNotValidYet
        case -67_602: self = .otherName  // errSecHostNameMismatch
        case -67_609, -67_629: self = .otherUse  // errSecInvalidExtendedKeyUsage, errSecSSLBadExtendedKeyUsage
        default: self = .refused(reason: text.map { "\($0) (\(code))" } ?? "\(code)")
        }
    }
}

/// The trust of the operating system: its roots, the settings of its user and administrator, and its rules.
package enum SystemTrust {
    /// Evaluates what a server presented, its own certificate first, for a host. It blocks its thread, perhaps for the network.
    ///
    /// It returns the path that the system trusts, one certificate in DER each, the server's first and the root last.
    package typealias Evaluation =
        @Sendable (_ presented: [[UInt8]], _ host: Hostname) throws(SystemTrustProblem) -> [[UInt8]]

    // SystemTrust+Darwin.swift has the one of Apple's systems.
    #if !canImport(Security)
        /// Other systems have files with roots in its place.
        package static var evaluation: Evaluation? { nil }
    #endif
}

/// A certificate chain that proves who the client is; its private key stays with the TLS library.
public struct ClientIdentity: Hashable, Sendable {
    /// What the profile, logs and verdicts call this identity.
    public let name: String
    /// DER, leaf first; at least one certificate.
    public let certificateChain: [[UInt8]]

    /// Names a chain, leaf first.
    ///
    /// - Precondition: `certificateChain` is not empty.
    public init(name: String, certificateChain: [[UInt8]]) {
        precondition(!certificateChain.isEmpty, "a client identity holds at least its leaf certificate")
        self.name = name
        self.certificateChain = certificateChain
    }
}

extension ClientIdentity: CustomStringConvertible {
    /// The reference name alone.
    public var description: String { "identity '\(name)'" }
}

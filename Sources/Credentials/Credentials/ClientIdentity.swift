/// The certificate chain of a client. The TLS library keeps the private key.
public struct ClientIdentity: Hashable, Sendable {
    /// The name of this identity in the profile, logs and verdicts.
    public let name: String
    /// DER, leaf first; at least one certificate.
    public let certificateChain: [[UInt8]]

    /// Makes an identity from a chain, leaf first.
    ///
    /// - Precondition: `certificateChain` is not empty.
    public init(name: String, certificateChain: [[UInt8]]) {
        precondition(!certificateChain.isEmpty, "a client identity holds at least its leaf certificate")
        self.name = name
        self.certificateChain = certificateChain
    }
}

extension ClientIdentity: CustomStringConvertible {
    /// The name of the identity, without its certificates.
    public var description: String { "identity '\(name)'" }
}

/// A client whose proof was right: its names as it sent them, which the proof covers.
public struct VerifiedClient: Equatable, Sendable {
    /// The user as the client spelled it.
    public let user: String
    /// The domain as the client spelled it; empty if it sent none.
    public let domain: String
    /// The service name (SPN) that the client sent, or `nil`.
    public let targetName: String?
    /// Whether the client says that the target name comes from an untrusted source.
    public let isTargetNameUntrusted: Bool
    /// Whether the client sent a message integrity code. A wrong code is refused.
    public let hasMessageIntegrityCode: Bool
    /// Whether the answer is bound to our TLS connection.
    public let isBoundToChannel: Bool
}

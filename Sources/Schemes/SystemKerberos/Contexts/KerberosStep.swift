/// What a step of a log-on led to.
public struct KerberosStep: Equatable, Sendable {
    /// The token for the peer; empty if the peer needs none.
    public var token: [UInt8]
    /// Whether this side is done. The token, if there is one, must still reach the peer.
    public var isComplete: Bool
}

/// One side of a log-on: ``KerberosInitiator`` or ``KerberosAcceptor``.
public protocol KerberosContext: ~Copyable, Sendable {
    /// Takes the peer's token, which is empty at a client's start. May wait for a KDC or a disk.
    mutating func step(_ input: Span<UInt8>) throws(KerberosError) -> KerberosStep
    /// Makes the integrity code of a message, after the log-on is complete.
    mutating func messageIntegrityCode(of message: Span<UInt8>) throws(KerberosError) -> [UInt8]
    /// Checks the peer's integrity code of a message, after the log-on is complete.
    mutating func verify(_ code: Span<UInt8>, of message: Span<UInt8>) throws(KerberosError)
}

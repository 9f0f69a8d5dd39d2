package import NTLM

/// The client's side of a mechanism that a negotiation may choose.
package protocol InitiatorMechanism: Sendable {
    var mechanism: Mechanism { get }
    /// Whether no further token is due.
    var isComplete: Bool { get }
    /// Whether the server has proven itself.
    var isServerProven: Bool { get }
    /// Whether the last token depends on the password, so that a refusal is one of the password.
    var hasSentPassword: Bool { get }

    /// The first token.
    mutating func start() -> [UInt8]
    /// Takes the server's token. Returns the next one; `nil` if none is due.
    mutating func step(_ token: Span<UInt8>, _ input: MechanismInput) throws(MechanismFailure) -> [UInt8]?
    /// The code over `bytes`; `nil` if the mechanism has no key for it.
    mutating func integrityCode(over bytes: [UInt8]) -> [UInt8]?
    /// Whether the server's code over `bytes` is right.
    mutating func accepts(integrityCode: Span<UInt8>, over bytes: [UInt8]) -> Bool
}

/// Time and random numbers of a step.
package struct MechanismInput: Sendable {
    package let now: FileTime
    /// `nil` for fresh ones.
    package let nonces: ClientNonces?

    package init(now: FileTime, nonces: ClientNonces? = nil) { (self.now, self.nonces) = (now, nonces) }
}

/// Why a mechanism, or the negotiation around it, cannot go on.
package enum MechanismFailure: Error, Equatable, Sendable {
    case negotiation(NegotiationError)
    case ntlm(HandshakeError)
}

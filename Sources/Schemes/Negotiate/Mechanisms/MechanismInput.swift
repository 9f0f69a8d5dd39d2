package import NTLM

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

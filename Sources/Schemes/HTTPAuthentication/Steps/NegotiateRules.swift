/// How the caller of a Negotiate exchange proves itself, and what it demands.
public struct NegotiateRules: Equatable, Sendable {
    /// Whether Kerberos is tried first. Its first message comes from the system's library; without it NTLM is offered alone.
    public var usesKerberos: Bool
    /// Whether a server that was given a ticket must prove itself in its last response.
    ///
    /// On by default. Without the proof another server may have answered in its place.
    public var demandsServerProof: Bool

    /// The rules of an account; without arguments the default ones.
    public init(usesKerberos: Bool = false, demandsServerProof: Bool = true) {
        self.usesKerberos = usesKerberos
        self.demandsServerProof = demandsServerProof
    }
}

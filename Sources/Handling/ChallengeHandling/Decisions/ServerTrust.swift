public import Hostnames
public import SPKIPins

/// A server's host, and its certificate chain if the TLS library validated it.
public struct ServerTrust: Sendable {
    /// The host that the client wanted to reach.
    public let host: Hostname
    /// The validated chain, leaf to anchor; `nil` if validation failed.
    public let chain: ValidatedChain?

    /// Pairs a host with its validated chain, or with `nil` when validation failed.
    public init(host: Hostname, chain: ValidatedChain?) {
        self.host = host
        self.chain = chain
    }
}

/// Whether a server is the one it claims to be.
public enum TrustDecision: Equatable, Sendable {
    /// The chain is valid and a pin matched.
    case trusted(PinVerdict)
    /// The chain is valid, and no pin applies, or the pins of the host only report. Validation alone decides.
    ///
    /// The verdict is `nil` if the profile has no pins.
    case validatedOnly(PinVerdict?)
    /// The connection must not be used.
    case rejected(Refusal)
}

public import Hostnames
public import SPKIPins

/// A server's certificates and what the TLS library made of them.
public struct ServerTrust: Sendable {
    /// The host that the client wanted to reach.
    public let host: Hostname
    /// The chain that validation ended with, leaf to anchor; `nil` when it did not validate.
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
    /// The chain is valid and no pin applies, or only one that reports: validation alone decides.
    ///
    /// The verdict is absent where the profile pins nothing at all.
    case validatedOnly(PinVerdict?)
    /// The connection must not be used.
    case rejected(Refusal)
}

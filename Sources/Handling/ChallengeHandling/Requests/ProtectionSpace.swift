public import HTTPAuthentication
public import Hostnames

/// The source and the kind of a challenge.
public struct ProtectionSpace: Sendable {
    /// The kind of a challenge.
    public enum Kind: Sendable {
        /// An HTTP challenge with these schemes, answered in a header field.
        case http(schemes: [AuthenticationScheme], party: ChallengedParty)
        /// The check of a server's certificate chain.
        case serverTrust
        /// A request for a client certificate in the TLS handshake.
        case clientCertificate
    }

    /// Scheme, host and port of the party: of the proxy itself for a challenge of a proxy.
    public let origin: Origin
    /// The path of the request without query; `/` for a proxy or a handshake.
    public let path: String
    /// The kind of the challenge.
    public let kind: Kind

    /// Describes a challenge without its parameters.
    public init(origin: Origin, path: String = "/", kind: Kind) {
        self.origin = origin
        self.path = path
        self.kind = kind
    }
}

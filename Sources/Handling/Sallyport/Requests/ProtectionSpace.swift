public import HTTPAuthentication
public import Hostnames

/// Where a challenge comes from and what it asks for.
public struct ProtectionSpace: Sendable {
    /// What the party asks for.
    public enum Kind: Sendable {
        /// One of these HTTP schemes, answered in a header field.
        case http(schemes: [AuthenticationScheme], party: ChallengedParty)
        /// A decision whether the server is the one it claims to be.
        case serverTrust
        /// A client certificate, asked for in the TLS handshake.
        case clientCertificate
    }

    /// Scheme, host and port of the party that asks; the proxy's own when a proxy asks.
    public let origin: Origin
    /// The path of the request, without query; `/` for a proxy or a handshake.
    public let path: String
    /// What is asked for.
    public let kind: Kind

    /// Describes a challenge without its contents.
    public init(origin: Origin, path: String = "/", kind: Kind) {
        self.origin = origin
        self.path = path
        self.kind = kind
    }
}

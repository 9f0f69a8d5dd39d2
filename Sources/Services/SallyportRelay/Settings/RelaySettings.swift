public import Hostnames

/// Where a relay listens, and where it sends requests.
public struct RelaySettings: Sendable {
    /// An address that only programs of this machine reach.
    public enum Loopback: String, Sendable {
        case ipv4 = "127.0.0.1"
        case ipv6 = "::1"
    }

    /// The address to listen on. No other is possible, because the relay does not authenticate its clients.
    public var loopback = Loopback.ipv4
    /// The port to listen on; 0 lets the system choose.
    public var port = 3128
    /// The proxy that gets the requests.
    public var parent: Origin
    /// The bounds.
    public var limits = RelayLimits()

    /// A relay before `parent`, with the default address and bounds.
    public init(parent: Origin) { self.parent = parent }
}

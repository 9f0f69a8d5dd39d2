public import Hostnames

/// Where a relay listens, and where it sends requests.
public struct RelaySettings: Sendable {
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 lets the system choose.
    public var port = 3128
    /// The proxy that gets the requests.
    public var parent: Origin
    /// The bounds.
    public var limits = RelayLimits()

    /// A relay before `parent`, with the default address and bounds.
    public init(parent: Origin) { self.parent = parent }
}

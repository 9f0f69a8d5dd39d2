public import Hostnames

/// Where a relay listens, and where it sends requests.
public struct RelaySettings: Sendable {
    /// The addresses to listen on. All are of loopback, because the relay does not authenticate its clients.
    public var listeners = [ListenAddress.standard]
    /// The proxy that gets the requests.
    public var parent: Origin
    /// The bounds.
    public var limits = RelayLimits()

    /// A relay before `parent`, with the default address and bounds.
    public init(parent: Origin) { self.parent = parent }
}

/// What a relay has done since its start.
public struct RelayCounters: Equatable, Sendable {
    /// Requests whose head was read.
    public var requests = 0
    /// Tunnels that were opened.
    public var tunnels = 0
    /// Responses of the relay itself, because a request could not be carried.
    public var refusals = 0
    /// Passwords that the parent refused.
    public var badLogOns = 0
    /// Connections to the parent that were opened.
    public var parentConnections = 0
    /// Clients that are connected now.
    public var clients = 0
    /// Tunnels that are open now.
    public var openTunnels = 0
    /// Connections to the parent that are open now, with tunnels.
    public var openParentConnections = 0

    static func += (left: inout RelayCounters, right: RelayCounters) {
        left.requests += right.requests
        left.tunnels += right.tunnels
        left.refusals += right.refusals
        left.badLogOns += right.badLogOns
        left.parentConnections += right.parentConnections
        left.clients += right.clients
        left.openTunnels += right.openTunnels
        left.openParentConnections += right.openParentConnections
    }
}

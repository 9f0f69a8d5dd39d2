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
    /// Requests whose client was not let in: it answered with a wrong password, or guessed too often.
    public var refusedClients = 0
    /// Requests that went to another parent, because one could not be reached.
    public var failovers = 0
    /// Requests that went directly, because no parent could be reached.
    public var directFallbacks = 0
    /// Connections that could not be opened or accepted, because this machine had no descriptor, memory or port for them.
    public var shortages = 0
    /// Connections to parents and servers that were opened.
    public var parentConnections = 0
    /// Requests that wait now for a password: for the store, or for a person.
    public var waitingForPassword = 0
    /// Clients that are connected now.
    public var clients = 0
    /// Requests that have no complete response yet, tunnels not counted.
    public var openRequests = 0
    /// Tunnels that are open now.
    public var openTunnels = 0
    /// Connections to parents and servers that are open now, with tunnels.
    public var openParentConnections = 0

    /// All counters at 0.
    public init() {}

    static func += (left: inout RelayCounters, right: RelayCounters) {
        left.requests += right.requests
        left.tunnels += right.tunnels
        left.refusals += right.refusals
        left.badLogOns += right.badLogOns
        left.refusedClients += right.refusedClients
        left.failovers += right.failovers
        left.directFallbacks += right.directFallbacks
        left.shortages += right.shortages
        left.parentConnections += right.parentConnections
        left.waitingForPassword += right.waitingForPassword
        left.clients += right.clients
        left.openRequests += right.openRequests
        left.openTunnels += right.openTunnels
        left.openParentConnections += right.openParentConnections
    }
}

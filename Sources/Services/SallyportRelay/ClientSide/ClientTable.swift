/// The clients of one event loop.
final class ClientTable {
    let loop: LoopContext
    let pools: UpstreamPools
    private var clients: [ObjectIdentifier: AcceptedConnection] = [:]
    /// Called when the last one has gone.
    var whenEmpty: (() -> Void)?

    init(_ pools: UpstreamPools) { (self.pools, loop) = (pools, pools.loop) }

    var isEmpty: Bool { clients.isEmpty }

    /// Whether another client may connect.
    func add(_ client: AcceptedConnection) -> Bool {
        guard !loop.isEnding else { return false }
        clients[ObjectIdentifier(client)] = client
        return true
    }

    func remove(_ client: AcceptedConnection) {
        clients[ObjectIdentifier(client)] = nil
        if clients.isEmpty { whenEmpty?() }
    }

    func sweep() { for client in clients.values { client.sweep() } }

    /// Ends what would not end by itself: the relay takes no more requests.
    func endSoon() { for client in clients.values { client.endSoon() } }

    /// Ends requests and tunnels in their middle.
    func abortAll() { for client in clients.values { client.abort() } }

    /// Counts the clients and what they do.
    func count(in counters: inout RelayCounters) {
        counters.clients = clients.count
        counters.waitingForPassword = clients.values.count { $0.exchange?.stage.isAsking == true }
        counters.openRequests = clients.values.count { $0.exchange != nil }
        counters.openTunnels = clients.values.count { $0.isInTunnel }
    }
}

@available(*, unavailable)
extension ClientTable: Sendable {}

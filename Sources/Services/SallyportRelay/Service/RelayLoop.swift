internal import NIOCore

/// The part of a relay that one event loop runs: its clients, and the connections that carry their requests.
///
/// Both ends of a request are on one event loop, so that nothing is passed between threads.
final class RelayLoop {
    private let loop: LoopContext
    private let pools: UpstreamPools
    let clients: ClientTable
    private var sweeping: RepeatedTask?
    private var ended: [EventLoopPromise<Void>] = []

    /// - Parameter loops: how many event loops share the limits.
    init(_ core: RelayCore, on eventLoop: any EventLoop, loops: Int) {
        loop = LoopContext(core, on: eventLoop)
        pools = UpstreamPools(loop, shares: loops)
        clients = ClientTable(pools)
        clients.whenEmpty = { [weak self] in self?.finishIfEmpty() }
        sweeping = Self.sweeping(self)
    }

    /// Sweeps often enough for the shortest limit, and once a second at least.
    private static func sweeping(_ relay: RelayLoop) -> RepeatedTask {
        let limits = relay.loop.limits
        let all = [
            limits.head, limits.tlsHandshake, limits.dropping, limits.idleClient, limits.idleParent, limits.stalled,
            limits.lingering, limits.handshake,
        ]
        let shortest = all.reduce(TimeAmount.seconds(4), min)
        let interval = TimeAmount.nanoseconds(max(shortest.nanoseconds / 4, 20_000_000))
        let bound = NIOLoopBound(relay, eventLoop: relay.loop.eventLoop)
        return relay.loop.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            bound.value.sweep()
        }
    }

    private func sweep() {
        loop.readClock()
        clients.sweep()
        pools.sweep()
        loop.core.probe(at: loop.now, on: loop.eventLoop)
    }

    func closeIdle() { pools.closeIdle() }

    /// Takes no more clients; the requests under way may go on for the grace period.
    func end() -> EventLoopFuture<Void> {
        loop.beginEnd()
        let promise = loop.eventLoop.makePromise(of: Void.self)
        ended.append(promise)
        clients.endSoon()
        pools.dialler.endQuestions()
        closeIdle()
        loop.eventLoop.assumeIsolated().scheduleTask(in: loop.limits.grace) { self.closeAll() }
        finishIfEmpty()
        return promise.futureResult
    }

    /// Ends requests and tunnels in their middle.
    func closeAll() {
        clients.abortAll()
        pools.dialler.endAll()
        pools.closeAll()
    }

    private func finishIfEmpty() {
        guard loop.isEnding, clients.isEmpty, !ended.isEmpty else { return }
        sweeping?.cancel()
        pools.closeAll()
        for promise in ended { promise.succeed() }
        ended = []
    }

    var latencies: RelayLatencies { loop.latencies }

    func snapshot() -> RelayCounters {
        var snapshot = loop.counters
        clients.count(in: &snapshot)
        snapshot.waitingForPassword += pools.dialler.askingCount
        snapshot.openParentConnections = pools.openCount
        return snapshot
    }
}

@available(*, unavailable)
extension RelayLoop: Sendable {}

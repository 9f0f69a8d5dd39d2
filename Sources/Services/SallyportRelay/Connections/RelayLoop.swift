internal import Hostnames
internal import NIOCore
internal import NIOPosix
internal import Sallyport
internal import SallyportNIO

/// The part of a relay that one event loop runs: its clients, and the connections to the parent that carry their requests.
///
/// Both ends of a request are on one event loop, so that nothing is passed between threads.
final class RelayLoop {
    let eventLoop: any EventLoop
    let core: RelayCore
    let allocator = ByteBufferAllocator()
    /// The time of the last sweep: exact enough for limits of seconds, and free.
    private(set) var now = NIODeadline.now()
    private(set) var isEnding = false
    var counters = RelayCounters()
    private var clients: [ObjectIdentifier: ClientConnection] = [:]
    private(set) lazy var pool = ParentPool(self, parent: core.settings.parent, limit: shareOfConnections)
    private let shareOfConnections: Int
    private let shareOfClients: Int
    private var sweeping: RepeatedTask?
    private var ended: [EventLoopPromise<Void>] = []

    var limits: RelayLimits { core.settings.limits }

    /// - Parameter loops: how many event loops share the limits.
    init(_ core: RelayCore, on eventLoop: any EventLoop, loops: Int) {
        self.core = core
        self.eventLoop = eventLoop
        shareOfConnections = max(1, core.settings.limits.parentConnections / loops)
        shareOfClients = max(1, core.settings.limits.clients / loops)
        sweeping = Self.sweeping(self)
    }

    /// Sweeps often enough for the shortest limit, and once a second at least.
    private static func sweeping(_ loop: RelayLoop) -> RepeatedTask {
        let limits = loop.limits
        let all = [
            limits.head, limits.idleClient, limits.idleParent, limits.stalled, limits.lingering, limits.handshake,
        ]
        let shortest = all.reduce(TimeAmount.seconds(4), min)
        let interval = TimeAmount.nanoseconds(max(shortest.nanoseconds / 4, 20_000_000))
        let bound = NIOLoopBound(loop, eventLoop: loop.eventLoop)
        return loop.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in bound.value.sweep() }
    }

    /// The key of connections to the parent. An account or a password that changes changes the key.
    func poolKey() -> PoolKey {
        // What the parent's account is does not depend on the origin, because only the parent is answered.
        core.current.handler.poolKey(for: core.settings.parent, path: "/")
    }

    // MARK: Clients

    /// Whether another client may connect.
    func add(_ client: ClientConnection) -> Bool {
        guard clients.count < shareOfClients, !isEnding else { return false }
        clients[ObjectIdentifier(client)] = client
        return true
    }

    func remove(_ client: ClientConnection) {
        clients[ObjectIdentifier(client)] = nil
        finishIfEmpty()
    }

    // MARK: Connections to the parent

    /// Connects to the parent, with its TLS, and adds `connection` to the pipeline.
    func dial(_ origin: Origin, _ connection: ParentConnection) -> EventLoopFuture<Void> {
        counters.parentConnections += 1
        let bound = NIOLoopBound(connection, eventLoop: eventLoop)
        let host = origin.host.description.trimmingBrackets
        // Its description, because Swift 6.3.1 misaligns an Origin that a closure captures.
        let text = origin.description
        let tls = core.tls
        let isSecure = origin.scheme == .https
        return ClientBootstrap(group: eventLoop)
            .connectTimeout(limits.connecting)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if isSecure {
                        guard let tls else { throw MissingTLS() }
                        try tls.addHandlers(to: pipeline, for: Origin(parsing: text))
                    }
                    try pipeline.addHandler(bound.value)
                }
            }
            .connect(host: host, port: Int(origin.port))
            .map { _ in }
    }

    // MARK: Time

    private func sweep() {
        now = .now()
        for client in clients.values { client.sweep() }
        pool.sweep()
    }

    // MARK: The end

    /// Takes no more clients; the requests under way may go on for the grace period.
    func end() -> EventLoopFuture<Void> {
        isEnding = true
        let promise = eventLoop.makePromise(of: Void.self)
        ended.append(promise)
        for client in clients.values { client.endSoon() }
        pool.closeIdle()
        eventLoop.assumeIsolated().scheduleTask(in: limits.grace) { self.closeAll() }
        finishIfEmpty()
        return promise.futureResult
    }

    private func closeAll() {
        for client in clients.values { client.abort() }
        for connection in pool.all.values { connection.close() }
    }

    private func finishIfEmpty() {
        guard isEnding, clients.isEmpty, !ended.isEmpty else { return }
        sweeping?.cancel()
        for connection in pool.all.values { connection.close() }
        for promise in ended { promise.succeed() }
        ended = []
    }

    func snapshot() -> RelayCounters {
        var snapshot = counters
        snapshot.clients = clients.count
        snapshot.openTunnels = clients.values.count { $0.isInTunnel }
        snapshot.openParentConnections = pool.openCount
        return snapshot
    }
}

/// The relay has no TLS for a parent that needs it.
struct MissingTLS: Error, CustomStringConvertible {
    var description: String { "the parent is https and the relay has no TLS: give it a TLSConnector" }
}

extension String {
    /// A host as a resolver takes it: without the brackets of IPv6.
    var trimmingBrackets: String { hasPrefix("[") ? String(dropFirst().dropLast()) : self }
}

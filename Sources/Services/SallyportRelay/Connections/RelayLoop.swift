internal import Hostnames
internal import NIOCore
internal import NIOPosix
internal import Sallyport
internal import SallyportNIO

/// The part of a relay that one event loop runs: its clients, and the connections that carry their requests.
///
/// Both ends of a request are on one event loop, so that nothing is passed between threads.
final class RelayLoop {
    let eventLoop: any EventLoop
    let core: RelayCore
    let allocator = ByteBufferAllocator()
    /// What a connection holds between its reads: the memory of the last one is used again by the next.
    let noBytes = ByteBuffer()
    /// The line that is added to each head.
    let via: ByteBuffer
    /// The time of the last sweep: exact enough for limits of seconds, and free.
    private(set) var now = NIODeadline.now()
    private(set) var isEnding = false
    var counters = RelayCounters()
    var latencies = RelayLatencies()
    private var clients: [ObjectIdentifier: ClientConnection] = [:]
    /// In the order of the settings.
    private(set) var parents: [UpstreamPool] = []
    /// The servers that are reached without a parent, while there are connections to them.
    private var servers: [ServerPlace: UpstreamPool] = [:]

    private struct ServerPlace: Hashable {
        let origin: Origin
        let way: UpstreamPool.Way
    }

    private let shareOfConnections: Int
    private let shareOfClients: Int
    private var sweeping: RepeatedTask?
    private var ended: [EventLoopPromise<Void>] = []

    var limits: RelayLimits { core.settings.limits }

    /// - Parameter loops: how many event loops share the limits.
    init(_ core: RelayCore, on eventLoop: any EventLoop, loops: Int) {
        self.core = core
        self.eventLoop = eventLoop
        via = ByteBuffer(string: core.via)
        shareOfConnections = max(1, core.settings.limits.parentConnections / loops)
        shareOfClients = max(1, core.settings.limits.clients / loops)
        parents = core.settings.parents.enumerated().map { index, origin in
            UpstreamPool(self, origin, .parent(index), limit: shareOfConnections)
        }
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

    // MARK: Where requests go

    /// The parent for a destination, or the server itself; `nil` if too many servers have connections.
    func pool(for destination: Destination) -> UpstreamPool? {
        guard destination.takesPath else { return parents[core.health.choice(at: now) ?? 0] }
        guard destination.isSecured else {
            return pool(of: destination.origin, .server(isMapped: destination.isMapped))
        }
        let parent = destination.isDirect ? nil : core.health.choice(at: now) ?? 0
        return pool(of: destination.origin, .secured(through: parent))
    }

    /// The connections to a server; `nil` if too many servers have connections.
    func pool(of server: Origin, _ way: UpstreamPool.Way) -> UpstreamPool? {
        let place = ServerPlace(origin: server, way: way)
        if let known = servers[place] { return known }
        if directCount >= shareOfConnections {
            // Those that no request uses make room.
            for server in servers.values where server.hasIdle { server.closeIdle() }
            guard directCount < shareOfConnections else { return nil }
        }
        let pool = UpstreamPool(self, server, way, limit: shareOfConnections)
        servers[place] = pool
        return pool
    }

    private var directCount: Int { servers.values.reduce(0) { $0 + $1.openCount } }

    /// A server without connections.
    func forget(_ pool: UpstreamPool) {
        let place = ServerPlace(origin: pool.origin, way: pool.way)
        if servers[place] === pool { servers[place] = nil }
    }

    func closeIdle() {
        for pool in parents { pool.closeIdle() }
        for pool in servers.values { pool.closeIdle() }
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

    // MARK: Connections

    /// Connects to the parent or the server of a connection, with TLS if the relay speaks it there, and adds `connection` to the pipeline.
    ///
    /// - Parameter handler: answers the parent whose tunnel the connection passes.
    func dial(_ connection: UpstreamConnection, by handler: ChallengeHandler) -> EventLoopFuture<Void> {
        counters.parentConnections += 1
        let pool = connection.pool
        if pool.tunnelParent != nil { return TunnelDial(connection, handler).dial() }
        let bound = NIOLoopBound(connection, eventLoop: eventLoop)
        let host = pool.origin.host.description.trimmingBrackets
        // Its description, because Swift 6.3.1 misaligns an Origin that a closure captures.
        let text = pool.origin.description
        let tls = core.tls
        let isSecure = pool.isSecure
        var bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(limits.connecting)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ConnectionOptions.apply(to: channel)
                    let pipeline = channel.pipeline.syncOperations
                    if isSecure {
                        guard let tls else { throw MissingTLS() }
                        try tls.addHandlers(to: pipeline, for: Origin(parsing: text))
                    }
                    try pipeline.addHandler(bound.value)
                }
            }
        // A parent may be on loopback, and a server that the settings name; another name must not lead there.
        if case .server(isMapped: false) = pool.way {
            let resolver = FilteringResolver(core.settings.destinations, scheme: pool.origin.scheme, on: eventLoop)
            bootstrap = bootstrap.resolver(resolver)
        } else if pool.origin.host.isAddress,
            let address = try? SocketAddress(ipAddress: host, port: Int(pool.origin.port))
        {
            // Without a resolver, which has threads of its own also for what it need not look up.
            return bootstrap.connect(to: address).map { _ in }
        }
        return bootstrap.connect(host: host, port: Int(pool.origin.port)).map { _ in }
    }

    // MARK: Time

    private func sweep() {
        now = .now()
        for client in clients.values { client.sweep() }
        for pool in parents { pool.sweep() }
        for pool in servers.values { pool.sweep() }
        core.probe(at: now, on: eventLoop)
    }

    // MARK: The end

    /// Takes no more clients; the requests under way may go on for the grace period.
    func end() -> EventLoopFuture<Void> {
        isEnding = true
        let promise = eventLoop.makePromise(of: Void.self)
        ended.append(promise)
        for client in clients.values { client.endSoon() }
        closeIdle()
        eventLoop.assumeIsolated().scheduleTask(in: limits.grace) { self.closeAll() }
        finishIfEmpty()
        return promise.futureResult
    }

    private func closeAll() {
        for client in clients.values { client.abort() }
        for pool in parents { pool.closeAll() }
        for pool in servers.values { pool.closeAll() }
    }

    private func finishIfEmpty() {
        guard isEnding, clients.isEmpty, !ended.isEmpty else { return }
        sweeping?.cancel()
        for pool in parents { pool.closeAll() }
        for pool in servers.values { pool.closeAll() }
        for promise in ended { promise.succeed() }
        ended = []
    }

    func snapshot() -> RelayCounters {
        var snapshot = counters
        snapshot.clients = clients.count
        snapshot.waitingForPassword = clients.values.count { $0.exchange?.asking != nil }
        snapshot.openTunnels = clients.values.count { $0.isInTunnel }
        snapshot.openParentConnections = parents.reduce(directCount) { $0 + $1.openCount }
        return snapshot
    }
}

/// The relay has no TLS for a parent or a server that needs it.
struct MissingTLS: Error, CustomStringConvertible {
    var description: String { "the other end is https and the relay has no TLS: give it a TLSConnector" }
}

extension String {
    /// A host as a resolver takes it: without the brackets of IPv6.
    var trimmingBrackets: String { hasPrefix("[") ? String(dropFirst().dropLast()) : self }
}

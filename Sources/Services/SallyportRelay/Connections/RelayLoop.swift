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
    /// By their positions in the table; made when a request needs them.
    private var parents: [UpstreamPool?] = []
    /// The servers that read requests themselves, while there are connections to them.
    private var servers: [ServerPlace: UpstreamPool] = [:]
    private var handshakes: [ObjectIdentifier: SOCKSHandshake] = [:]

    private struct ServerPlace: Hashable {
        let origin: Origin
        let way: Way
        let end: UpstreamPool.End
    }

    private let shareOfConnections: Int
    private var sweeping: RepeatedTask?
    private var ended: [EventLoopPromise<Void>] = []

    var limits: RelayLimits { core.settings.limits }

    /// - Parameter loops: how many event loops share the limits.
    init(_ core: RelayCore, on eventLoop: any EventLoop, loops: Int) {
        self.core = core
        self.eventLoop = eventLoop
        via = ByteBuffer(string: core.via)
        shareOfConnections = max(1, core.settings.limits.parentConnections / loops)
        sweeping = Self.sweeping(self)
    }

    /// Sweeps often enough for the shortest limit, and once a second at least.
    private static func sweeping(_ loop: RelayLoop) -> RepeatedTask {
        let limits = loop.limits
        let all = [
            limits.head, limits.tlsHandshake, limits.dropping, limits.idleClient, limits.idleParent, limits.stalled,
            limits.lingering, limits.handshake,
        ]
        let shortest = all.reduce(TimeAmount.seconds(4), min)
        let interval = TimeAmount.nanoseconds(max(shortest.nanoseconds / 4, 20_000_000))
        let bound = NIOLoopBound(loop, eventLoop: loop.eventLoop)
        return loop.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in bound.value.sweep() }
    }

    // MARK: Where requests go

    /// The parent that a way leads to, or the server itself; `nil` if too many servers have connections.
    func pool(for destination: Destination, by way: Way) -> UpstreamPool? {
        guard case .parent(let position) = way else { return server(destination, by: way, through: nil) }
        let isServer = destination.isSecured
        if !isServer, position < parents.count, let known = parents[position] { return known }
        let parent = core.parents[position]
        guard !isServer, parent.kind == .http else { return server(destination, by: way, through: parent) }
        let pool = UpstreamPool(self, parent.origin, by: way, to: .parent, through: parent, limit: shareOfConnections)
        while parents.count <= position { parents.append(nil) }
        parents[position] = pool
        return pool
    }

    private func server(_ destination: Destination, by way: Way, through proxy: RelayParent?) -> UpstreamPool? {
        let end: UpstreamPool.End =
            destination.isSecured ? .securedServer : destination.isMapped ? .mappedServer : .server
        let place = ServerPlace(origin: destination.origin, way: way, end: end)
        if let known = servers[place] { return known }
        if directCount >= shareOfConnections {
            // Those that no request uses make room.
            for server in servers.values where server.hasIdle { server.closeIdle() }
            guard directCount < shareOfConnections else { return nil }
        }
        let pool = UpstreamPool(
            self,
            destination.origin,
            by: way,
            to: end,
            through: proxy,
            limit: shareOfConnections
        )
        servers[place] = pool
        return pool
    }

    private var directCount: Int { servers.values.reduce(0) { $0 + $1.openCount } }

    /// A server without connections.
    func forget(_ pool: UpstreamPool) {
        let place = ServerPlace(origin: pool.origin, way: pool.way, end: pool.end)
        if servers[place] === pool { servers[place] = nil }
    }

    func closeIdle() {
        for case let pool? in parents { pool.closeIdle() }
        for pool in servers.values { pool.closeIdle() }
    }

    // MARK: Clients

    /// Whether another client may connect.
    func add(_ client: ClientConnection) -> Bool {
        guard !isEnding else { return false }
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
    /// - Parameters:
    ///   - handler: answers the parent that leads to the server.
    ///   - accounts: bring a password that `handler` has not.
    func dial(
        _ connection: UpstreamConnection,
        by handler: ChallengeHandler,
        _ accounts: AnsweringAccounts
    ) -> EventLoopFuture<Void> {
        counters.parentConnections += 1
        let pool = connection.pool
        if let parent = pool.tunnelParent { return TunnelDial(connection, handler, through: parent).dial() }
        if let socks = pool.socks {
            return dial(connection, through: socks, SOCKSLogOn(self, at: socks, handler, accounts))
        }
        let bound = NIOLoopBound(connection, eventLoop: eventLoop)
        // Its description, because Swift 6.3.1 misaligns an Origin that a closure captures.
        let text = pool.origin.description
        let tls = core.tls
        let isSecure = pool.isSecure
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(limits.connecting)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ConnectionOptions.apply(to: channel)
                    let pipeline = channel.pipeline.syncOperations
                    if isSecure {
                        try tls.addHandlers(to: pipeline, for: Origin(parsing: text))
                    }
                    try pipeline.addHandler(bound.value)
                }
            }
        return connect(bootstrap, to: pool.origin, of: pool).map { _ in }
    }

    /// Connects to the server or the proxy of a pool.
    func connect(_ bootstrap: ClientBootstrap, to origin: Origin, of pool: UpstreamPool) -> EventLoopFuture<any Channel>
    {
        bootstrap.connect(to: origin, isNamed: pool.isNamed, core.settings.destinations, on: eventLoop)
    }

    /// The same through a SOCKS proxy, which gets the name of the server. A password that it refuses is asked for anew.
    private func dial(
        _ connection: UpstreamConnection,
        through socks: RelayParent,
        _ logOn: SOCKSLogOn
    ) -> EventLoopFuture<Void> {
        let bound = NIOLoopBound((self, connection, logOn), eventLoop: eventLoop)
        return handshake(connection, socks, logOn).flatMapError { error in
            let (loop, connection, logOn) = bound.value
            guard error is SOCKSAgain else { return loop.eventLoop.makeFailedFuture(error) }
            return loop.dial(connection, through: logOn.parent, logOn)
        }
    }

    private func handshake(
        _ connection: UpstreamConnection,
        _ socks: RelayParent,
        _ logOn: SOCKSLogOn
    ) -> EventLoopFuture<Void> {
        let promise = eventLoop.makePromise(of: Void.self)
        let handshake = SOCKSHandshake(connection, logOn, promise)
        let id = ObjectIdentifier(handshake)
        handshakes[id] = handshake
        let bound = NIOLoopBound((self, handshake), eventLoop: eventLoop)
        promise.futureResult.whenComplete { _ in bound.value.0.handshakes[id] = nil }
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(limits.connecting)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ConnectionOptions.apply(to: channel)
                    try channel.pipeline.syncOperations.addHandler(bound.value.1)
                }
            }
        connect(bootstrap, to: socks.origin, of: connection.pool).whenFailure { bound.value.1.notConnected($0) }
        return promise.futureResult
    }

    // MARK: Time

    private func sweep() {
        now = .now()
        for client in clients.values { client.sweep() }
        for case let pool? in parents { pool.sweep() }
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
        for handshake in handshakes.values where handshake.isAsking { handshake.fail(.ending) }
        closeIdle()
        eventLoop.assumeIsolated().scheduleTask(in: limits.grace) { self.closeAll() }
        finishIfEmpty()
        return promise.futureResult
    }

    /// Ends requests and tunnels in their middle.
    func closeAll() {
        for client in clients.values { client.abort() }
        for handshake in handshakes.values { handshake.fail(.ending) }
        for case let pool? in parents { pool.closeAll() }
        for pool in servers.values { pool.closeAll() }
    }

    private func finishIfEmpty() {
        guard isEnding, clients.isEmpty, !ended.isEmpty else { return }
        sweeping?.cancel()
        for case let pool? in parents { pool.closeAll() }
        for pool in servers.values { pool.closeAll() }
        for promise in ended { promise.succeed() }
        ended = []
    }

    func snapshot() -> RelayCounters {
        var snapshot = counters
        snapshot.clients = clients.count
        snapshot.waitingForPassword =
            clients.values.count { $0.exchange?.isAsking == true } + handshakes.values.count { $0.isAsking }
        snapshot.openRequests = clients.values.count { $0.exchange != nil }
        snapshot.openTunnels = clients.values.count { $0.isInTunnel }
        snapshot.openParentConnections = parents.reduce(directCount) { $0 + ($1?.openCount ?? 0) }
        return snapshot
    }
}

extension String {
    /// A host as a resolver takes it: without the brackets of IPv6.
    var trimmingBrackets: String { hasPrefix("[") ? String(dropFirst().dropLast()) : self }
}

internal import AllowedSites
internal import ClientAuthentication
internal import Hostnames
public import NIOCore
public import NIOPosix
internal import NIOSSL
public import Sallyport
public import SallyportNIO
public import ServiceLifecycle
internal import ServiceSockets
internal import Synchronization

/// A local proxy that authenticates at the corporate proxy for clients that cannot.
///
/// It listens on loopback, takes requests in absolute form and CONNECT, and passes them to a parent. The parent's challenges are
/// answered from the profile; a client never sees them, and needs no password.
///
/// ```swift
/// let relay = Relay(authenticator, RelaySettings(parents: try Origin(parsing: "http://proxy.corp.example:8080")))
/// try await ServiceGroup(services: [relay], gracefulShutdownSignals: [.sigint, .sigterm], logger: logger).run()
/// ```
public final class Relay: Service {
    private struct Running {
        let channels: [any Channel]
        let loops: [BoundLoop]

        var addresses: [SocketAddress] { channels.compactMap(\.localAddress) }
    }

    /// The part of the relay on one event loop.
    private struct BoundLoop: Sendable {
        let eventLoop: any EventLoop
        let bound: NIOLoopBound<RelayLoop>

        var value: RelayLoop { bound.value }
    }

    private let core: RelayCore
    private let group: any EventLoopGroup
    private let running = Mutex<Running?>(nil)
    /// Those of a ``stop()`` that is under way.
    private let ending = Mutex<[BoundLoop]>([])

    /// Makes a relay that answers from the accounts of a profile.
    ///
    /// - Parameters:
    ///   - current: the handler in use; a reload counts for the next request.
    ///   - settings: the addresses and the bounds.
    ///   - tls: TLS for parents and servers whose scheme is https; `nil` for the roots of the system and the pins of the profile.
    ///   - group: where connections run.
    public convenience init(
        _ current: CurrentHandler,
        _ settings: RelaySettings,
        tls: TLSConnector? = nil,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        self.init(RelayCore(settings, current, nil, tls ?? TLSConnector(current)), group)
    }

    /// The same for a relay that asks for a missing password: a store, sources, or a person.
    public convenience init(
        _ authenticator: Authenticator,
        _ settings: RelaySettings,
        tls: TLSConnector? = nil,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        self.init(
            RelayCore(settings, authenticator.current, authenticator, tls ?? TLSConnector(authenticator.current)),
            group
        )
    }

    /// The same for a check, which gets to know each refusal.
    convenience init(
        checking authenticator: Authenticator,
        _ settings: RelaySettings,
        tls: TLSConnector,
        group: any EventLoopGroup,
        refused: @escaping @Sendable (RelayRefusal) -> Void
    ) {
        self.init(RelayCore(settings, authenticator.current, authenticator, tls, refused: refused), group)
    }

    private init(_ core: RelayCore, _ group: any EventLoopGroup) {
        self.core = core
        self.group = group
        core.accounts.authenticator?.onChange { [weak self] in
            self?.closeIdleConnections()
            return self != nil
        }
    }

    /// Listens until the service group shuts down, or the task is cancelled.
    public func run() async throws {
        try await start()
        // Both ways end in the same: requests under way may end first.
        try? await gracefulShutdown()
        await stop()
    }

    /// Listens, and returns the addresses: those of proxies, then those of mappings, of tunnels, and of SOCKS, each in the order of the settings.
    /// Port 0 becomes the port that the system chose. If the relay runs already, its addresses are returned.
    ///
    /// - Throws: ``RelayError``.
    @discardableResult
    public func start() async throws -> [SocketAddress] {
        if let addresses = running.withLock({ $0?.addresses }) { return addresses }
        let listeners = try core.settings.allListeners()
        try core.settings.check(listeners)
        let loops = try await makeLoops()
        let byLoop = Dictionary(uniqueKeysWithValues: loops.map { (ObjectIdentifier($0.eventLoop), $0) })
        let places = ClientPlaces(core.settings.limits, loops: loops.count)
        var channels: [any Channel] = []
        do {
            for listener in listeners { channels.append(try await listen(on: listener, byLoop, places)) }
        } catch {
            for channel in channels { try? await channel.close() }
            await Self.end(loops)
            throw error
        }
        let running = Running(channels: channels, loops: loops)
        self.running.withLock { $0 = running }
        return running.addresses
    }

    private func makeLoops() async throws -> [BoundLoop] {
        let core = core
        let eventLoops = Array(group.makeIterator())
        var loops: [BoundLoop] = []
        for eventLoop in eventLoops {
            loops.append(
                try await eventLoop.submit {
                    let loop = RelayLoop(core, on: eventLoop, loops: eventLoops.count)
                    return BoundLoop(eventLoop: eventLoop, bound: NIOLoopBound(loop, eventLoop: eventLoop))
                }.get()
            )
        }
        return loops
    }

    private func listen(
        on listener: RelayListener,
        _ loops: [ObjectIdentifier: BoundLoop],
        _ places: ClientPlaces
    ) async throws -> any Channel {
        let address = listener.address
        // A copy without an Origin, because a closure captures it.
        let clients = address.isLoopback ? nil : core.settings.clients
        let isOpen = clients == nil
        let tls = address.isSecure ? core.settings.certificate?.context : nil
        let (core, isLoopback) = (core, address.isLoopback)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            // So that not many more are accepted than there is room for.
            .serverChannelOption(.maxMessagesPerRead, value: 4)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let gate = AcceptGate(
                        places,
                        countsAddresses: !isLoopback,
                        refused: core.noteCrowd,
                        paused: core.notePause
                    )
                    try channel.pipeline.syncOperations.addHandler(gate)
                }
            }
            .childChannelInitializer { channel in
                guard isOpen || Self.isServed(channel.remoteAddress, clients) else { return channel.close() }
                return channel.eventLoop.makeCompletedFuture {
                    guard let loop = loops[ObjectIdentifier(channel.eventLoop)] else {
                        throw ChannelError.inappropriateOperationForState
                    }
                    try ConnectionOptions.apply(to: channel)
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(TLSBeginning(tls)) }
                    try pipeline.addHandler(AcceptedConnection(loop.value.clients, listener))
                }
            }
        do {
            if let socket = listener.socket { return try await bootstrap.withBoundSocket(socket).get() }
            return try await bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: address.host.withoutBrackets, port: Int(address.port)).get()
        } catch {
            throw RelayError.cannotListen(address, reason: ConnectReason.text(error))
        }
    }

    private static func isServed(_ address: SocketAddress?, _ clients: SiteTrie?) -> Bool {
        guard let address, let clients, let host = Hostname(address) else { return false }
        return clients.verdict(for: Origin(scheme: .http, host: host), path: "/").isAllowed
    }

    /// Takes no more clients, lets requests under way end within the grace period, and closes all connections.
    public func stop() async {
        guard let running = running.withLock({ $0.take() }) else { return }
        ending.withLock { $0 = running.loops }
        defer { ending.withLock { $0 = [] } }
        for channel in running.channels { try? await channel.close() }
        await core.endQuestions()
        await Self.end(running.loops)
        await core.tasks.end()
    }

    /// Closes all connections at once, with the requests and tunnels on them. A ``stop()`` that is under way ends then.
    public func closeAllConnections() {
        let loops = running.withLock { $0?.loops } ?? ending.withLock { $0 }
        for loop in loops { loop.eventLoop.execute { loop.value.closeAll() } }
    }

    private static func end(_ loops: [BoundLoop]) async {
        await withTaskGroup { group in
            for loop in loops {
                // An event loop that is gone has no connections.
                group.addTask { try? await loop.eventLoop.flatSubmit { loop.value.end() }.get() }
            }
        }
    }

    /// Closes the connections to the parent that no request uses, for example after a sign-out.
    public func closeIdleConnections() {
        for loop in running.withLock({ $0?.loops ?? [] }) { loop.eventLoop.execute { loop.value.closeIdle() } }
    }

    /// Whether each parent of the settings is used now; one that cannot be reached rests for a while.
    public func parentsInUse() -> [Bool] { core.health.areUp }

    /// Whether clients can connect.
    public var isListening: Bool { running.withLock { $0 != nil } }

    /// How long requests waited for their responses, since the start.
    public func latencies() async -> RelayLatencies {
        var sum = RelayLatencies()
        for loop in running.withLock({ $0?.loops ?? [] }) {
            if let part = try? await loop.eventLoop.submit({ loop.value.latencies }).get() { sum += part }
        }
        return sum
    }

    /// What the relay has done since its start.
    public func counters() async -> RelayCounters {
        var sum = RelayCounters()
        for loop in running.withLock({ $0?.loops ?? [] }) {
            if let part = try? await loop.eventLoop.submit({ loop.value.snapshot() }).get() { sum += part }
        }
        sum.shortages = core.shortages.load(ordering: .relaxed)
        return sum
    }
}

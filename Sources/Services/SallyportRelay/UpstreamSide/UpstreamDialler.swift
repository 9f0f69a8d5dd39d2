internal import Hostnames
internal import NIOCore
internal import NIOPosix
internal import Sallyport
internal import SallyportNIO

/// Opens the connections of one event loop: directly, through a tunnel of a parent, or through a SOCKS proxy.
final class UpstreamDialler {
    private let loop: LoopContext
    private var handshakes: [ObjectIdentifier: SOCKSHandshake] = [:]

    init(_ loop: LoopContext) { self.loop = loop }

    /// How many handshakes with SOCKS proxies wait for a password.
    var askingCount: Int { handshakes.values.count { $0.isAsking } }

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
        loop.counters.parentConnections += 1
        let pool = connection.pool
        if let parent = pool.tunnelParent { return TunnelDial(self, connection, handler, through: parent).dial() }
        if let socks = pool.socks {
            return dial(connection, through: SOCKSLogOn(loop, at: socks, handler, accounts))
        }
        let bound = NIOLoopBound(connection, eventLoop: loop.eventLoop)
        let origin = pool.origin
        let tls = loop.core.tls
        let isSecure = pool.isSecure
        let bootstrap = ClientBootstrap(group: loop.eventLoop)
            .connectTimeout(loop.limits.connecting)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ConnectionOptions.apply(to: channel)
                    let pipeline = channel.pipeline.syncOperations
                    if isSecure {
                        try tls.addHandlers(to: pipeline, for: origin)
                    }
                    try pipeline.addHandler(bound.value)
                }
            }
        return connect(bootstrap, to: pool.origin, of: pool).map { _ in }
    }

    /// Connects to the server or the proxy of a pool.
    func connect(_ bootstrap: ClientBootstrap, to origin: Origin, of pool: UpstreamPool) -> EventLoopFuture<any Channel>
    {
        bootstrap.connect(to: origin, isNamed: pool.isNamed, loop.core.settings.destinations, on: loop.eventLoop)
    }

    /// The same through a SOCKS proxy, which gets the name of the server. A password that it refuses is asked for anew.
    private func dial(_ connection: UpstreamConnection, through logOn: SOCKSLogOn) -> EventLoopFuture<Void> {
        let bound = NIOLoopBound((self, connection, logOn), eventLoop: loop.eventLoop)
        return handshake(connection, logOn).flatMapError { error in
            let (dialler, connection, logOn) = bound.value
            guard error is SOCKSAgain else { return dialler.loop.eventLoop.makeFailedFuture(error) }
            return dialler.dial(connection, through: logOn)
        }
    }

    private func handshake(_ connection: UpstreamConnection, _ logOn: SOCKSLogOn) -> EventLoopFuture<Void> {
        let promise = loop.eventLoop.makePromise(of: Void.self)
        let (pool, tls) = (connection.pool, loop.core.tls)
        let handshake = SOCKSHandshake(loop, to: pool.origin, logOn, promise) { pipeline in
            if pool.isSecure { try tls.addHandlers(to: pipeline, for: pool.origin) }
            try pipeline.addHandler(connection)
        }
        let id = ObjectIdentifier(handshake)
        handshakes[id] = handshake
        let bound = NIOLoopBound((self, handshake), eventLoop: loop.eventLoop)
        promise.futureResult.whenComplete { _ in bound.value.0.handshakes[id] = nil }
        let bootstrap = ClientBootstrap(group: loop.eventLoop)
            .connectTimeout(loop.limits.connecting)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ConnectionOptions.apply(to: channel)
                    try channel.pipeline.syncOperations.addHandler(bound.value.1)
                }
            }
        connect(bootstrap, to: logOn.parent.origin, of: pool).whenFailure { bound.value.1.notConnected($0) }
        return promise.futureResult
    }

    /// Ends the handshakes that wait for a person, who may never answer.
    func endQuestions() { for handshake in handshakes.values where handshake.isAsking { handshake.fail(.ending) } }

    /// Ends all handshakes.
    func endAll() { for handshake in handshakes.values { handshake.fail(.ending) } }
}

@available(*, unavailable)
extension UpstreamDialler: Sendable {}

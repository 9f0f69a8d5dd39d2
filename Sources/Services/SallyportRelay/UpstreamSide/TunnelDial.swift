internal import HTTP1
internal import Hostnames
internal import NIOCore
internal import NIOPosix
internal import Sallyport
internal import SallyportNIO

/// Connects to a server through a tunnel of a parent, with TLS inside it.
///
/// The parent's challenges are answered as on other connections to it, over as many connections as the answers need.
final class TunnelDial {
    /// The most connections for one tunnel: one is closed before a handshake, one inside it, and one carries it to its end.
    private static let mostConnections = 4

    private let dialler: UpstreamDialler
    private let connection: UpstreamConnection
    private let handler: ChallengeHandler
    private let parent: Origin
    private var connections = 0

    init(
        _ dialler: UpstreamDialler,
        _ connection: UpstreamConnection,
        _ handler: ChallengeHandler,
        through parent: Origin
    ) {
        (self.dialler, self.connection, self.handler, self.parent) = (dialler, connection, handler, parent)
    }

    private var loop: LoopContext { connection.pool.loop }

    /// Opens the tunnel, and adds the connection to its pipeline. The TLS handshake with the server is still under way at the end.
    func dial(_ continuing: ContinuedTunnel? = nil) -> EventLoopFuture<Void> {
        connections += 1
        let eventLoop = loop.eventLoop
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let opened = eventLoop.makePromise(of: Void.self)
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(loop.limits.connecting)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.maxMessagesPerRead, value: 1)
        dialler.connect(bootstrap, to: parent, of: connection.pool)
            // Not in the initializer, which runs for each address that is tried.
            .flatMapThrowing { channel in
                do { try bound.value.install(in: channel, continuing, opened) } catch {
                    channel.close(promise: nil)
                    throw error
                }
            }
            .whenFailure { opened.fail($0) }
        return opened.futureResult.flatMapError { error in
            let dial = bound.value
            guard case ProxyTunnelError.connectionNeeded(let tunnel) = error,
                dial.connections < Self.mostConnections
            else { return eventLoop.makeFailedFuture(error) }
            return dial.dial(tunnel)
        }
    }

    private func install(
        in channel: any Channel,
        _ continuing: ContinuedTunnel?,
        _ opened: EventLoopPromise<Void>
    ) throws {
        let tls = loop.core.tls
        let pipeline = channel.pipeline.syncOperations
        if parent.scheme == .https { try tls.addHandlers(to: pipeline, for: parent) }
        var options = ProxyTunnelOptions()
        options.deadline = loop.limits.waiting
        options.mostDrainedBytes = loop.limits.drainedBytes
        options.drainTime = loop.limits.dropping
        options.mostHeadBytes = HeadLimits.head
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        let server = connection.pool.origin
        let tunnel = ProxyTunnelHandler(
            // The request's own, whose accounts the pool's key names: the handler in use may be another one by now.
            CurrentHandler(handler),
            to: server,
            through: parent,
            options: options,
            continuing: continuing,
            opened: opened
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try tls.addHandlers(to: pipeline, for: server)
                try pipeline.addHandler(bound.value)
            }
        }
        try pipeline.addHandler(tunnel)
    }
}

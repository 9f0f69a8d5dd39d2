internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Sallyport
internal import SallyportNIO

/// Opens connections: TCP, a tunnel through a proxy where one is needed, TLS, and HTTP/1.1 on top.
struct Connector: Sendable {
    let group: any EventLoopGroup
    let settings: ClientSettings
    let tls: TLSConnector
    let current: CurrentHandler

    /// - Parameter deadline: the last moment for the connection; `settings` may set an earlier one.
    func connect(
        to origin: Origin,
        through proxy: Origin?,
        _ key: PoolKey,
        until deadline: NIODeadline
    ) async throws -> Connection {
        guard let proxy else {
            let isSecure = origin.scheme == .https
            let channel = try await UnreachedWay.noting { try await dial(origin, deadline, readsAtOnce: isSecure) }
            return try await withHTTP(channel, key, tlsTo: isSecure ? origin : nil)
        }
        guard origin.scheme == .https else {
            // The TLS of a connection to the proxy does not authenticate the origin.
            return try await UnreachedWay.noting {
                let isSecure = proxy.scheme == .https
                let channel = try await dial(proxy, deadline, readsAtOnce: isSecure)
                return try await withHTTP(channel, key, tlsTo: isSecure ? proxy : nil)
            }
        }
        let route = TunnelRoute<Connection>(origin: origin, proxy: proxy) { channel, connection in
            let secured = channel.eventLoop.makePromise(of: Void.self)
            secured.futureResult
                .flatMapThrowing { try Self.install(on: channel, key, channel.pipeline.syncOperations) }
                .cascade(to: connection)
            do {
                // What the proxy sends behind its response is the server's, and TLS judges it.
                try tls.addHandlers(to: channel.pipeline.syncOperations, for: origin, outcome: secured)
            } catch {
                secured.fail(error)
                throw error
            }
        }
        return try await tunnel(route, until: deadline)
    }

    /// Bytes to and from `origin`, without TLS: in a tunnel through `proxy`, and directly without one. The channel holds what comes.
    func bytes(
        of origin: Origin,
        through proxy: Origin?,
        until deadline: NIODeadline
    ) async throws -> AcceptedTunnel.Held {
        if let proxy {
            let route = TunnelRoute<AcceptedTunnel.Held>(origin: origin, proxy: proxy) { channel, opened in
                opened.succeed(try AcceptedTunnel.hold(channel))
            }
            return try await tunnel(route, until: deadline)
        }
        return try await UnreachedWay.noting {
            let held = NIOLockedValueBox<[AcceptedTunnel.Held]>([])
            // Before it is connected: a server may greet, and even leave, before anybody asks.
            let channel = try await dial(origin, deadline, readsAtOnce: false) { channel in
                let end = try AcceptedTunnel.hold(channel)
                held.withLockedValue { $0.append(end) }
            }
            guard let end = held.withLockedValue({ $0.first { $0.channel === channel } }) else {
                channel.close(promise: nil)
                throw ClientError.connectionLost(origin)
            }
            return end
        }
    }

    /// A tunnel, and what is made of it.
    private func tunnel<Value: Sendable>(_ route: TunnelRoute<Value>, until deadline: NIODeadline) async throws -> Value
    {
        var tunnel = try await UnreachedWay.noting { try await begin(route, deadline, nil) }
        do {
            return try await value(of: &tunnel, route, deadline)
        } catch {
            tunnel.channel.close(promise: nil)
            try Task.checkCancellation()
            throw error
        }
    }

    /// A connection without TLS. Unless it reads at once, its handlers call ``beginReading(_:)`` when they are there: a server may send before
    /// it is asked.
    ///
    /// - Parameter prepare: sets up the channel before it is connected. It may run for several channels, of which one is returned.
    private func dial(
        _ origin: Origin,
        _ deadline: NIODeadline,
        readsAtOnce: Bool,
        _ prepare: @escaping @Sendable (any Channel) throws -> Void = { _ in }
    ) async throws -> any Channel {
        // Connecting cannot be cancelled.
        let limit = deadline == .distantFuture ? settings.connectLimit : min(settings.connectLimit, deadline - .now())
        let bootstrap = ClientBootstrap(group: group)
            .connectTimeout(max(limit, .milliseconds(1)))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.autoRead, value: readsAtOnce)
            .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { try prepare(channel) } }
        do {
            return try await bootstrap.connect(host: origin.host.withoutBrackets, port: Int(origin.port)).get()
        } catch {
            throw ClientError.notConnected(origin, error)
        }
    }

    /// Reads from now on. On the event loop of the channel.
    private static func beginReading(_ channel: any Channel) throws {
        try channel.syncOptions?.setOption(.autoRead, value: true)
    }

    /// A connection with the TLS that the scheme of `party` wants.
    func open(to party: Origin, _ deadline: NIODeadline) async throws -> any Channel {
        let isSecure = party.scheme == .https
        let channel = try await dial(party, deadline, readsAtOnce: isSecure)
        if isSecure { try await tls.secure(channel, to: party) }
        return channel
    }

    /// What is made of a tunnel, over as many connections to the proxy as its authentication needs.
    private func value<Value: Sendable>(
        of tunnel: inout BegunTunnel<Value>,
        _ route: TunnelRoute<Value>,
        _ deadline: NIODeadline
    ) async throws -> Value {
        let proxy = route.proxy
        for _ in 0..<RequestLimits.sends {
            let continuing: ContinuedTunnel
            do {
                return try await tunnel.value(through: proxy)
            } catch ProxyTunnelError.connectionNeeded(let last) {
                continuing = last
            } catch ProxyTunnelError.refused(let status, let reason, let fields, let outcome) {
                throw RefusedTunnel(status: status, reason: reason, fields: fields, outcome: outcome)
            } catch let error as ProxyTunnelError {
                throw ClientError.notConnected(proxy, reason: "\(error)")
            }
            tunnel.channel.close(promise: nil)
            // The deadline of the request may have closed it.
            try Task.checkCancellation()
            tunnel = try await begin(route, deadline, continuing)
        }
        throw ClientError.notConnected(proxy, reason: "it closes every connection: check its log")
    }

    /// Connects to the proxy, and asks for a tunnel.
    private func begin<Value: Sendable>(
        _ route: TunnelRoute<Value>,
        _ deadline: NIODeadline,
        _ continuing: ContinuedTunnel?
    ) async throws -> BegunTunnel<Value> {
        let isSecure = route.proxy.scheme == .https
        let channel = try await dial(route.proxy, deadline, readsAtOnce: isSecure)
        // The handler misses nothing of a proxy that refuses our certificate after the handshake, as with TLS 1.3.
        guard isSecure else {
            return try await channel.eventLoop.submit { try addTunnel(route, channel, continuing) }.get()
        }
        return try await tls.secure(channel, to: route.proxy) { _ in try addTunnel(route, channel, continuing) }
    }

    /// On the event loop of the channel.
    private func addTunnel<Value: Sendable>(
        _ route: TunnelRoute<Value>,
        _ channel: any Channel,
        _ continuing: ContinuedTunnel?
    ) throws -> BegunTunnel<Value> {
        let pipeline = channel.pipeline.syncOperations
        let opened = channel.eventLoop.makePromise(of: Void.self)
        let value = channel.eventLoop.makePromise(of: Value.self)
        opened.futureResult.whenFailure { value.fail($0) }
        var options = ProxyTunnelOptions()
        (options.mostDrainedBytes, options.drainTime) = (settings.drainedBytes, settings.drainLimit)
        let handler = ProxyTunnelHandler(
            current,
            to: route.origin,
            through: route.proxy,
            options: options,
            continuing: continuing,
            opened: opened
        ) { channel in
            channel.eventLoop.makeCompletedFuture { try route.use(channel, value) }
        }
        let identity = pipeline.presentedIdentity()
        do {
            try pipeline.addHandler(handler)
            try Self.beginReading(channel)
        } catch {
            // The channel has been closed meanwhile.
            opened.fail(error)
            throw error
        }
        return BegunTunnel(
            channel: channel,
            handler: NIOLoopBound(handler, eventLoop: channel.eventLoop),
            opened: opened.futureResult,
            value: value.futureResult,
            identity: identity
        )
    }

    /// HTTP/1.1 on a channel, behind TLS to `server` if there is one.
    private func withHTTP(_ channel: any Channel, _ key: PoolKey, tlsTo server: Origin?) async throws -> Connection {
        do {
            guard let server else {
                return try await channel.eventLoop.submit {
                    try Self.install(on: channel, key, channel.pipeline.syncOperations)
                }.get()
            }
            return try await tls.secure(channel, to: server) { pipeline in
                try Self.install(on: channel, key, pipeline)
            }
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    private static func install(
        on channel: any Channel,
        _ key: PoolKey,
        _ pipeline: ChannelPipeline.SynchronousOperations
    ) throws -> Connection {
        let handler = ConnectionHandler()
        try pipeline.addHandlers([handler.originalFields, HTTPRequestEncoder(), handler])
        try beginReading(channel)
        return Connection(
            channel,
            handler,
            key: key,
            security: pipeline.connectionSecurity(),
            identity: pipeline.presentedIdentity()
        )
    }
}

/// A proxy that did not open a tunnel.
struct RefusedTunnel: Error {
    let status: Int
    let reason: String
    let fields: HTTPFields
    let outcome: RequestOutcome

    /// The error for the caller, if no credential is found.
    var error: ClientError {
        let offered = OfferedChallenges(by: .proxy, in: fields)
        return .tunnelRefused(status: status, reason: reason, outcome, offered: offered)
    }
}

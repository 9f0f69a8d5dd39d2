public import ClientAuthentication
internal import HTTPAuthentication
internal import Hostnames
public import Logging
public import NIOCore
public import NIOPosix
internal import SallyportNIO
public import ServiceLifecycle
internal import ServiceSockets
internal import Synchronization

/// Tells a proxy in front of a server who a client is: the proxy asks about each request, and passes on what is accepted.
///
/// The proxy asks over HTTP/1.1, with the client's method, target, address and `Authorization`. The answer is 200 with `X-Sallyport-User`, or a
/// refusal, which the proxy passes to the client. Connections are the proxy's own and carry many clients' requests, so only schemes that
/// authenticate one request are offered: Basic, Digest, and tickets of Kerberos.
///
/// ```swift
/// let clients = ClientAuthenticator(ClientAuthenticationOptions(party: .origin, realm: "wiki"), directory: directory)
/// let gateway = Gateway(clients, at: try GatewayAddress(parsing: "unix:/run/sallyport/gateway.sock"), behind: .nginx, logger: logger)
/// try await ServiceGroup(services: [gateway], gracefulShutdownSignals: [.sigterm], logger: logger).run()
/// ```
public final class Gateway: Service {
    private let core: GatewayCore
    private let address: GatewayAddress
    private let socketMode: UInt16
    private let group: any EventLoopGroup
    private let state = Mutex(State.ended)

    private enum State {
        /// Before ``start()``, and after ``stop()``.
        case ended
        /// It starts or ends.
        case changing
        case listening(any Channel, SocketFile?)
    }

    /// Makes a gateway, which does not listen yet.
    ///
    /// - Parameters:
    ///   - clients: what is offered, and where the accounts are. Its party is the origin.
    ///   - address: where it listens. A program that can connect can guess the passwords of all accounts.
    ///   - front: the proxy that asks.
    ///   - socketMode: the permissions of a socket; the proxy's user needs to write.
    ///   - limits: the bounds.
    ///   - logger: gets refusals, and errors of the directory.
    ///   - group: where it runs.
    /// - Precondition: the party of `clients` is the origin.
    public init(
        _ clients: ClientAuthenticator,
        at address: GatewayAddress,
        behind front: FrontProxy,
        socketMode: UInt16 = 0o660,
        limits: GatewayLimits = GatewayLimits(),
        logger: Logger,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        precondition(clients.options.party == .origin, "a gateway speaks for a server, whose status is 401")
        core = GatewayCore(clients, front, limits, logger)
        (self.address, self.socketMode, self.group) = (address, socketMode, group)
    }

    /// Answers until the service group shuts down, or the task is cancelled.
    public func run() async throws {
        try await start()
        try? await gracefulShutdown()
        await stop()
    }

    /// Listens, and returns the address, in which port 0 became the port that the system chose. If it listens already, returns its address.
    ///
    /// - Throws: ``GatewayError``.
    @discardableResult
    public func start() async throws -> GatewayAddress {
        let running = try state.withLock { state throws(GatewayError) -> (any Channel)? in
            switch state {
            case .ended:
                state = .changing
                return nil
            case .changing: throw .isChanging(address)
            case .listening(let channel, _): return channel
            }
        }
        if let running { return named(running) }
        do {
            core.begin()
            let (channel, file) = try await listen()
            state.withLock { $0 = .listening(channel, file) }
            return named(channel)
        } catch {
            state.withLock { $0 = .ended }
            throw error as? GatewayError ?? GatewayError.cannotListen(address, reason: ConnectReason.text(error))
        }
    }

    private func listen() async throws -> (any Channel, SocketFile?) {
        switch address {
        case .socket(let path):
            let early = path + SocketFile.ending
            try await SocketFile.clear(path, for: address, on: group)
            try await SocketFile.clear(early, for: address, on: group)
            let made = try await bootstrap.bind(unixDomainSocketPath: early).get()
            do { return (made, try SocketFile(naming: path, mode: socketMode)) } catch {
                // With the file under its first name.
                try? await made.close()
                throw error
            }
        case .loopback(let address):
            return (try await bootstrap.bind(host: address.host.withoutBrackets, port: Int(address.port)).get(), nil)
        }
    }

    private var bootstrap: ServerBootstrap {
        let core = core
        return ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let most = core.limits.connections
                    let gate = AcceptGate(ClientPlaces(most: most, perAddress: most), countsAddresses: false) { _ in
                    } paused: { reason in
                        let text =
                            switch reason {
                            case .full(let most): "\(most) are open"
                            case .shortage(let shortage): "\(shortage)"
                            }
                        core.logger.warning(
                            "no more connections are accepted until one ends",
                            metadata: ["reason": "\(text)"]
                        )
                    }
                    try channel.pipeline.syncOperations.addHandler(gate)
                }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(CheckConnection(core))
                }
            }
    }

    private func named(_ channel: any Channel) -> GatewayAddress {
        guard case .loopback(let address) = address, let port = channel.localAddress?.port else { return address }
        return .loopback(ListenAddress(host: address.host, port: UInt16(port)))
    }

    /// Closes the address, and the connections after their requests.
    public func stop() async {
        let (channel, file) = state.withLock { state -> ((any Channel)?, SocketFile?) in
            guard case .listening(let channel, let file) = state else { return (nil, nil) }
            state = .changing
            return (channel, file)
        }
        guard let channel else { return }
        // Before another program can have the path.
        file?.remove()
        try? await channel.close()
        await core.end()
        state.withLock { $0 = .ended }
    }
}

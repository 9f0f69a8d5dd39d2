import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportNIO

/// Sends one request after the other through bare handlers, and opens a connection whenever they ask for one.
actor LiveUser {
    let challenges: CurrentHandler
    private let authenticator: Authenticator?
    /// Where connections go: the server, or the proxy.
    private let address: Origin
    private let origin: Origin
    private let route: RequestRoute
    private let tls: TLSConnector?
    private var channel: (any Channel)?
    /// How many connections one request may use.
    private let mostConnections: Int

    /// A user of a guarded server or proxy, over plain http.
    init(_ server: GuardedServer, _ password: String) throws {
        challenges = CurrentHandler(try server.handler(password: password))
        address = try server.address()
        origin = server.isProxy ? try server.openOrigin : address
        route = server.isProxy ? .forwarded(by: address) : .direct
        tls = nil
        (authenticator, mostConnections) = (nil, Self.usual)
    }

    /// How many connections a request may use that is in no hurry.
    static let usual = 5

    /// A user who is asked for passwords.
    ///
    /// - Parameter proxy: a proxy that reads the requests; `nil` for none.
    init(
        _ authenticator: Authenticator,
        _ origin: Origin,
        through proxy: Origin? = nil,
        mostConnections: Int = usual
    ) {
        challenges = authenticator.current
        (self.authenticator, self.mostConnections) = (authenticator, mostConnections)
        (address, self.origin) = (proxy ?? origin, origin)
        route = proxy.map { .forwarded(by: $0) } ?? .direct
        tls = nil
    }

    /// A user of an https server.
    init(_ challenges: CurrentHandler, _ origin: Origin, _ tls: TLSConnector) {
        self.challenges = challenges
        (address, self.origin) = (origin, origin)
        route = .direct
        self.tls = tls
        (authenticator, mostConnections) = (nil, Self.usual)
    }

    /// Lets go of the connection; the next request opens another one.
    func close() async throws {
        try? await channel?.close()
        channel = nil
    }

    /// The last response to one request.
    func ask(_ target: String, body: String? = nil) async throws -> LiveReader.Answer {
        var continuing: ContinuedRequest?
        for _ in 0..<mostConnections {
            let isReused = continuing == nil && channel?.isActive == true
            let group = MultiThreadedEventLoopGroup.singleton
            let eventLoop = isReused ? channel?.eventLoop ?? group.next() : group.next()
            let answered = eventLoop.makePromise(of: LiveReader.Answer.self)
            // A test that hangs ends some time. The machine may be busy for minutes.
            let timer = eventLoop.scheduleTask(in: .hours(1)) {
                answered.fail(ChannelError.connectTimeout(.hours(1)))
            }
            defer {
                timer.cancel()
                // A promise must end, also where the reader could not join.
                answered.fail(ChannelError.eof)
            }
            do {
                let channel = try await connection(continuing, answered)
                if continuing == nil { try await write(target, body, to: channel) }
                let answer = try await answered.futureResult.get()
                // lighttpd closes after a wrong password, and after a body that it did not read.
                if !answer.isKeptAlive {
                    try? await channel.close()
                    self.channel = nil
                }
                return answer
            } catch AuthenticationError.connectionNeeded(let request) {
                continuing = request
                self.channel = nil
            } catch let lost where (isReused || body != nil) && (lost is ChannelError || lost is IOError) {
                // The server has closed the kept connection meanwhile. Or it has closed one whose body it does not read, and the system
                // has dropped the response with that.
                (continuing, self.channel) = (nil, nil)
            }
        }
        throw ChannelError.eof
    }

    private func write(_ target: String, _ body: String?, to channel: any Channel) async throws {
        var head = HTTPRequestHead(version: .http1_1, method: body == nil ? .GET : .POST, uri: target)
        head.headers.add(name: "Host", value: "\(origin.host):\(origin.port)")
        if let body { head.headers.add(name: "Content-Length", value: "\(body.utf8.count)") }
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if let body { channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(string: body))), promise: nil) }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }

    /// A connection whose next response completes `answered`. A new one has the reader from the begin, because a continued request is sent
    /// at once.
    private func connection(
        _ continuing: ContinuedRequest?,
        _ answered: EventLoopPromise<LiveReader.Answer>
    ) async throws -> any Channel {
        if continuing == nil, let channel, channel.isActive {
            try await channel.pipeline.addHandler(LiveReader(answered)).get()
            return channel
        }
        let (challenges, authenticator, origin, route) = (challenges, authenticator, origin, route)
        let opened = try await ClientBootstrap(group: answered.futureResult.eventLoop).connectTimeout(.hours(1))
            .channelOption(.autoRead, value: tls != nil)
            .connect(host: "localhost", port: Int(address.port)).get()
        @Sendable func addHTTP(_ pipeline: ChannelPipeline.SynchronousOperations) throws {
            let handler =
                authenticator.map {
                    AuthenticationClientHandler($0, origin: origin, route: route, continuing: continuing)
                } ?? AuthenticationClientHandler(challenges, origin: origin, route: route, continuing: continuing)
            try pipeline.addAuthenticatingHTTPClientHandlers(handler)
            try pipeline.addHandler(LiveReader(answered))
        }
        if let tls {
            try await tls.secure(opened, to: origin) { try addHTTP($0) }
        } else {
            try await opened.eventLoop.submit { try addHTTP(opened.pipeline.syncOperations) }.get()
        }
        channel = opened
        return opened
    }
}

/// Reads one response by hand, and then leaves, when a read event has ended.
///
/// Sendable without a check, because a task makes it and passes it to the event loop of its channel, which alone uses it from then on.
final class LiveReader: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = HTTPClientResponsePart

    struct Answer {
        var status = 0
        var isKeptAlive = true
        var text = ""
    }

    private let answered: EventLoopPromise<Answer>
    private var answer = Answer()
    private var hasEnded = false

    init(_ answered: EventLoopPromise<Answer>) { self.answered = answered }

    func handlerAdded(context: ChannelHandlerContext) { context.read() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): answer = Answer(status: Int(head.status.code), isKeptAlive: head.isKeepAlive)
        case .body(let part): answer.text += String(buffer: part)
        case .end: hasEnded = true
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard hasEnded else { return context.read() }
        answered.succeed(answer)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { answered.fail(error) }

    func channelInactive(context: ChannelHandlerContext) { answered.fail(ChannelError.eof) }

    /// A handler that joins between the close of a channel and the end of its pipeline hears of neither.
    func handlerRemoved(context: ChannelHandlerContext) { answered.fail(ChannelError.eof) }
}

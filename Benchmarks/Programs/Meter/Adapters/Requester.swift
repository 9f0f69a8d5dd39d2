internal import Hostnames
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Sallyport
internal import SallyportNIO

/// A connection of a client, which sends one request after the other.
final class Requester: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// The name of the server, as long as names are: short ones need no memory of their own.
    static let name = "http://wiki.corp.example"

    private let head = HTTPRequestHead(
        version: .http1_1,
        method: .GET,
        uri: "/handbook/travel/expenses",
        headers: ["Host": "wiki.corp.example", "Accept": "*/*"]
    )
    private var left = 0
    private var done: EventLoopPromise<Void>?
    private var status = HTTPResponseStatus.ok
    private var context: ChannelHandlerContext?

    /// Opens a connection to `server`.
    ///
    /// - Parameters:
    ///   - handler: decides for the handler of Sallyport; `nil` for a connection without it.
    ///   - looks: whether a handler that only looks takes its place.
    static func connect(
        _ server: Origin,
        _ handler: CurrentHandler?,
        looks: Bool = false,
        on loop: any EventLoop
    ) async throws -> (channel: any Channel, requester: NIOLoopBound<Requester>) {
        try await ClientBootstrap(group: loop).connect(host: "127.0.0.1", port: Int(server.port)).flatMapThrowing {
            channel in
            let requester = Requester()
            let pipeline = channel.pipeline.syncOperations
            if let handler {
                let authentication = AuthenticationClientHandler(handler, origin: try Origin(parsing: Self.name))
                try pipeline.addAuthenticatingHTTPClientHandlers(authentication)
            } else {
                try pipeline.addHandlers([
                    HTTPRequestEncoder(),
                    ByteToMessageHandler(HTTPResponseDecoder(informationalResponseStrategy: .forward)),
                ])
            }
            if looks { try pipeline.addHandler(LookingHandler()) }
            try pipeline.addHandler(requester)
            return (channel, NIOLoopBound(requester, eventLoop: channel.eventLoop))
        }.get()
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// Sends `count` requests in turn; `promise` succeeds after the last response.
    func send(_ count: Int, _ promise: EventLoopPromise<Void>) {
        (left, done) = (count, promise)
        sendOne()
    }

    private func sendOne() {
        guard let context else { return }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = head.status
        case .body: break
        case .end:
            guard status == .ok else { return fail(MeterError(what: "status \(status.code)")) }
            left -= 1
            if left > 0 { return sendOne() }
            done?.succeed()
            done = nil
        }
    }

    func channelInactive(context: ChannelHandlerContext) { fail(ChannelError.eof) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error) }

    private func fail(_ error: any Error) {
        done?.fail(error)
        done = nil
    }
}

/// Why a measurement cannot go on.
struct MeterError: Error, CustomStringConvertible {
    let what: String

    var description: String { "the server and the client disagree: \(what)" }
}

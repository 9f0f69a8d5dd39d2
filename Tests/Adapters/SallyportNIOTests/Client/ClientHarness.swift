import NIOCore
import NIOEmbedded
import NIOHTTP1
import Sallyport
import SallyportNIO
import Testing

/// A channel without a codec: what the handler sends, and what it passes on.
final class ClientHarness {
    let channel: EmbeddedChannel
    let handler: AuthenticationClientHandler
    let user = PassedOn()
    private let socket = SocketStandIn()

    init(
        _ challenges: ChallengeHandler,
        origin: String = ClientProfile.site,
        route: RequestRoute = .direct,
        continuing: ContinuedRequest? = nil,
        _ change: (inout AuthenticationClientOptions) -> Void = { _ in }
    ) throws {
        var options = AuthenticationClientOptions()
        change(&options)
        handler = AuthenticationClientHandler(
            challenges,
            origin: try Origin(parsing: origin),
            route: route,
            options: options,
            continuing: continuing
        )
        channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([socket, handler, user])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    }

    /// A request as it was sent.
    struct Sent: Equatable {
        var head: HTTPRequestHead
        var body = ""
        var trailers: HTTPHeaders?
        var isEnded = false

        subscript(name: String) -> String? { head.headers.first(name: name) }
    }

    /// The next request that was sent, as far as it was.
    func sent(_ location: SourceLocation = #_sourceLocation) throws -> Sent {
        let first = try channel.readOutbound(as: HTTPClientRequestPart.self)
        guard case .head(let head)? = first else {
            Issue.record("no head was sent: \(String(describing: first))", sourceLocation: location)
            throw NothingSent()
        }
        return try more(of: Sent(head: head))
    }

    struct NothingSent: Error {}

    /// `request` with what was sent of it since.
    func more(of request: Sent) throws -> Sent {
        var request = request
        while !request.isEnded, let part = try channel.readOutbound(as: HTTPClientRequestPart.self) {
            switch part {
            case .head: Issue.record("a head follows an unfinished request")
            case .body(let data): if case .byteBuffer(let bytes) = data { request.body += String(buffer: bytes) }
            case .end(let trailers): (request.trailers, request.isEnded) = (trailers, true)
            }
        }
        return request
    }

    var hasSentMore: Bool { get throws { try channel.readOutbound(as: HTTPClientRequestPart.self) != nil } }

    /// Writes a request, or the beginning of one, and flushes. Returns the results of its writes.
    @discardableResult
    func request(
        _ method: HTTPMethod = .GET,
        _ target: String = "/",
        _ headers: HTTPHeaders = [:],
        body: String? = nil,
        trailers: HTTPHeaders? = nil,
        ends: Bool = true
    ) -> Writes {
        let writes = Writes()
        write(.head(HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: headers)), writes)
        if let body { write(.body(.byteBuffer(ByteBuffer(string: body))), writes) }
        if ends { write(.end(trailers), writes) }
        channel.flush()
        return writes
    }

    func write(_ part: HTTPClientRequestPart, _ writes: Writes) {
        writes.expected += 1
        channel.write(part).assumeIsolated().whenComplete { result in
            switch result {
            case .success: writes.done += 1
            case .failure(let error): writes.errors.append(error)
            }
        }
    }

    /// A response, or the beginning of one.
    func respond(
        _ status: Int,
        _ headers: HTTPHeaders = [:],
        body: String? = nil,
        version: HTTPVersion = .http1_1,
        ends: Bool = true,
        trailers: HTTPHeaders? = nil
    ) throws {
        var headers = headers
        if !headers.contains(name: "Content-Length"), !headers.contains(name: "Transfer-Encoding") {
            headers.add(name: "Content-Length", value: "\(body?.utf8.count ?? 0)")
        }
        let head = HTTPResponseHead(version: version, status: .init(statusCode: status), headers: headers)
        try give(.head(head))
        if let body { try give(.body(ByteBuffer(string: body))) }
        if ends { try give(.end(trailers)) }
    }

    func give(_ part: HTTPClientResponsePart) throws { try channel.writeInbound(part) }

    func challenge(_ challenge: String = "Basic realm=x", _ more: HTTPHeaders = [:], body: String? = "no") throws {
        var headers = more
        headers.add(name: "WWW-Authenticate", value: challenge)
        try respond(401, headers, body: body)
    }

    /// The reads that reached the socket since the last call.
    func takeReads() -> Int {
        defer { socket.count = 0 }
        return socket.count
    }

    /// The request that needs a new connection.
    func continued(_ location: SourceLocation = #_sourceLocation) throws -> ContinuedRequest {
        guard case .connectionNeeded(let request)? = user.errors.first as? AuthenticationError else {
            Issue.record("\(user.errors)", sourceLocation: location)
            throw NothingSent()
        }
        #expect(!channel.isActive, sourceLocation: location)
        return request
    }
}

/// The results of writes.
final class Writes {
    var expected = 0
    var done = 0
    var errors: [any Error] = []

    var haveSucceeded: Bool { done == expected && errors.isEmpty }
    var haveEnded: Bool { done + errors.count == expected }
}

/// What a handler passed to the user, who takes it when a read event ends, as `NIOAsyncChannel` does.
final class PassedOn: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var parts: [HTTPClientResponsePart] = []

    var statuses: [Int] = []
    var lastHead: HTTPResponseHead?
    var body = ""
    var trailers: HTTPHeaders?
    var ends = 0
    /// Outcomes with the number of heads that came before.
    var outcomes: [RequestOutcome] = []
    var headsAtOutcome: [Int] = []
    var errors: [any Error] = []
    var isInactive = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { parts.append(unwrapInboundIn(data)) }

    func channelReadComplete(context: ChannelHandlerContext) {
        for part in parts {
            switch part {
            case .head(let head):
                lastHead = head
                statuses.append(Int(head.status.code))
            case .body(let bytes): body += String(buffer: bytes)
            case .end(let trailers): (self.trailers, ends) = (trailers, ends + 1)
            }
        }
        parts = []
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? AuthenticationOutcome else { return }
        outcomes.append(event.outcome)
        headsAtOutcome.append(statuses.count)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { errors.append(error) }

    func channelInactive(context: ChannelHandlerContext) {
        channelReadComplete(context: context)
        isInactive = true
    }
}

/// Replaces the socket: counts reads, and can close its output.
final class SocketStandIn: ChannelOutboundHandler {
    typealias OutboundIn = NIOAny

    var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }

    /// `EmbeddedChannel` would close both sides.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
    }
}

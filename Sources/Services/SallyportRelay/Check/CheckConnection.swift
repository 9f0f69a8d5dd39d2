internal import HTTP1
internal import HTTPTypes
internal import NIOCore
internal import NIOPosix
internal import SallyportNIO

/// One connection of a ``RelayCheck``, which sends a head and waits for the head of the response.
struct CheckConnection: Sendable {
    let channel: any Channel
    private let limit: TimeAmount

    /// - Parameter limit: how long connecting, and each response, may take.
    static func open(to address: SocketAddress, limit: TimeAmount, on group: any EventLoopGroup) async throws
        -> CheckConnection
    {
        let channel = try await ClientBootstrap(group: group).connectTimeout(limit).connect(to: address).get()
        return CheckConnection(channel: channel, limit: limit)
    }

    /// Sends `head` and returns the first response that is not interim, with the first bytes of the body if it is an error.
    func response(to head: String, method: RequestHead.Method) async throws -> CheckResponse {
        let promise = channel.eventLoop.makePromise(of: CheckResponse.self)
        let limit = limit
        return try await channel.eventLoop.flatSubmit { [channel] in
            let collector = ResponseCollector(promise, method)
            do {
                try channel.pipeline.syncOperations.addHandler(collector)
            } catch {
                promise.fail(error)
            }
            let timer = channel.eventLoop.assumeIsolated().scheduleTask(in: limit) {
                promise.fail(CheckProblem.noResponse(limit))
            }
            promise.futureResult.whenComplete { _ in timer.cancel() }
            channel.writeAndFlush(ByteBuffer(string: head), promise: nil)
            return promise.futureResult
        }.get()
    }

    func close() async { try? await channel.close() }
}

/// What a ``RelayCheck`` reads of a response.
struct CheckResponse: Sendable {
    let status: Int
    /// In printable ASCII.
    let reason: String
    /// The values of Proxy-Authenticate, in their order.
    let challenges: [String]
    let body: String

    var statusText: String { ProxyTunnelError.text(status, reason) }
}

/// Why a step of a ``RelayCheck`` has no result.
enum CheckProblem: Error, CustomStringConvertible {
    case noResponse(TimeAmount)
    case closed

    var description: String {
        switch self {
        case .noResponse(let limit):
            "no response came within \(limit.nanoseconds / 1_000_000_000) s: check that the port is an HTTP proxy"
        case .closed: "the connection was closed without a response: check that the port is an HTTP proxy"
        }
    }
}

/// Collects the head of one response, and removes itself.
private final class ResponseCollector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<CheckResponse>
    /// The most bytes of an error's body that are read.
    private static let bodyBytes = 1_024
    private var reader = ResponseReader()
    private var head: (ResponseHead, ByteBuffer)?
    /// The beginning of an error's body.
    private var body = ByteBuffer()

    init(_ promise: EventLoopPromise<CheckResponse>, _ method: RequestHead.Method) {
        self.promise = promise
        reader.begin(method)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.append(unwrapInboundIn(data))
        do {
            while let part = try reader.next() {
                switch part {
                case .interim: continue
                case .head(let head, let bytes):
                    self.head = (head, bytes)
                    if head.status < 400 { return finish(context, (head, bytes)) }
                case .data(let data):
                    body.writeImmutableBuffer(data)
                    if let head, body.readableBytes >= Self.bodyBytes { return finish(context, head) }
                case .end:
                    if let head { return finish(context, head) }
                }
            }
        } catch {
            if let head { finish(context, head) } else { promise.fail(ResponseDefect(error)) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let head { finish(context, head) } else { promise.fail(CheckProblem.closed) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }

    private func finish(_ context: ChannelHandlerContext, _ head: (ResponseHead, ByteBuffer)) {
        let fields = head.0.decisiveFields(of: head.1)
        let response = CheckResponse(
            status: head.0.status,
            reason: head.0.reason(in: head.1),
            challenges: fields[values: .proxyAuthenticate],
            body: body.getString(at: body.readerIndex, length: min(Self.bodyBytes, body.readableBytes)) ?? ""
        )
        promise.succeed(response)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}

@available(*, unavailable)
extension ResponseCollector: Sendable {}

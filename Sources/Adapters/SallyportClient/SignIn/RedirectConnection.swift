internal import NIOCore
internal import NIOHTTP1
internal import OAuth
internal import Synchronization

/// One request to the redirect's port, which waits for its page.
struct RedirectRequest: Sendable {
    let isGet: Bool
    let target: String
    let channel: any Channel

    /// Sends the page and closes the connection.
    func answer(_ page: RedirectPage) async { try? await page.write(to: channel).get() }
}

/// What the browser shows. A page contains no part of the request.
struct RedirectPage: Sendable {
    let status: HTTPResponseStatus
    let text: String

    static let arrived = RedirectPage(
        status: .ok,
        text: "The sign-in has reached the program. You can close this window."
    )
    static let failed = RedirectPage(
        status: .badRequest,
        text: "The sign-in has failed. The program that began it says why. You can close this window."
    )
    static let notThisSignIn = RedirectPage(status: .badRequest, text: "This page belongs to another sign-in.")
    static let notFound = RedirectPage(status: .notFound, text: "There is no page here.")
    static let methodNotAllowed = RedirectPage(status: .methodNotAllowed, text: "Only GET is answered here.")
    static let busy = RedirectPage(status: .serviceUnavailable, text: "Too many requests are waiting.")

    /// Writes the response, then closes.
    func write(to channel: any Channel) -> EventLoopFuture<Void> {
        let body = "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Sallyport</title><p>\(text)</p></html>\n"
        let headers: HTTPHeaders = [
            "Content-Type": "text/html; charset=utf-8", "Content-Length": "\(body.utf8.count)", "Connection": "close",
            // The address of the page holds the code.
            "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
            "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: body))), promise: nil)
        return channel.writeAndFlush(HTTPServerResponsePart.end(nil)).flatMap { channel.close() }
    }
}

/// Hands on the one request of a connection.
final class RedirectConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let incoming: AsyncStream<RedirectRequest>.Continuation
    private let connections: RedirectConnections
    private var hasRequest = false

    init(_ incoming: AsyncStream<RedirectRequest>.Continuation, _ connections: RedirectConnections) {
        (self.incoming, self.connections) = (incoming, connections)
    }

    func channelActive(context: ChannelHandlerContext) {
        // Also ends a connection whose browser never reads the page.
        let channel = context.channel
        context.eventLoop.scheduleTask(in: RedirectListener.patience) { channel.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data), !hasRequest else { return }
        hasRequest = true
        connections.hasSent(context.channel)
        guard head.uri.utf8.count <= TokenLimits.redirectBytes else {
            return RedirectPage.notThisSignIn.write(to: context.channel).whenComplete { _ in }
        }
        let request = RedirectRequest(isGet: head.method == .GET, target: head.uri, channel: context.channel)
        if case .enqueued = incoming.yield(request) { return }
        RedirectPage.busy.write(to: context.channel).whenComplete { _ in }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The open connections, so that they end with the listener.
final class RedirectConnections: Sendable {
    private struct Connection {
        let channel: any Channel
        var hasSent = false
    }

    private let limit: Int
    /// In the order in which they came.
    private let open = Mutex<[Connection]>([])

    init(limit: Int) { self.limit = limit }

    /// Takes one more. Beyond the limit the oldest gives way, of those that have sent nothing if there are any.
    func add(_ channel: any Channel) {
        let last = open.withLock { open in
            open.append(Connection(channel: channel))
            guard open.count > limit else { return nil as (any Channel)? }
            return open.remove(at: open.dropLast().firstIndex { !$0.hasSent } ?? 0).channel
        }
        last?.close(promise: nil)
        channel.closeFuture.whenComplete { [self] _ in
            open.withLock { open in open.removeAll { $0.channel === channel } }
        }
    }

    /// The connection has sent a request.
    func hasSent(_ channel: any Channel) {
        open.withLock { open in
            if let index = open.firstIndex(where: { $0.channel === channel }) { open[index].hasSent = true }
        }
    }

    func close() async {
        for connection in open.withLock({ $0 }) { try? await connection.channel.close() }
    }
}

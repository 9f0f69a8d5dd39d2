package import NIOCore
package import NIOHTTP1

/// The bounds of what comes before the body of a response. NIO's decoder bounds fields, and neither the reason phrase nor the interim
/// responses.
public enum ResponseLimits {
    /// The most bytes of one head. What came with its last bytes in one read counts, too.
    public static let headBytes = 64 << 10
    /// The most interim responses (1xx) before one response.
    public static let interimResponses = 16
}

extension ChannelPipeline.SynchronousOperations {
    /// Bounds the heads of responses around NIO's decoder, which is in the pipeline. A response beyond them is a ``ResponseDefect`` in
    /// `errorCaught`, and the end of the connection.
    package func addResponseLimits(around decoder: ByteToMessageHandler<HTTPResponseDecoder>) throws {
        let count = ResponseHeadCount()
        try addHandler(ResponseByteCounter(count), position: .before(decoder))
        try addHandler(ResponseHeadCounter(count), position: .after(decoder))
    }
}

/// What has come of a response. Two handlers of one pipeline share it.
private final class ResponseHeadCount {
    /// The bytes since the head began; `nil` in a body.
    var headBytes: Int? = 0
    var interimResponses = 0
    /// Whether the connection has failed, so that nothing of it counts.
    var hasFailed = false

    func fail(_ defect: ResponseDefect, _ context: ChannelHandlerContext) {
        hasFailed = true
        context.fireErrorCaught(defect)
        context.close(promise: nil)
    }
}

/// Counts the bytes before the decoder.
private final class ResponseByteCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let count: ResponseHeadCount

    init(_ count: ResponseHeadCount) { self.count = count }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !count.hasFailed else { return }
        if let bytes = count.headBytes { count.headBytes = bytes + unwrapInboundIn(data).readableBytes }
        // The decoder tells the other handler what it finds before this returns.
        context.fireChannelRead(data)
        guard !count.hasFailed, let bytes = count.headBytes, bytes > ResponseLimits.headBytes else { return }
        count.fail(.headTooLong(bound: ResponseLimits.headBytes), context)
    }
}

/// Counts the heads behind the decoder.
private final class ResponseHeadCounter: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private let count: ResponseHeadCount

    init(_ count: ResponseHeadCount) { self.count = count }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !count.hasFailed else { return }
        switch unwrapInboundIn(data) {
        case .head(let head) where head.status.code < 200 && head.status != .switchingProtocols:
            count.headBytes = 0
            count.interimResponses += 1
            guard count.interimResponses <= ResponseLimits.interimResponses else {
                return count.fail(.tooManyInterimResponses(bound: ResponseLimits.interimResponses), context)
            }
        case .head: (count.headBytes, count.interimResponses) = (nil, 0)
        case .body: break
        case .end: count.headBytes = 0
        }
        context.fireChannelRead(data)
    }
}

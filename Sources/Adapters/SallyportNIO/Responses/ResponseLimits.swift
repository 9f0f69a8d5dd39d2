internal import HTTP1
package import NIOCore
package import NIOHTTP1

/// The bounds of a response without its body. NIO's decoder bounds the fields alone. It does not bound the reason phrase, the number of
/// interim responses, or the line with a chunk's size.
public enum ResponseLimits {
    /// The most bytes of one head, of one line with a chunk's size, and of the trailers.
    public static let headBytes = HeadLimits.head
    /// The most interim responses (1xx) before one response.
    public static let interimResponses = HeadLimits.interimResponses
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
    /// The bytes since the last part of a response; `nil` behind an upgrade.
    var bytes: Int? = 0
    var isInBody = false
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
        var rest = unwrapInboundIn(data)
        // What came in one read is cut at the bound, so that the bound does not depend on how the bytes came.
        while !count.hasFailed, let bytes = count.bytes, bytes + rest.readableBytes > ResponseLimits.headBytes {
            guard let piece = rest.readSlice(length: ResponseLimits.headBytes - bytes), piece.readableBytes > 0 else {
                return count.fail(count.isInBody ? .chunk : .headTooLong(bound: ResponseLimits.headBytes), context)
            }
            pass(piece, context)
        }
        guard !count.hasFailed else { return }
        pass(rest, context)
    }

    private func pass(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        if let before = count.bytes { count.bytes = before + bytes.readableBytes }
        // The decoder tells the other handler what it finds before this returns.
        context.fireChannelRead(wrapInboundOut(bytes))
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
        if count.bytes != nil { count.bytes = 0 }
        switch unwrapInboundIn(data) {
        case .head(let head):
            if head.status == .switchingProtocols {
                count.bytes = nil
            } else if head.status.code < 200 {
                count.interimResponses += 1
                guard count.interimResponses <= ResponseLimits.interimResponses else {
                    return count.fail(.tooManyInterimResponses(bound: ResponseLimits.interimResponses), context)
                }
            } else {
                (count.isInBody, count.interimResponses) = (true, 0)
            }
        case .body: break
        case .end: count.isInBody = false
        }
        context.fireChannelRead(data)
    }
}

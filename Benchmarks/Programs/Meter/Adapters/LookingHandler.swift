internal import NIOCore
internal import NIOHTTP1

/// Looks at each part of requests and responses, and does nothing else: the least that a handler of authentication can cost.
final class LookingHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private var challenges = 0
    private var requests = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data) { requests += 1 }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.status == .unauthorized { challenges += 1 }
        context.fireChannelRead(data)
    }
}

internal import NIOCore
internal import NIOSSL

/// Begins TLS at a listener with TLS when the client does.
///
/// Other bytes reach the connection as they are, which then answers in the client's protocol. In the handler of TLS they would be an
/// error, and the client would see the end of the connection only.
final class TLSBeginning: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let tls: NIOSSLContext

    init(_ tls: NIOSSLContext) { self.tls = tls }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if ForeignProtocol(firstBytes: bytes.readableBytesUInt8Span) == .tls {
            do {
                try context.pipeline.syncOperations.addHandler(
                    NIOSSLServerHandler(context: tls),
                    position: .after(self)
                )
            } catch {
                return context.close(promise: nil)
            }
        }
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}

@available(*, unavailable)
extension TLSBeginning: Sendable {}

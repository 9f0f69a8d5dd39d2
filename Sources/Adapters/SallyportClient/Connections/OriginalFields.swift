internal import HTTPTypes
internal import NIOCore
internal import SallyportNIO

/// Writes fields with values that are not UTF-8 behind the others of a request. NIO's encoder, which is behind this handler, has texts alone.
///
/// A Digest answer repeats the bytes of the challenge's realm, nonce and opaque, and a server compares them with its own.
final class OriginalFields: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The fields of the head that is written next.
    var due: [HTTPField] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !due.isEmpty else { return context.write(data, promise: promise) }
        // The encoder writes a head in one piece, which ends with an empty line. Another form cannot take the fields.
        guard case .byteBuffer(var bytes) = unwrapOutboundIn(data), bytes.readableBytesView.suffix(4) == Self.end else {
            let error = UnsendableField(name: due[0].name)
            due = []
            promise?.fail(error)
            context.fireErrorCaught(error)
            return context.close(promise: nil)
        }
        bytes.moveWriterIndex(to: bytes.writerIndex - 2)
        for field in due { bytes.write(field) }
        bytes.writeString("\r\n")
        due = []
        context.write(wrapOutboundOut(.byteBuffer(bytes)), promise: promise)
    }

    private static let end = ByteBuffer(string: "\r\n\r\n").readableBytesView
}

@available(*, unavailable)
extension OriginalFields: Sendable {}

internal import HTTP1
internal import HTTPTypes
internal import NIOCore

/// Writes a response's head as the client gets it: without the fields of the connection to the parent.
enum ResponseWriter {
    static func head(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        isToHTTP10: Bool,
        closes: Bool,
        rewriting: ReverseRewriting? = nil,
        proof: HTTPFields? = nil,
        keepsSessions: Bool = false,
        _ loop: LoopContext
    ) -> ByteBuffer {
        var out = loop.heads.take(capacity: bytes.readableBytes + room)
        let span = bytes.readableBytesUInt8Span
        let via = loop.via
        out.writeWithOutputRawSpan(minimumWritableBytes: bytes.readableBytes + room) { out in
            out.append("HTTP/1.1 ")
            out.append(head.statusAndReason, of: span)
            if rewriting == nil { for run in head.fields.kept { out.append(run, of: span) } }
            appendBodyField(of: head, isToHTTP10: isToHTTP10, &out)
            out.append(via.span)
            if head.status == 101 { out.append("Connection: Upgrade\r\nUpgrade: websocket\r\n") }
            if closes { out.append("Connection: close\r\n") }
            if keepsSessions { out.append("Proxy-Support: Session-Based-Authentication\r\n") }
        }
        rewriting?.writeResponse(head.fields.kept, of: bytes, to: &out)
        if let proof { for field in proof { RequestFields.write(field, to: &out) } }
        out.writeInteger(UInt16(0x0D0A))
        return out
    }

    /// The bytes that are added to those of the parent, and some of a short body, which leaves with the head.
    private static let room = 256

    private static func appendBodyField(of head: ResponseHead, isToHTTP10: Bool, _ out: inout OutputRawSpan) {
        // RFC 9110 section 8.6: no length where there can be no body. To HEAD and in 304 it tells that of another response.
        if head.status < 200 || head.status == 204 { return }
        if head.framing == .chunked {
            if !isToHTTP10 { out.append("Transfer-Encoding: chunked\r\n") }
        } else if let length = head.fields.length {
            out.appendLength(length)
        }
    }
}

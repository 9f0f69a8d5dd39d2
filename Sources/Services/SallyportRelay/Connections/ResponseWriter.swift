internal import HTTPTypes
internal import NIOCore

/// Writes a response's head as the client gets it: without the fields of the connection to the parent.
enum ResponseWriter {
    static func head(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        to request: RequestHead,
        closes: Bool,
        rewriting: ReverseRewriting? = nil,
        proof: HTTPFields? = nil,
        _ loop: RelayLoop
    ) -> ByteBuffer {
        var out = loop.allocator.buffer(capacity: bytes.readableBytes + 128)
        out.writeStaticString("HTTP/1.1 ")
        copy(head.statusAndReason, of: bytes, to: &out)
        if let rewriting {
            rewriting.writeResponse(head.fields.kept, of: bytes, to: &out)
        } else {
            for run in head.fields.kept { copy(run, of: bytes, to: &out) }
        }
        // RFC 9110 section 8.6: no length where there can be no body. To HEAD and in 304 it tells that of another response.
        let isBodyless = head.status < 200 || head.status == 204
        if !isBodyless {
            if head.framing == .chunked {
                if !request.isHTTP10 { out.writeStaticString("Transfer-Encoding: chunked\r\n") }
            } else if let length = head.fields.length {
                RequestFields.writeLength(length, to: &out)
            }
        }
        out.writeImmutableBuffer(loop.via)
        if head.status == 101 { out.writeStaticString("Connection: Upgrade\r\nUpgrade: websocket\r\n") }
        if let proof { for field in proof { RequestFields.write(field, to: &out) } }
        if closes { out.writeStaticString("Connection: close\r\n") }
        out.writeInteger(UInt16(0x0D0A))
        return out
    }

    private static func copy(_ range: Range<Int>, of bytes: ByteBuffer, to buffer: inout ByteBuffer) {
        guard let slice = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) else { return }
        buffer.writeImmutableBuffer(slice)
    }
}

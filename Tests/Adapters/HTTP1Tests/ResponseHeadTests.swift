import HTTP1
import NIOCore
import Testing

/// The heads of responses, as they are passed on.
@Suite struct ResponseHeadTests {
    @Test(
        "A length beside chunks is refused in the strict form, and is not passed on (RFC 9112 section 6.3)",
        arguments: [
            "Content-Length: 9\r\nTransfer-Encoding: chunked\r\nX: y\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 9\r\nX: y\r\n",
        ]
    )
    func lengthAndCoding(fields: String) throws {
        let whole = ByteBuffer(string: "HTTP/1.1 200 OK\r\n\(fields)\r\n")
        #expect(throws: HeadDefect.lengthAndCoding) {
            try ResponseHead(parsing: whole.readableBytesUInt8Span, to: .idempotent)
        }
        var bytes = whole
        let head = try ResponseHead.read(&bytes, to: .idempotent)
        #expect(head.framing == .chunked && head.fields.length == nil)
        #expect(String(buffer: bytes) == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n")
    }
}

import HTTP1
import HTTPTypes
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

    @Test(
        "The handler of challenges gets the fields that it reads, in any case and as often as they come, and no others"
    )
    func decisive() throws {
        // RFC 9110 sections 7.6.1, 11.6 and 11.7; RFC 4559 section 6; RFC 9449 section 8.
        let names = [
            "connection", "proxy-connection", "proxy-support", "www-authenticate", "proxy-authenticate",
            "authentication-info", "proxy-authentication-info", "dpop-nonce",
        ]
        let others = [
            "Content-Length: 0", "Date: x", "Set-Cookie: x", "WWW-Authenticatf: x", "xonnection: x",
            "Proxy-Authenticate-Info: x",
        ]
        let lines = names.flatMap { ["\($0.uppercased()): a", "\($0):\t b,c "] } + others
        let bytes = ByteBuffer(string: "HTTP/1.1 200 OK\r\n\(lines.joined(separator: "\r\n"))\r\n\r\n")
        let head = try ResponseHead(parsing: bytes.readableBytesUInt8Span, to: .idempotent)
        let fields = head.decisiveFields(of: bytes)
        #expect(fields.map { "\($0.name.canonicalName): \($0.value)" } == names.flatMap { ["\($0): a", "\($0): b,c"] })
        // The rest of the reader knows them all.
        let all = head.allFields(of: bytes)
        #expect(fields.map(\.value) == all.filter { names.contains($0.name.canonicalName) }.map(\.value))
        #expect(all.count == lines.count)
    }

    @Test("A connection that ends with the response is told as a field", arguments: ["1.0", "1.1"])
    func closing(version: String) throws {
        let bytes = ByteBuffer(string: "HTTP/\(version) 407 X\r\nContent-Length: 0\r\n\r\n")
        let head = try ResponseHead(parsing: bytes.readableBytesUInt8Span, to: .idempotent)
        #expect(head.decisiveFields(of: bytes)[.connection] == (version == "1.0" ? "close" : nil))
    }
}

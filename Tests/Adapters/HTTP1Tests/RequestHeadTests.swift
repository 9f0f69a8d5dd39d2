import HTTP1
import Testing

/// The heads of requests, which are read strictly.
@Suite struct RequestHeadTests {
    private static func head(_ text: String) throws(HeadDefect) -> RequestHead {
        try RequestHead(parsing: Array(text.utf8).span)
    }

    private static func post(_ fields: String) -> String { "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n" }

    private static let length = "Content-Length: 5"
    private static let chunked = "Transfer-Encoding: chunked"

    @Test(
        "A head that two recipients may read differently is refused",
        arguments: [
            // RFC 9112 section 3.2.
            ("GET / HTTP/1.1\r\n\r\n", .host), ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", .host),
            ("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", .host), ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .host),
            ("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", .host), ("GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", .host),
            // RFC 9112 section 6.
            (post("\(length)\r\n\(chunked)"), .lengthAndCoding), (post("\(chunked)\r\n\(length)"), .lengthAndCoding),
            ("POST / HTTP/1.0\r\n\(chunked)\r\n\r\n", .lengthAndCoding), (post("\(chunked)\r\n\(chunked)"), .coding),
            (post("Transfer-Encoding: gzip"), .coding), (post("Transfer-Encoding: gzip, chunked"), .coding),
            (post("Transfer-Encoding: identity"), .coding), (post("Transfer-Encoding: chunked, chunked"), .coding),
            (post("\(length)\r\n\(length)"), .length), (post("\(length)\r\nContent-Length: 6"), .length),
            (post("Content-Length: 5, 5"), .length), (post("Content-Length: +5"), .length),
            (post("Content-Length: 0x5"), .length), (post("Content-Length: 1000000000000000000"), .length),
            ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\(length)\r\n\r\n", .method),
            ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\(chunked)\r\n\r\n", .method),
            ("TRACE / HTTP/1.1\r\nHost: a\r\n\(length)\r\n\r\n", .method),
            // RFC 9110 section 7.6.1.
            (post("Connection: content-length\r\n\(length)"), .framingNominated),
            (post("Connection: close, Transfer-Encoding\r\n\(chunked)"), .framingNominated),
            (post("Connection: X, Host"), .framingNominated),
            // RFC 9112 section 5.
            (post(": x"), .fieldName), (post("X : y"), .fieldName), (post("X"), .fieldName),
            (post("X: \0"), .fieldValue), (post("X: y\rZ: z"), .fieldValue), (post("X: y\r\n z"), .folded),
        ] as [(String, HeadDefect)]
    )
    func refused(text: String, defect: HeadDefect) {
        #expect(throws: defect) { try Self.head(text) }
    }

    @Test(
        "The end of a body is where the head says",
        arguments: [
            ("GET / HTTP/1.0\r\n\r\n", .none), (post(length), .length(5)), (post(chunked), .chunked),
            (post("Content-Length: 999999999999999999"), .length(999_999_999_999_999_999)),
            ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", .none),
        ] as [(String, BodyFraming)]
    )
    func framing(text: String, framing: BodyFraming) throws {
        #expect(try Self.head(text).framing == framing)
    }

    @Test("A head has as many fields as the bound, and no more") func bound() throws {
        func head(_ count: Int) throws -> RequestHead {
            try Self.head("GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: count - 1))\r\n")
        }
        #expect(try head(HeadLimits.fields).fields.hosts == 1)
        #expect(throws: HeadDefect.tooManyFields) { try head(HeadLimits.fields + 1) }
    }

    @Test("What Connection names is not passed on (RFC 9110 section 7.6.1)") func nominated() throws {
        let text = "GET / HTTP/1.1\r\nX-A: 1\r\nHost: a\r\nx-secret: 1\r\nX-B: 2\r\nConnection: X-Secret, X-C\r\n\r\n"
        let bytes = Array(text.utf8)
        let kept = try Self.head(text).fields.kept.flatMap { bytes[$0] }
        #expect(String(decoding: kept, as: UTF8.self) == "X-A: 1\r\nX-B: 2\r\n")
    }
}

import NIOCore
import NIOEmbedded
import Sallyport
import SallyportNIO
import Testing

@Suite struct MalformedResponseTests {
    static let ask = "HTTP/1.1 407 Asks\r\nProxy-Authenticate: Basic realm=p\r\n"
    static let chunked = ask + "Transfer-Encoding: chunked\r\n\r\n"

    static let responses: [(String, ResponseDefect)] = [
        ("\r\nHTTP/1.1 200 OK\r\n\r\n", .statusLine), ("\u{15}\u{3}\u{3}", .statusLine), ("SSH-2.0", .statusLine),
        ("HTTP/2.0 200 OK\r\n\r\n", .statusLine), ("HTTP/1.1 20 OK\r\n\r\n", .statusLine),
        ("HTTP/1.1 2000\r\n\r\n", .statusLine), ("HTTP/1.1  200 OK\r\n\r\n", .statusLine),
        ("HTTP/1.1 999 OK\r\n\r\n", .statusLine), ("HTTP/1.1 +20 OK\r\n\r\n", .statusLine),
        ("HTTP/1.1 200 O\u{0}K\r\n\r\n", .statusLine),
        ("HTTP/1.1 200 OK\nX: 1\r\n\r\n", .bareLineFeed(line: 1)), ("HTTP/1.1 200 OK\r\n\n", .bareLineFeed(line: 2)),
        ("HTTP/1.1 200 OK\r\nX: 1\r\n 2\r\n\r\n", .folded(line: 3)),
        ("HTTP/1.1 200 OK\r\n\tX: 1\r\n\r\n", .folded(line: 2)),
        ("HTTP/1.1 200 OK\r\nX : 1\r\n\r\n", .fieldName(line: 2)),
        ("HTTP/1.1 200 OK\r\n: 1\r\n\r\n", .fieldName(line: 2)),
        ("HTTP/1.1 200 OK\r\nX\r\n\r\n", .fieldName(line: 2)),
        ("HTTP/1.1 200 OK\r\nX\u{e9}: 1\r\n\r\n", .fieldName(line: 2)),
        ("HTTP/1.1 200 OK\r\nX: 1\rY: 2\r\n\r\n", .fieldValue(line: 2)),
        ("HTTP/1.1 200 OK\r\nX: \u{0}\r\n\r\n", .fieldValue(line: 2)),
        (ask + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", .framing),
        (ask + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n", .framing),
        (ask + "Content-Length: +2\r\n\r\n", .framing),
        (ask + "Content-Length: 2, 2\r\n\r\n", .framing), (ask + "Content-Length: \r\n\r\n", .framing),
        (ask + "Content-Length: 99999999999999999999\r\n\r\n", .framing),
        (ask + "Transfer-Encoding: gzip, chunked\r\n\r\n", .framing),
        (chunked + "g\r\n", .chunk), (chunked + "\r\n", .chunk), (chunked + "+1\r\n", .chunk),
        (chunked + "-1\r\n", .chunk),
        (chunked + "123456789\r\n", .chunk), (chunked + "1 2\r\n", .chunk), (chunked + "1\n", .chunk),
        (chunked + "1\r\nxy\r\n", .chunk), (chunked + "0\r\nT: \u{0}\r\n\r\n", .chunk),
        (chunked + "1;\(String(repeating: "x", count: 2_000))", .bodyTooLong(bound: 1_000)),
        (chunked + "800\r\n\(String(repeating: "x", count: 2_000))", .bodyTooLong(bound: 1_000)),
        (ask + "Content-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", .unaskedBytes),
        ("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 70_000))", .headTooLong(bound: 65_536)),
        (String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 17), .tooManyInterimResponses(bound: 16)),
    ]

    @Test("A malformed response is one error that names it", arguments: responses)
    func malformed(response: String, defect: ResponseDefect) throws {
        // Byte by byte, what follows a refused response looks like the response to the next request.
        let isShort = response.utf8.count < 1_000 && defect != .unaskedBytes
        for slowly in isShort ? [false, true] : [false] {
            let harness = try TunnelHarness(try ClientProfile.handler()) { $0.mostDrainedBytes = 1_000 }
            _ = try harness.sent()
            if slowly { try harness.receiveSlowly(response) } else { try harness.receive(response) }
            guard case .malformed(let found)? = harness.error else {
                Issue.record("\(String(describing: harness.result))")
                return
            }
            #expect(found == defect && !harness.channel.isActive && !"\(found)".contains("\n"))
            #expect(try harness.sent().isEmpty)
        }
    }

    @Test("A head at the bound, and 16 interim responses, are taken") func atTheBounds() throws {
        let start = "HTTP/1.1 200 OK\r\nX: "
        let head = start + String(repeating: "x", count: 65_536 - start.utf8.count - 4) + "\r\n\r\n"
        let long = try TunnelHarness(try ClientProfile.handler())
        try long.receive(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 16) + head)
        #expect(long.isOpen)
    }

    @Test("A refusal that is cut anywhere opens no tunnel") func cut() throws {
        let refusal = "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"
        for length in 0..<refusal.utf8.count {
            let harness = try TunnelHarness(try ClientProfile.handler())
            try harness.receive(String(refusal.prefix(length)))
            #expect(!harness.isOpen)
            harness.channel.close(promise: nil)
            #expect(harness.error != nil)
        }
    }
}

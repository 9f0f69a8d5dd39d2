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
        ("HTTP/1.1 099 OK\r\n\r\n", .statusLine), ("HTTP/1.1 +20 OK\r\n\r\n", .statusLine),
        ("HTTP/1.1 200 O\u{0}K\r\n\r\n", .statusLine),
        ("HTTP/1.1 200 OK\r\n\tX: 1\r\n\r\n", .folded),
        ("HTTP/1.1 200 OK\r\nX Y: 1\r\n\r\n", .fieldName),
        ("HTTP/1.1 200 OK\r\n: 1\r\n\r\n", .fieldName),
        ("HTTP/1.1 200 OK\r\nX\r\n\r\n", .fieldName),
        ("HTTP/1.1 200 OK\r\nX\u{e9}: 1\r\n\r\n", .fieldName),
        ("HTTP/1.1 200 OK\r\nX: \u{0}\r\n\r\n", .fieldValue),
        ("HTTP/1.1 200 OK\r\n\(String(repeating: "X: 1\r\n", count: 1_025))\r\n", .tooManyFields(bound: 1_024)),
        (ask + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n", .framing),
        (ask + "Content-Length: +2\r\n\r\n", .framing),
        (ask + "Content-Length: 2, 3\r\n\r\n", .framing), (ask + "Content-Length: \r\n\r\n", .framing),
        (ask + "Content-Length: 99999999999999999999\r\n\r\n", .framing),
        (ask + "Transfer-Encoding: gzip, chunked\r\n\r\n", .coding),
        (ask + "Transfer-Encoding: xchunked\r\n\r\n", .coding),
        (ask + "Transfer-Encoding: chunked;q=1\r\n\r\n", .coding),
        (chunked + "g\r\n", .chunk), (chunked + "\r\n", .chunk), (chunked + "+1\r\n", .chunk),
        (chunked + "-1\r\n", .chunk),
        (chunked + "8000000000000000\r\n", .chunkTooLarge), (chunked + "1 2\r\n", .chunk),
        (chunked + "1\r\nxy\r\n", .chunk), (chunked + "0\r\nT: \u{0}\r\n\r\n", .chunk),
        (chunked + "1;\(String(repeating: "x", count: 2_000))", .chunkLineTooLong(bound: 1_024)),
        (ask + "Content-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", .unaskedBytes),
        ("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 70_000))", .headTooLong(bound: 65_536)),
        (String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1_025), .tooManyInterimResponses(bound: 1_024)),
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

    @Test(
        "A tunnel is opened by each form of a head that a recipient may take, and its first bytes stay those of the tunnel",
        arguments: [
            "HTTP/1.1 200 OK\nX: 1\n\n", "HTTP/1.1 200 OK\r\nX: 1\r\n 2\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX : 1\r\n\r\n",
            "HTTP/1.1 200\r\n\r\n", "HTTP/1.1 200 OK\r\nX: 1\rY: 2\r\n\r\n",
            // RFC 9110 section 9.3.6: fields about a body are ignored.
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX : 1\r\nContent-Length: 5\r\nTransfer-Encoding: gzip\r\n\r\n",
        ]
    ) func lenient(response: String) throws {
        for slowly in [false, true] {
            let harness = try TunnelHarness(try ClientProfile.handler())
            if slowly { try harness.receiveSlowly(response) } else { try harness.receive(response + "hello") }
            #expect(harness.isOpen)
            if slowly { try harness.receive("hello") }
            #expect(harness.later.text == "hello")
        }
    }

    @Test(
        "A refused response in each form that a recipient may take is dropped, and its connection carries the answer",
        arguments: [
            ask + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nno", ask + "Content-Length: 2, 2\r\n\r\nno",
            ask + "Content-Length : 2\r\n\r\nno", ask + "Transfer-Encoding: ,chunked,\r\n\r\n2\r\nno\r\n0\r\n\r\n",
            ask + "Transfer-Encoding: chunked \t\r\n\r\n2 ;a\r\nno\r\n0\r\nT : 1\r\n\r\n", chunked + "2\nno\n0\n\n",
        ]
    ) func lenientRefusal(response: String) throws {
        for slowly in [false, true] {
            let harness = try TunnelHarness(try ClientProfile.handler())
            _ = try harness.sent()
            if slowly { try harness.receiveSlowly(response) } else { try harness.receive(response) }
            #expect(try harness.sent().contains("Proxy-Authorization: Basic "))
            try harness.receive("HTTP/1.1 200 OK\r\n\r\n")
            #expect(harness.isOpen)
        }
    }

    @Test("The body of a refusal that is longer than the bound costs its connection") func longRefusal() throws {
        for rest in ["Content-Length: 2000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n800\r\n"] {
            let harness = try TunnelHarness(try ClientProfile.handler()) { $0.mostDrainedBytes = 1_000 }
            try harness.receive(Self.ask + rest + String(repeating: "x", count: 2_000))
            _ = try harness.continued()
        }
    }

    @Test("So does one that does not end in time") func stalledRefusal() throws {
        let harness = try TunnelHarness(try ClientProfile.handler())
        try harness.receive(Self.ask + "Content-Length: 10\r\n\r\nbegun")
        harness.channel.embeddedEventLoop.advanceTime(by: .milliseconds(9_999))
        #expect(harness.channel.isActive)
        harness.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        _ = try harness.continued()
    }

    @Test("The time is that of one body: after it the answer has the whole deadline") func inTime() throws {
        let harness = try TunnelHarness(try ClientProfile.handler())
        try harness.receive(Self.ask + "Content-Length: 10\r\n\r\nbegun")
        harness.channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        try harness.receive("ended")
        harness.channel.embeddedEventLoop.advanceTime(by: .seconds(20))
        try harness.receive("HTTP/1.1 200 OK\r\n\r\n")
        #expect(harness.isOpen)
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

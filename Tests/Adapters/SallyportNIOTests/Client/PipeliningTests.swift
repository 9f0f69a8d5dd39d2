import NIOCore
import NIOEmbedded
import NIOHTTP1
import Sallyport
import SallyportNIO
import Testing

@Suite struct PipeliningTests {
    let challenges: ChallengeHandler

    init() throws { challenges = try ClientProfile.handler() }

    @Test("Pipelined requests go out one after the other, and answers stay in order") func order() throws {
        let harness = try ClientHarness(challenges)
        let writes = (1...3).map { harness.request(.POST, "/\($0)", ["Content-Length": "1"], body: "\($0)") }
        #expect(try harness.sent().head.uri == "/1")
        #expect(try !harness.hasSentMore && writes[0].haveSucceeded && writes[1].done == 0)
        try harness.challenge()
        let again = try harness.sent()
        #expect(again.head.uri == "/1" && again["Authorization"] != nil)
        try harness.respond(200, body: "a", ends: false)
        #expect(try !harness.hasSentMore)
        try harness.give(.end(nil))
        let second = try harness.sent()
        #expect(second.head.uri == "/2" && second.body == "2" && writes[1].haveSucceeded && writes[2].done == 0)
        try harness.respond(200, body: "b")
        #expect(try harness.sent().head.uri == "/3")
        try harness.respond(200, body: "c")
        #expect(harness.user.statuses == [200, 200, 200] && harness.user.body == "abc" && writes[2].haveSucceeded)
    }

    @Test("A pipelined request that is still being written goes on when its turn comes") func stillWritten() throws {
        let harness = try ClientHarness(challenges)
        harness.request(.GET, "/1")
        _ = try harness.sent()
        let writes = harness.request(.POST, "/2", ["Content-Length": "6"], body: "abc", ends: false)
        try harness.respond(200)
        let second = try harness.sent()
        #expect(second.body == "abc" && !second.isEnded)
        harness.write(.body(.byteBuffer(ByteBuffer(string: "def"))), writes)
        harness.write(.end(nil), writes)
        harness.channel.flush()
        #expect(try harness.more(of: second).body == "abcdef" && writes.haveSucceeded)
    }

    @Test("After an early response the rest of the body is sent before the next request") func earlyResponse() throws {
        let harness = try ClientHarness(challenges)
        let writes = harness.request(.POST, "/1", ["Content-Length": "6"], body: "abc", ends: false)
        let first = try harness.sent()
        try harness.respond(200)
        #expect(harness.user.statuses == [200] && harness.user.ends == 1)
        harness.write(.body(.byteBuffer(ByteBuffer(string: "def"))), writes)
        harness.write(.end(nil), writes)
        harness.request(.GET, "/2")
        #expect(try harness.more(of: first).body == "abcdef" && writes.haveSucceeded)
        #expect(try harness.sent().head.uri == "/2")
    }

    @Test(
        "A connection on which a long body was refused carries no other request",
        arguments: [4_096, 4_097],
        [true, false]
    )
    func unreadBody(bytes: Int, isPipelined: Bool) throws {
        let harness = try ClientHarness(challenges)
        let body = String(repeating: "a", count: bytes)
        let writes = harness.request(.POST, "/1", ["Content-Length": "\(bytes)"], body: body)
        _ = try harness.sent()
        let next = isPipelined ? harness.request(.GET, "/2") : nil
        try harness.respond(403)
        #expect(harness.user.statuses == [403] && writes.haveSucceeded)
        if bytes == 4_096 {
            if !isPipelined { harness.request(.GET, "/2") }
            #expect(try harness.sent().head.uri == "/2")
        } else {
            #expect(try !harness.hasSentMore && !harness.channel.isActive)
            #expect(next.map { !$0.haveSucceeded } ?? true)
            #expect(harness.user.lastHead?.headers["Connection"] == ["close"])
        }
    }

    @Test("So does one on which a body was refused that is longer than what is kept")
    func unreadAndNotKept() throws {
        let harness = try ClientHarness(challenges) { $0.mostRepeatableBytes = 5_000 }
        let body = String(repeating: "a", count: 6_000)
        harness.request(.POST, "/1", ["Content-Length": "6000"], body: body)
        _ = try harness.sent()
        try harness.respond(100)
        try harness.respond(403)
        #expect(!harness.channel.isActive)
    }

    @Test("A request that is not flushed waits for its flush") func flush() throws {
        let harness = try ClientHarness(challenges)
        harness.request(.GET, "/1")
        _ = try harness.sent()
        let writes = Writes()
        harness.write(.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/2")), writes)
        harness.write(.end(nil), writes)
        try harness.respond(200)
        #expect(try !harness.hasSentMore)
        harness.channel.flush()
        #expect(try harness.sent().head.uri == "/2")
    }

    @Test("Too many requests, or too many bytes, are one error") func bounds() throws {
        let many = try ClientHarness(challenges) { $0.mostQueuedRequests = 2 }
        let writes = (0..<4).map { _ in many.request() }
        #expect(!many.channel.isActive && writes.allSatisfy(\.haveEnded) && many.user.errors.count == 1)
        #expect(writes[0].haveSucceeded && writes[1].errors.count == 2)
        let long = try ClientHarness(challenges) { $0.mostRepeatableBytes = 4 }
        long.request()
        long.request(.POST, "/", ["Content-Length": "4"], body: "1234")
        #expect(long.channel.isActive)
        long.request(.POST, "/", ["Content-Length": "1"], body: "5")
        #expect(!long.channel.isActive)
        for harness in [many, long] {
            guard case .tooMuchWaits? = harness.user.errors.first as? AuthenticationError else {
                Issue.record("\(harness.user.errors)")
                return
            }
        }
    }

    @Test("Queued requests fail when the channel closes in the middle of a response") func closes() throws {
        let harness = try ClientHarness(challenges)
        harness.request()
        _ = try harness.sent()
        let second = harness.request()
        try harness.respond(200, ends: false)
        harness.channel.close(promise: nil)
        #expect(second.errors.count == 2)
        #expect(try !harness.hasSentMore)
    }

    /// Why no queued request can follow a response on its connection.
    enum LastResponse: CaseIterable {
        case serverCloses, outputIsClosed, bodyIsCut
    }

    @Test(
        "Queued requests behind the last response of a connection go on with another one",
        arguments: LastResponse.allCases
    )
    func moves(last: LastResponse) throws {
        let harness = try ClientHarness(challenges)
        if last == .bodyIsCut {
            harness.request(.PUT, "/1", ["Transfer-Encoding": "chunked"], body: "abc", ends: false)
            // Ends a body that was not sent.
            harness.write(.end(nil), Writes())
        } else {
            harness.request(.GET, "/1")
        }
        _ = try harness.sent()
        let behind = [harness.request(.GET, "/2"), harness.request(.GET, "/3")]
        if last == .outputIsClosed { harness.channel.close(mode: .output, promise: nil) }
        try harness.respond(200, last == .serverCloses ? ["Connection": "close"] : [:], body: "page")
        #expect(harness.user.statuses == [200] && harness.user.body == "page" && harness.user.ends == 1)
        #expect(try !harness.hasSentMore && !harness.channel.isActive)
        #expect(behind.allSatisfy { $0.done == 0 })
        let next = try ClientHarness(challenges, continuing: try harness.continued())
        for number in 2...3 {
            #expect(try next.sent().head.uri == "/\(number)" && behind[number - 2].haveSucceeded)
            try next.respond(200)
        }
        #expect(next.user.statuses == [200, 200])
    }

    @Test("A queued request that is not flushed waits for its flush on the next connection, too") func movesUnflushed()
        throws
    {
        let harness = try ClientHarness(challenges)
        harness.request(.GET, "/1")
        _ = try harness.sent()
        let writes = Writes()
        let chunked: HTTPHeaders = ["Transfer-Encoding": "chunked"]
        harness.write(.head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/2", headers: chunked)), writes)
        try harness.respond(200, ["Connection": "close"])
        let next = try ClientHarness(challenges, continuing: try harness.continued())
        next.write(.body(.byteBuffer(ByteBuffer(string: "abc"))), writes)
        next.write(.end(nil), writes)
        #expect(try !next.hasSentMore)
        next.channel.flush()
        let sent = try next.sent()
        // The whole body is known, so it does not wait for the word and can be sent again.
        #expect(sent.head.uri == "/2" && sent.body == "abc" && sent.head.headers["Expect"].isEmpty)
        #expect(writes.haveSucceeded)
    }

    @Test("The handler reads on for a user who reads by hand, and only while it swallows") func reads() throws {
        let harness = try ClientHarness(challenges)
        harness.request()
        _ = try harness.sent()
        _ = harness.takeReads()
        // EmbeddedChannel completes a read after each part.
        try harness.respond(401, ["WWW-Authenticate": "Basic realm=x"], body: "no", ends: false)
        #expect(harness.takeReads() == 2)
        try harness.give(.end(nil))
        #expect(harness.takeReads() == 1)
        _ = try harness.sent()
        try harness.respond(200, body: "page")
        #expect(harness.takeReads() == 0)
        harness.channel.read()
        #expect(harness.takeReads() == 1)
    }
}

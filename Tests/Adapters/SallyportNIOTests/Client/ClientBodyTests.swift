import NIOCore
import NIOEmbedded
import NIOHTTP1
import Sallyport
import SallyportNIO
import Testing

@Suite struct ClientBodyTests {
    let challenges: ChallengeHandler
    let chunked: HTTPHeaders = ["Transfer-Encoding": "chunked"]

    init() throws { challenges = try ClientProfile.handler() }

    func part(_ text: String) -> HTTPClientRequestPart { .body(.byteBuffer(ByteBuffer(string: text))) }

    @Test("A body of known length that is still being written is finished and then sent again") func stillWritten()
        throws
    {
        let harness = try ClientHarness(challenges)
        let writes = harness.request(.POST, "/", ["Content-Length": "6"], body: "abc", ends: false)
        let first = try harness.sent()
        #expect(first["Expect"] == nil && first.body == "abc")
        try harness.challenge()
        #expect(try !harness.hasSentMore)
        harness.write(part("def"), writes)
        harness.write(.end(nil), writes)
        harness.channel.flush()
        let rest = try harness.more(of: first)
        #expect(rest.body == "abcdef" && rest.isEnded)
        let again = try harness.sent()
        #expect(again["Authorization"] != nil && again.body == "abcdef" && again.isEnded && writes.haveSucceeded)
        try harness.respond(200)
        #expect(harness.user.statuses == [200])
    }

    @Test("A body of unknown length waits for 100 Continue, which the user does not see") func waitsForContinue() throws
    {
        let harness = try ClientHarness(challenges)
        let writes = harness.request(.PUT, "/", chunked, body: "abc", ends: false)
        let sent = try harness.sent()
        #expect(sent["Expect"] == "100-continue" && sent.body.isEmpty && writes.done == 1)
        try harness.give(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
        #expect(try harness.more(of: sent).body == "abc" && harness.user.statuses.isEmpty)
        harness.write(part("def"), writes)
        harness.write(.end(nil), writes)
        harness.channel.flush()
        #expect(try harness.more(of: sent) == .init(head: sent.head, body: "def", isEnded: true))
        try harness.respond(201)
        #expect(harness.user.statuses == [201] && writes.haveSucceeded)
    }

    @Test("Without 100 Continue the body goes out after the time limit, and not before") func continueTime() throws {
        let harness = try ClientHarness(challenges)
        harness.request(.PUT, "/", chunked, body: "abc", ends: false)
        let sent = try harness.sent()
        harness.channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(try harness.more(of: sent).body.isEmpty)
        harness.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(try harness.more(of: sent).body == "abc")
    }

    @Test("A challenge in place of 100 Continue moves the unsent body to a new connection") func challengeInPlace()
        throws
    {
        let harness = try ClientHarness(challenges)
        let writes = harness.request(.PUT, "/", chunked, body: "abc", ends: false)
        _ = try harness.sent()
        try harness.challenge()
        #expect(try !harness.hasSentMore && writes.errors.isEmpty)
        let second = try ClientHarness(challenges, continuing: try harness.continued())
        let sent = try second.sent()
        #expect(sent["Authorization"] != nil && sent["Expect"] == "100-continue" && sent.body.isEmpty)
        try second.give(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
        second.write(.end(nil), writes)
        second.channel.flush()
        #expect(try second.more(of: sent) == .init(head: sent.head, body: "abc", isEnded: true))
        try second.respond(200)
        #expect(second.user.statuses == [200] && second.user.outcomes == [.accepted] && writes.haveSucceeded)
    }

    @Test("A challenge after a body that can be sent once arrives with its reason") func spent() throws {
        let harness = try ClientHarness(challenges)
        harness.request(.PUT, "/", chunked, body: "abc", ends: false)
        _ = try harness.sent()
        try harness.give(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
        try harness.challenge()
        #expect(harness.user.statuses == [401] && harness.user.outcomes == [.withheld(.bodySpent, by: .origin)])
    }

    @Test("Another response in place of 100 Continue arrives; the body is not sent, and the channel closes")
    func answeredBeforeBody() throws {
        let harness = try ClientHarness(challenges)
        let writes = harness.request(.PUT, "/", chunked, body: "abc", ends: false)
        let sent = try harness.sent()
        try harness.respond(413, body: "too long")
        #expect(harness.user.statuses == [413] && harness.user.body == "too long" && harness.user.ends == 1)
        #expect(try harness.more(of: sent).body.isEmpty && !harness.channel.isActive)
        guard case .answeredBeforeBody? = writes.errors.first as? AuthenticationError else {
            Issue.record("\(writes.errors)")
            return
        }
    }

    @Test("A user who waits for 100 Continue sees it") func userExpects() throws {
        let harness = try ClientHarness(challenges)
        let headers: HTTPHeaders = ["Content-Length": "3", "Expect": "100-continue"]
        let writes = harness.request(.PUT, "/", headers, ends: false)
        let first = try harness.sent()
        #expect(first.head.headers["Expect"] == ["100-continue"])
        // The user does not write the body after this, so the connection cannot go on.
        try harness.challenge()
        let second = try ClientHarness(challenges, continuing: try harness.continued())
        let sent = try second.sent()
        #expect(sent["Authorization"] != nil && sent.head.headers["Expect"] == ["100-continue"])
        try second.give(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
        #expect(second.user.statuses == [100])
        second.write(part("abc"), writes)
        second.write(.end(nil), writes)
        second.channel.flush()
        #expect(try second.more(of: sent).body == "abc" && writes.haveSucceeded)
    }

    @Test("A body at the bound is repeated, and one byte more is sent once", arguments: [16, 17])
    func bound(count: Int) throws {
        let harness = try ClientHarness(challenges) { $0.mostRepeatableBytes = 16 }
        let body = String(repeating: "x", count: count)
        harness.request(.POST, "/", ["Content-Length": "\(count)"], body: body)
        let sent = try harness.sent()
        #expect((sent["Expect"] == nil) == (count == 16))
        if count == 17 { try harness.give(.head(HTTPResponseHead(version: .http1_1, status: .continue))) }
        try harness.challenge()
        if count == 16 {
            #expect(try harness.sent().body == body)
        } else {
            #expect(harness.user.outcomes == [.withheld(.bodySpent, by: .origin)])
        }
    }

    @Test("A held body that grows over the bound is sent without a 100") func heldTooLong() throws {
        let harness = try ClientHarness(challenges) { $0.mostRepeatableBytes = 16 }
        let writes = harness.request(.POST, "/", chunked, body: "12345678", ends: false)
        let sent = try harness.sent()
        harness.write(part("12345678"), writes)
        #expect(try harness.more(of: sent).body.isEmpty)
        harness.write(part("9"), writes)
        harness.channel.flush()
        #expect(try harness.more(of: sent).body == "12345678123456789")
        #expect(harness.channel.isActive)
    }

    @Test("A body that grows over the bound after its challenge ends with one error at the bound") func grows() throws {
        let harness = try ClientHarness(challenges) { $0.mostRepeatableBytes = 16 }
        // Shorter than its Content-Length says, so that it counts as repeatable.
        let writes = harness.request(.POST, "/", ["Content-Length": "10"], body: "12345678", ends: false)
        let sent = try harness.sent()
        try harness.challenge()
        harness.write(part("1234567890"), writes)
        harness.write(.end(nil), writes)
        harness.channel.flush()
        #expect(try harness.more(of: sent).isEnded)
        #expect(!harness.channel.isActive && writes.haveEnded)
        guard case .bodyNotKept(bound: 16)? = harness.user.errors.first as? AuthenticationError else {
            Issue.record("\(harness.user.errors)")
            return
        }
    }

    @Test("A server that accepts a handshake's message without body gets the request with its body") func acceptsEmpty()
        throws
    {
        let harness = try ClientHarness(challenges)
        let writes = harness.request(.POST, "/", ["Content-Length": "4"], body: "data")
        _ = try harness.sent()
        try harness.challenge("NTLM")
        #expect(try harness.sent().body.isEmpty)
        try harness.respond(200, body: "empty")
        let again = try harness.sent()
        #expect(again.body == "data" && again["Authorization"] == nil && harness.user.statuses.isEmpty)
        try harness.respond(200, body: "full")
        #expect(harness.user.body == "full" && harness.user.outcomes == [.notChallenged] && writes.haveSucceeded)
    }

    @Test("An error in answer to a handshake's message arrives, and the connection goes on") func refusesEmpty() throws
    {
        let harness = try ClientHarness(challenges)
        harness.request(.POST, "/", ["Content-Length": "4"], body: "data")
        _ = try harness.sent()
        try harness.challenge("NTLM")
        _ = try harness.sent()
        try harness.respond(503)
        #expect(harness.user.statuses == [503] && harness.channel.isActive)
        harness.request(.GET, "/next")
        #expect(try harness.sent().head.uri == "/next")
    }

    @Test("A part without a head is an error") func withoutHead() throws {
        let harness = try ClientHarness(challenges)
        let writes = Writes()
        harness.write(.end(nil), writes)
        #expect(writes.errors.count == 1 && harness.user.errors.count == 1 && !harness.channel.isActive)
    }
}

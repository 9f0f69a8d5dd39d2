import NIOCore
import NIOEmbedded
import NIOHTTP1
import Sallyport
import SallyportNIO
import Testing

@Suite struct WaitingTests {
    let challenges: ChallengeHandler
    let ask: HTTPHeaders = ["WWW-Authenticate": "Basic realm=x"]

    init() throws { challenges = try ClientProfile.handler() }

    /// Two channels: the first tries the password, the second has received a challenge.
    func both(body: String? = "no", ends: Bool = true) throws -> (first: ClientHarness, second: ClientHarness) {
        let first = try ClientHarness(challenges)
        let second = try ClientHarness(challenges)
        for harness in [first, second] {
            harness.request()
            _ = try harness.sent()
        }
        try first.challenge()
        #expect(try first.sent()["Authorization"] != nil)
        try second.respond(401, ask, body: body, ends: ends)
        #expect(try !second.hasSentMore && second.user.statuses.isEmpty)
        return (first, second)
    }

    @Test("A request waits for the first attempt, and then goes on", arguments: [true, false]) func waits(ends: Bool)
        throws
    {
        let (first, second) = try both(ends: ends)
        try first.respond(200)
        second.channel.embeddedEventLoop.run()
        #expect(try second.hasSentMore == ends)
        if !ends {
            try second.give(.end(nil))
            #expect(try second.sent()["Authorization"] != nil)
        }
        try second.respond(200)
        #expect(second.user.statuses == [200] && second.user.outcomes == [.accepted])
    }

    @Test("If the first attempt is refused, the other request gets its own 401 whole") func refused() throws {
        let (first, second) = try both(body: "mine")
        try first.challenge()
        second.channel.embeddedEventLoop.run()
        #expect(try !second.hasSentMore)
        #expect(second.user.statuses == [401] && second.user.body == "mine" && second.user.ends == 1)
        #expect(second.user.outcomes == [.withheld(.budgetSpent(account: "jdoe"), by: .origin)])
    }

    @Test("What is written of a body while its response waits is sent afterwards", arguments: [true, false])
    func body(isRefused: Bool) throws {
        let first = try ClientHarness(challenges)
        let second = try ClientHarness(challenges)
        first.request()
        _ = try first.sent()
        try first.challenge()
        let writes = second.request(.POST, "/", ["Content-Length": "6"], body: "abc", ends: false)
        let sent = try second.sent()
        try second.challenge(body: "mine")
        second.write(.body(.byteBuffer(ByteBuffer(string: "def"))), writes)
        second.write(.end(nil), writes)
        second.channel.flush()
        #expect(try second.more(of: sent).body == "abc")
        if isRefused { try first.challenge() } else { try first.respond(200) }
        second.channel.embeddedEventLoop.run()
        #expect(try second.more(of: sent) == .init(head: sent.head, body: "abcdef", isEnded: true))
        #expect(writes.haveSucceeded)
        if isRefused {
            #expect(second.user.statuses == [401] && second.user.body == "mine" && second.user.ends == 1)
            second.request(.GET, "/next")
            #expect(try second.sent().head.uri == "/next")
        } else {
            #expect(try second.sent().body == "abcdef")
            try second.respond(200)
            #expect(second.user.statuses == [200] && second.user.outcomes == [.accepted])
        }
    }

    @Test("Nothing is read while a response waits, and the read is made up for") func readsAreHeld() throws {
        let (first, second) = try both(ends: false)
        _ = second.takeReads()
        second.channel.read()
        #expect(second.takeReads() == 0)
        try first.respond(200)
        second.channel.embeddedEventLoop.run()
        #expect(second.takeReads() == 1)
    }

    @Test("A held response is bounded") func bound() throws {
        let second = try ClientHarness(challenges) { $0.mostDrainedBytes = 3 }
        let first = try ClientHarness(challenges)
        for harness in [first, second] {
            harness.request()
            _ = try harness.sent()
        }
        try first.challenge()
        try second.respond(401, ask, body: "four", ends: false)
        guard case .responseTooLong(bound: 3)? = second.user.errors.first as? AuthenticationError else {
            Issue.record("\(second.user.errors)")
            return
        }
        #expect(!second.channel.isActive)
    }

    @Test("A connection that closes during the wait moves the request, with the wait", arguments: [true, false])
    func closes(isRefused: Bool) throws {
        let (first, second) = try both(body: "mine")
        second.channel.close(promise: nil)
        let third = try ClientHarness(challenges, continuing: try second.continued())
        #expect(try !third.hasSentMore)
        if isRefused { try first.challenge() } else { try first.respond(200) }
        third.channel.embeddedEventLoop.run()
        if isRefused {
            #expect(third.user.statuses == [401] && third.user.body == "mine" && third.user.ends == 1)
        } else {
            #expect(try third.sent()["Authorization"] != nil)
            try third.respond(200)
            #expect(third.user.statuses == [200])
        }
    }

    @Test("A wait ends with its time, also if the other attempt never ends") func time() throws {
        let (first, second) = try both()
        // The driver's clock is the system's, so it lets the request wait again: the timer fires again and again.
        for _ in 0..<3 { second.channel.embeddedEventLoop.advanceTime(by: .hours(1)) }
        #expect(second.channel.isActive && second.user.errors.isEmpty && second.user.statuses.isEmpty)
        try first.respond(200)
        second.channel.embeddedEventLoop.run()
        #expect(try second.sent()["Authorization"] != nil)
    }

    @Test("A request whose user gives up leaves the queue") func givesUp() throws {
        let (first, second) = try both()
        second.channel.close(promise: nil)
        second.user.errors = []
        try first.respond(200)
        second.channel.embeddedEventLoop.run()
        #expect(try !second.hasSentMore)
    }
}

import NIOCore
import NIOEmbedded
import NIOHTTP1
import Sallyport
import SallyportNIO
import Testing

@Suite struct LostConnectionTests {
    let challenges: ChallengeHandler

    init() throws { challenges = try ClientProfile.handler() }

    /// Reasons for which a connection cannot carry the answer.
    enum Loss: String, CaseIterable {
        case closeField, oldVersion, noLength, longBody, endlessBody, closedWhileDraining, halfClosed, noOutput
    }

    @Test("The answer goes out on a new connection", arguments: Loss.allCases) func moves(loss: Loss) throws {
        let harness = try ClientHarness(challenges) { $0.mostDrainedBytes = 100 }
        let writes = harness.request(.POST, "/", ["Content-Length": "4"], body: "data")
        _ = try harness.sent()
        let ask: HTTPHeaders = ["WWW-Authenticate": "Basic realm=x"]
        let long = String(repeating: "x", count: 101)
        switch loss {
        case .closeField: try harness.challenge("Basic realm=x", ["Connection": "close"])
        case .oldVersion: try harness.respond(401, ask, version: .http1_0)
        case .noLength:
            try harness.give(.head(HTTPResponseHead(version: .http1_1, status: .unauthorized, headers: ask)))
        case .longBody: try harness.respond(401, ask, body: long)
        case .endlessBody:
            try harness.respond(401, ask, body: "no", ends: false)
            harness.channel.embeddedEventLoop.advanceTime(by: .milliseconds(9_999))
            #expect(harness.channel.isActive)
            harness.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        case .closedWhileDraining:
            try harness.respond(401, ask, body: "no", ends: false)
            harness.channel.close(promise: nil)
        case .halfClosed:
            try harness.respond(401, ask, body: "no", ends: false)
            harness.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        case .noOutput:
            harness.channel.close(mode: .output, promise: nil)
            try harness.challenge()
        }
        #expect(harness.user.statuses.isEmpty && writes.haveSucceeded)
        let second = try ClientHarness(challenges, continuing: try harness.continued())
        let sent = try second.sent()
        #expect(sent["Authorization"]?.hasPrefix("Basic ") == true && sent.body == "data" && sent.isEnded)
        try second.respond(200)
        #expect(second.user.statuses == [200] && second.user.outcomes == [.accepted])
    }

    @Test("NTLM begins anew after a connection that closes in its middle; the second time is an error") func handshake()
        throws
    {
        var continued: ContinuedRequest?
        for turn in 1...2 {
            let harness = try ClientHarness(challenges, continuing: continued)
            if turn == 1 { harness.request() }
            #expect(try harness.sent()["Authorization"] == nil)
            try harness.challenge("NTLM")
            #expect(try harness.sent()["Authorization"]?.hasPrefix("NTLM ") == true)
            harness.channel.close(promise: nil)
            #expect(harness.user.isInactive)
            if turn == 1 {
                continued = try harness.continued()
            } else {
                guard
                    case .handshakeLost(.withheld(.exchangeFailed(_, .closedInHandshake(.ntlm)), by: .origin))? =
                        harness.user.errors.first as? AuthenticationError
                else {
                    Issue.record("\(harness.user.errors)")
                    return
                }
            }
        }
    }

    @Test("AUTHENTICATE is not sent on another connection than its CHALLENGE came on") func authenticateIsBound() throws
    {
        let harness = try ClientHarness(challenges)
        var server = NTLMServer()
        harness.request()
        _ = try harness.sent()
        try harness.challenge("NTLM")
        guard case .challenge(let value) = try server.reply(to: #require(try harness.sent()["Authorization"])) else {
            Issue.record("no NEGOTIATE")
            return
        }
        try harness.respond(401, ["WWW-Authenticate": value], body: "no", ends: false)
        harness.channel.close(promise: nil)
        let second = try ClientHarness(challenges, continuing: try harness.continued())
        #expect(try second.sent()["Authorization"] == nil)
    }

    @Test("A request that was sent whole is not repeated after the connection closes") func notRepeated() throws {
        let harness = try ClientHarness(challenges)
        harness.request(.POST, "/", ["Content-Length": "0"])
        _ = try harness.sent()
        try harness.challenge()
        _ = try harness.sent()
        harness.channel.close(promise: nil)
        #expect(harness.user.errors.isEmpty && harness.user.isInactive)
        let late = harness.request()
        #expect(late.errors.count == 2)
    }

    @Test("A continued request that no handler takes fails its unsent parts") func dropped() throws {
        let harness = try ClientHarness(challenges)
        let writes = harness.request(.PUT, "/", ["Transfer-Encoding": "chunked"], body: "abc", ends: false)
        _ = try harness.sent()
        try harness.challenge()
        _ = try harness.continued()
        #expect(writes.errors.isEmpty && writes.done == 1)
        harness.user.errors = []
        #expect(writes.errors.count == 1)
    }

    @Test("A handler takes a continued request once") func once() throws {
        let harness = try ClientHarness(challenges)
        harness.request()
        _ = try harness.sent()
        try harness.challenge("Basic realm=x", ["Connection": "close"])
        let box = try harness.continued()
        let second = try ClientHarness(challenges, continuing: box)
        _ = try second.sent()
        let third = try ClientHarness(challenges, continuing: box)
        #expect(try !third.hasSentMore)
    }

    @Test("A handler that is removed fails what is not sent") func removed() throws {
        let harness = try ClientHarness(challenges)
        let writes = harness.request(.PUT, "/", ["Transfer-Encoding": "chunked"], body: "abc", ends: false)
        _ = try harness.sent()
        let removal = harness.channel.pipeline.syncOperations.removeHandler(harness.handler)
        harness.channel.embeddedEventLoop.run()
        try removal.wait()
        guard case .handlerRemoved? = writes.errors.first as? AuthenticationError else {
            Issue.record("\(writes.errors)")
            return
        }
        // Its timers are gone too.
        harness.channel.embeddedEventLoop.advanceTime(by: .seconds(60))
    }

    @Test("An error of the codec in the middle of a handshake closes the channel") func codecError() throws {
        let harness = try ClientHarness(challenges)
        harness.request()
        _ = try harness.sent()
        try harness.challenge("NTLM")
        _ = try harness.sent()
        harness.channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
        #expect(harness.user.errors.first as? HTTPParserError == .invalidChunkSize && !harness.channel.isActive)
    }

    @Test("One in the rest of a refused response costs the connection alone") func codecErrorInRefusal() throws {
        let harness = try ClientHarness(challenges)
        harness.request()
        _ = try harness.sent()
        try harness.respond(401, ["WWW-Authenticate": "Basic realm=x"], body: "no", ends: false)
        harness.channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
        let second = try ClientHarness(challenges, continuing: try harness.continued())
        #expect(try second.sent()["Authorization"]?.hasPrefix("Basic ") == true)
    }

    @Test("Requests behind one that needs a new connection go there with it, in their order") func pipeline() throws {
        let harness = try ClientHarness(challenges)
        let writes = [
            harness.request(.GET, "/1"), harness.request(.POST, "/2", ["Content-Length": "4"], body: "data"),
            harness.request(.PUT, "/3", ["Content-Length": "6"], body: "abc", ends: false),
        ]
        #expect(try harness.sent().head.uri == "/1")
        try harness.challenge("Basic realm=x", ["Connection": "close"])
        let second = try ClientHarness(challenges, continuing: try harness.continued())
        #expect(writes[1].errors.isEmpty && writes[2].errors.isEmpty)
        // What was written to the new channel comes behind them.
        second.write(.body(.byteBuffer(ByteBuffer(string: "def"))), writes[2])
        second.write(.end(nil), writes[2])
        let last = second.request(.GET, "/4")
        for (target, body) in [("/1", ""), ("/2", "data"), ("/3", "abcdef"), ("/4", "")] {
            let sent = try second.sent()
            #expect(sent.head.uri == target && sent.body == body && sent.isEnded)
            try second.respond(200)
        }
        #expect(writes.allSatisfy(\.haveSucceeded) && last.haveSucceeded)
        #expect(second.user.statuses == [200, 200, 200, 200])
    }
}

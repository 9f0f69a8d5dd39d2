import ClientAuthentication
import HTTPAuthentication
import LiveServers
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import SallyportNIO

@Suite(.inTurn) struct AuthenticationServerHandlerTests {
    private static let accepted = "accepted jdoe (basic)"

    @Test("A request without an answer gets 401 after its body, never arrives, and the next one is read")
    func refused() async throws {
        let server = try await ServerHarness()
        try await server.deliver(.POST, body: "abc", isEnded: false)
        #expect(try await server.sent() == [])
        try await server.channel.writeInbound(HTTPServerRequestPart.end(nil))
        #expect(try await server.sent() == ["401", "body", "end"])
        try await server.deliver(.HEAD)
        #expect(try await server.sent() == ["401", "end"])
        #expect(server.log.lines == Array(repeating: "refused: the request has no answer", count: 2))
        #expect(server.channel.isActive)
    }

    @Test("An accepted request arrives after its client's name and without its answer")
    func accepted() async throws {
        let server = try await ServerHarness()
        try await server.deliver(.POST, target: "/a", user: "jdoe", body: "abc")
        try await server.wait(for: "end")
        #expect(server.log.lines == [Self.accepted, "POST /a", "body 3", "end"])
        try await server.respond()
        #expect(try await server.sent() == ["200", "end"])
    }

    @Test("While the directory thinks, nothing is read, and the next request waits for its response")
    func waiting() async throws {
        let server = try await ServerHarness(isGated: true)
        try await server.deliver(target: "/1", user: "jdoe")
        try await server.deliver(target: "/2", user: "ada")
        try await server.deliver(target: "/3")
        let reads = server.log.reads
        try await server.channel.testingEventLoop.executeInContext { server.channel.read() }
        #expect(server.log.reads == reads && server.log.lines == [])
        server.directory.open()
        try await server.wait(for: "end")
        #expect(server.log.lines == [Self.accepted, "GET /1", "end"])
        try await server.respond()
        try await server.wait(for: "accepted ada (basic)")
        try await server.wait(for: "GET /2")
        #expect(try await server.sent() == ["200", "end"])
        try await server.respond()
        try await server.wait(for: "refused: the request has no answer")
        #expect(try await server.sent() == ["200", "end", "401", "body", "end"])
        #expect(server.log.reads == reads + 1)
    }

    @Test("A response that ends before its request does not let the next request in early")
    func earlyResponse() async throws {
        let server = try await ServerHarness()
        try await server.deliver(.POST, target: "/a", user: "jdoe", isEnded: false)
        try await server.wait(for: "POST /a")
        try await server.respond()
        try await server.channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "abcd")))
        try await server.channel.writeInbound(HTTPServerRequestPart.end(nil))
        try await server.deliver(target: "/b", user: "ada")
        try await server.wait(for: "GET /b")
        #expect(
            server.log.lines == [Self.accepted, "POST /a", "body 4", "end", "accepted ada (basic)", "GET /b", "end"]
        )
    }

    @Test("A directory that takes too long, or throws, is 503; a late reply lets nobody in")
    func slowDirectory() async throws {
        let server = try await ServerHarness(isGated: true)
        try await server.deliver(user: "jdoe")
        await server.channel.testingEventLoop.advanceTime(by: .seconds(31))
        #expect(try await server.sent() == ["503", "body", "end"])
        server.directory.open()
        try await server.deliver(user: "broken")
        try await server.wait(for: "directory: \(ChannelError.eof)")
        #expect(try await server.sent() == ["503", "body", "end"])
        try await server.deliver(target: "/after")
        #expect(try await server.sent() == ["401", "body", "end"])
        #expect(!server.log.lines.contains(Self.accepted))
        #expect(server.log.lines.first == "directory: too slow")
    }

    @Test("A late reply about one user admits nobody to the next request of the connection")
    func crossedReplies() async throws {
        let server = try await ServerHarness(isGated: true)
        let channel = server.channel
        try await server.deliver(user: "jdoe")
        try await eventually("the directory is asked") { server.directory.waiting == 1 }
        let late = try await channel.testingEventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: AuthenticationServerHandler.self).call
        }.get()
        await channel.testingEventLoop.advanceTime(by: .seconds(31))
        #expect(try await server.sent() == ["503", "body", "end"])
        // Unknown, with the password of the other one.
        try await server.deliver(user: "mallory")
        try await eventually("the directory is asked again") { server.directory.waiting == 2 }
        server.directory.answerFirst()
        await late?.value
        await channel.testingEventLoop.run()
        #expect(late != nil)
        #expect(!server.log.lines.contains { $0.hasPrefix("accepted") }, "\(server.log.lines)")
        #expect(try await server.sent() == [])
        let before = server.log.lines.count
        server.directory.open()
        try await eventually("the second reply") { server.log.lines.count > before }
        #expect(!server.log.lines.contains { $0.hasPrefix("accepted") }, "\(server.log.lines)")
        #expect(try await server.sent() == ["401", "body", "end"])
    }

    @Test("Without TLS no Basic is taken, unless the options say that the connection is encrypted elsewhere")
    func cleartext() async throws {
        let clear = try await ServerHarness(options: AuthenticationServerOptions())
        try await clear.deliver(user: "jdoe")
        #expect(try await clear.sent() == ["401", "body", "end"])
    }

    @Test("A client that goes away while the directory thinks leaves nothing behind", arguments: [true, false])
    func goneClient(byClosing: Bool) async throws {
        let server = try await ServerHarness(isGated: true)
        try await server.deliver(user: "jdoe")
        let channel = server.channel
        let call = try await channel.testingEventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: AuthenticationServerHandler.self).call
        }.get()
        if byClosing {
            try await channel.close()
        } else {
            try await channel.testingEventLoop.submit {
                channel.pipeline.syncOperations.removeHandler(
                    try channel.pipeline.syncOperations.handler(type: AuthenticationServerHandler.self)
                )
            }.get().get()
        }
        server.directory.open()
        // Its reply is on its way to the event loop when the call has ended.
        await call?.value
        #expect(call != nil)
        await channel.testingEventLoop.run()
        #expect(server.log.lines == [])
    }

    @Test("A client that expects 100 Continue is refused at once, and what it sends all the same is dropped")
    func expectation() async throws {
        let server = try await ServerHarness()
        try await server.deliver(
            .PUT,
            target: "/a",
            headers: ["Expect": "100-continue", "Content-Length": "3"],
            isEnded: false
        )
        #expect(try await server.sent() == ["401", "body", "end"])
        try await server.channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "abc")))
        try await server.channel.writeInbound(HTTPServerRequestPart.end(nil))
        #expect(try await server.sent() == [])
        try await server.deliver(target: "/b")
        #expect(try await server.sent() == ["401", "body", "end"])
    }

    @Test("A refused body that is too long ends the connection")
    func longBody() async throws {
        let server = try await ServerHarness()
        try await server.deliver(.PUT, body: String(repeating: "a", count: 101), isEnded: false)
        #expect(try await server.sent() == ["401", "body", "end"])
        #expect(!server.channel.isActive)
    }

    @Test("A refused body that does not come ends the connection, with the response", arguments: [false, true])
    func missingBody(expects: Bool) async throws {
        let server = try await ServerHarness()
        let patience = AuthenticationServerOptions().droppingPatience
        var headers: HTTPHeaders = ["Transfer-Encoding": "chunked"]
        if expects { headers.add(name: "Expect", value: "100-continue") }
        try await server.deliver(.PUT, headers: headers, body: "a", isEnded: false)
        #expect(try await server.sent() == (expects ? ["401", "body", "end"] : []))
        await server.channel.testingEventLoop.advanceTime(by: patience - .milliseconds(1))
        #expect(server.channel.isActive)
        await server.channel.testingEventLoop.advanceTime(by: .milliseconds(1))
        #expect(try await server.sent() == (expects ? [] : ["401", "body", "end"]))
        #expect(!server.channel.isActive)
    }

    @Test("A refused body that comes in time ends the wait for it")
    func refusedBodyInTime() async throws {
        let server = try await ServerHarness()
        try await server.deliver(.PUT, headers: ["Content-Length": "1"], body: "a")
        #expect(try await server.sent() == ["401", "body", "end"])
        await server.channel.testingEventLoop.advanceTime(by: .hours(1))
        #expect(server.channel.isActive)
        try await server.deliver(target: "/b")
        #expect(try await server.sent() == ["401", "body", "end"])
    }

    @Test("A request of HTTP/1.0 is refused, and the connection ends with the response")
    func oldVersion() async throws {
        let server = try await ServerHarness()
        try await server.deliver(version: .http1_0)
        #expect(try await server.sent() == ["401", "body", "end"])
        #expect(!server.channel.isActive)
    }

    @Test("After 101, and after 2xx to CONNECT, everything passes as it is")
    func upgrades() async throws {
        for (method, target, status) in [
            (HTTPMethod.GET, "/upgrade", HTTPResponseStatus.switchingProtocols), (.CONNECT, "x:1", .ok),
        ] {
            let server = try await ServerHarness()
            try await server.deliver(method, target: target, user: "jdoe")
            try await server.wait(for: "raw")
            try await server.respond(status, isEnded: false)
            #expect(try await server.sent() == ["\(status.code)"])
            try await server.channel.writeInbound(ByteBuffer(string: "anything"))
            #expect(server.log.lines == [Self.accepted, "\(method) \(target)", "raw", "raw"])
        }
    }

    @Test("CONNECT that the user refuses is a response like others")
    func refusedConnect() async throws {
        let server = try await ServerHarness()
        try await server.deliver(.CONNECT, target: "x:1", user: "jdoe")
        try await server.wait(for: "raw")
        try await server.respond(.badGateway)
        try await server.deliver(target: "/b")
        #expect(try await server.sent() == ["502", "end", "401", "body", "end"])
    }

    @Test("The end of the input arrives after the request that came before it")
    func endOfInput() async throws {
        let server = try await ServerHarness(isGated: true)
        try await server.deliver(user: "jdoe")
        let channel = server.channel
        try await channel.testingEventLoop.executeInContext {
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        #expect(server.log.lines == [])
        server.directory.open()
        try await server.wait(for: "input closed")
        #expect(server.log.lines == [Self.accepted, "GET /", "end", "input closed"])
    }

    @Test("A proxy asks with 407 and takes Proxy-Authorization alone")
    func proxy() async throws {
        let server = try await ServerHarness(party: .proxy)
        try await server.deliver(user: "jdoe")
        #expect(try await server.sent() == ["407", "body", "end"])
        let token = "amRvZTpDb3JyZWN0LUhvcnNl"
        try await server.deliver(headers: ["Proxy-Authorization": "Basic \(token)", "Authorization": "Basic eDp5"])
        try await server.wait(for: "end")
        // The answer to the origin server is not ours to remove.
        #expect(server.log.lines.suffix(3) == [Self.accepted, "GET / with an answer", "end"])
    }

    @Test("An answer among the trailers does not arrive")
    func trailers() async throws {
        let server = try await ServerHarness()
        try await server.deliver(.POST, user: "jdoe", body: "a", isEnded: false)
        let trailers: HTTPHeaders = ["Authorization": "Basic eDp5", "Checksum": "1"]
        try await server.channel.writeInbound(HTTPServerRequestPart.end(trailers))
        try await eventually("the end of the request") { server.log.lines.contains { $0.hasPrefix("end") } }
        #expect(server.log.lines.last == "end Checksum")
    }

    @Test("A channel whose handler is removed while the directory thinks reads on")
    func removalWithHeldRead() async throws {
        let server = try await ServerHarness(isGated: true)
        try await server.deliver(user: "jdoe")
        let (channel, reads) = (server.channel, server.log.reads)
        try await channel.testingEventLoop.submit {
            channel.read()
            let pipeline = channel.pipeline.syncOperations
            return pipeline.removeHandler(try pipeline.handler(type: AuthenticationServerHandler.self))
        }.get().get()
        #expect(server.log.reads == reads + 1)
        server.directory.open()
    }
}

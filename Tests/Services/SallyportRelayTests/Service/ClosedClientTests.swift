import CredentialSources
import Dispatch
import Hostnames
import LiveServers
import NIOCore
import NIOPosix
import NTLM
import Sallyport
import SallyportRelay
import Synchronization
import Testing
import WireFormat

/// Clients that close their side before their request is sent: they may have gone away, or only have no more to say.
@Suite(.inTurn) struct ClosedClientTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// A person who answers when a test lets him.
    private final class Person: CredentialSource {
        let isAsked = Mutex(false)

        func reply(to question: CredentialQuestion) async throws -> CredentialReply {
            isAsked.withLock { $0 = true }
            try await Task.sleep(for: .seconds(600))
            return .nothing
        }
    }

    @Test("A request that waits for a person is dropped, and the person is no longer asked")
    func person() async throws {
        let parent = try await ScriptedServer { _ in
            .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
        }
        defer { parent.stop() }
        let person = Person()
        var options = AuthenticatorOptions()
        options.allowsCleartext = true
        let authenticator = try Authenticator(
            CurrentHandler(try TestRelay.noAccounts(sites: "\(parent.origin)")),
            prompt: person,
            options: options
        )
        try await TestRelay.run(before: parent.origin, authenticator: authenticator) { relay in
            let client = try relay.connect()
            try client.send("GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually("the person is asked") { person.isAsked.withLock { $0 } }
            client.stream.finish()
            let response = try client.readResponse()
            #expect(response.status == 503 && response.body.contains("the client closed its side"))
            try await eventually("no request waits") { await relay.relay.counters().waitingForPassword == 0 }
        }
        #expect(parent.requests.count == 1)
    }

    @Test(
        "The password of a client that is gone is judged all the same, new or changed: a wrong one is sent once",
        arguments: [false, true]
    )
    func judged(isChanged: Bool) async throws {
        let isWrong = Mutex(!isChanged)
        let hasAnswer = Mutex(false)
        let mayReply = DispatchSemaphore(value: 0)
        // A reply that blocks holds up no other server.
        let ownGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let parent = try await ScriptedServer(group: ownGroup) { request in
            if request.target.contains("open") { return .send(Self.ok) }
            if request.field("Proxy-Authorization") != nil {
                guard isWrong.withLock({ $0 }) else { return .send(Self.ok) }
                hasAnswer.withLock { $0 = true }
                _ = mayReply.wait(timeout: .now() + Patience.limit / .seconds(1))
            }
            return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
        }
        // Its threads do not wait with the parent's.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let clock = ManualClock(nanoseconds: 1)
        let handler = try TestRelay.handler(parent.origin, .basic, clock: clock)
        let answers = { parent.requests.count { $0.field("Proxy-Authorization") != nil } }
        try await TestRelay.run(before: parent.origin, handler, group: group) { relay in
            if isChanged {
                let accepted = try relay.connect().get("http://closed.example/")
                #expect(accepted.status == 200)
            }
            var client: RelayClient? = try relay.connect()
            try client?.send("GET http://open.example/ HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually("the first response is there") {
                let counters = await relay.relay.counters()
                return counters.requests == (isChanged ? 2 : 1) && counters.openRequests == 0
            }
            clock.advance(by: .seconds(1))
            isWrong.withLock { $0 = true }
            let before = answers()
            try client?.send("GET http://closed.example/ HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually("the parent has an answer") { hasAnswer.withLock { $0 } }
            // The first response is not read, so the system resets the connection.
            client = nil
            try await eventually("the client is gone") { await relay.relay.counters().clients == 0 }
            for _ in 0..<2 { mayReply.signal() }
            try await eventually("the parent's connections are closed") {
                await relay.relay.counters().openParentConnections == 0
            }
            let counters = await relay.relay.counters()
            #expect(counters.badLogOns == 1)
            #expect(try relay.connect().get("http://closed.example/").status == 502)
            #expect(answers() == before + 1)
        }
        try await group.shutdownGracefully()
        parent.stop()
        try await ownGroup.shutdownGracefully()
    }

    @Test("At most 64 connections of a parent wait for a response that judges a password, and has no client")
    func keptForVerdict() async throws {
        let isSilent = Mutex(false)
        let parent = try await ScriptedServer { request in
            if request.target.contains("open") { return .send(Self.ok) }
            if request.field("Proxy-Authorization") == nil {
                return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
            }
            return isSilent.withLock { $0 } ? .hang : .send(Self.ok)
        }
        defer { parent.stop() }
        let clock = ManualClock(nanoseconds: 1)
        let handler = try TestRelay.handler(parent.origin, .basic, clock: clock)
        // Each thread has connections of its own.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await TestRelay.run(before: parent.origin, handler, group: group) { relay in
            #expect(try relay.connect().get("http://closed.example/").status == 200)
            isSilent.withLock { $0 = true }
            for number in 1...66 {
                // Longer than a slow page holds up the next attempt, and than a success lets several attempts begin.
                clock.advance(by: .seconds(3))
                var client: RelayClient? = try relay.connect()
                try client?.send("GET http://open.example/ HTTP/1.1\r\nHost: a\r\n\r\n")
                try await eventually("the first response is there") {
                    let counters = await relay.relay.counters()
                    return counters.requests == 2 * number && counters.openRequests == 0
                }
                clock.advance(by: .seconds(3))
                try client?.send("GET http://closed.example/\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                try await eventually("the parent has the password") {
                    parent.requests.contains {
                        $0.target.hasSuffix("/\(number)") && $0.field("Proxy-Authorization") != nil
                    }
                }
                // The first response is not read, so the system resets the connection.
                client = nil
                try await eventually("the client is gone") { await relay.relay.counters().clients == 0 }
            }
            let open = await relay.relay.counters().openParentConnections
            #expect(open == 64)
        }
        try await group.shutdownGracefully()
    }

    @Test("The first message of a handshake does not wait long for a client that may be gone: others wait for it")
    func firstMessage() async throws {
        let parent = try await ScriptedServer { request in
            guard let token = request.field("Proxy-Authorization") else {
                return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n")
            }
            guard token.hasPrefix("NTLM TlRMTVNTUAAB") else { return .send(Self.ok) }
            if request.target.contains("gone") { return .hang }
            var handshake = ServerHandshake(options: .init(computerName: "TEST", domainName: NTLMParent.domain))
            let message =
                (try? handshake.challenge(to: NTLMParent.message(in: token).span, now: NTLMParent.now)) ?? []
            let field = "Proxy-Authenticate: NTLM \(Base64.encode(message.span))"
            return .send("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\(field)\r\n\r\n")
        }
        defer { parent.stop() }
        var limits = RelayLimits()
        limits.handshake = .milliseconds(50)
        let handler = try TestRelay.handler(parent.origin, .ntlm, domain: NTLMParent.domain)
        try await TestRelay.run(before: parent.origin, handler, limits: limits) { relay in
            let gone = try relay.connect()
            try gone.send("GET http://gone.example/ HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually("the parent has the first message") { parent.requests.count == 2 }
            gone.stream.finish()
            // A relay with the same accounts, and with limits that a busy machine does not reach.
            try await TestRelay.run(before: parent.origin, handler) { other in
                let next = try other.connect().get("http://a.example/")
                #expect(next.status == 200)
            }
            #expect(try gone.readResponse().status == 504)
        }
    }

    @Test("A request that waits for a free connection is not sent any more", arguments: ["GET", "POST"])
    func queued(method: String) async throws {
        let mayReply = DispatchSemaphore(value: 0)
        // A reply that blocks holds up no other server.
        let ownGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let parent = try await ScriptedServer(group: ownGroup) { request in
            if request.target.contains("slow") { _ = mayReply.wait(timeout: .now() + Patience.limit / .seconds(1)) }
            return .send(Self.ok)
        }
        var limits = RelayLimits()
        limits.parentConnections = 1
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await TestRelay.run(before: parent.origin, limits: limits, group: group) { relay in
            let first = try relay.connect()
            try first.send("GET http://a.example/slow HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually("the parent has the slow request") { !parent.requests.isEmpty }
            let second = try relay.connect()
            try second.send("\(method) http://a.example/late HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            try await eventually("the late request is read") { await relay.relay.counters().requests == 2 }
            second.stream.finish()
            #expect(try second.readResponse().status == 503)
            mayReply.signal()
            #expect(try first.readResponse().body == "ok")
            // The connection is free again.
            let third = try relay.connect()
            #expect(try third.get("http://a.example/third").body == "ok")
        }
        #expect(parent.requests.map(\.target) == ["http://a.example/slow", "http://a.example/third"])
        try await group.shutdownGracefully()
        parent.stop()
        try await ownGroup.shutdownGracefully()
    }

    @Test(
        "While its connection is being opened, a request goes on: it is sent within seconds",
        .needs(.python),
        arguments: ["GET", "POST"]
    )
    func dialled(method: String) async throws {
        let (proxy, server) = (try SOCKSServer("gate"), try await ScriptedServer { _ in .send(Self.ok) })
        defer { server.stop() }
        try await TestRelay.run(before: [RelayParent(parsing: "socks5://127.0.0.1:\(proxy.port)")]) { relay in
            let client = try relay.connect()
            let url = "http://a.example:\(server.origin.port)/"
            try client.send("\(method) \(url) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            try await eventually("the proxy has the connection") { try !proxy.log.isEmpty }
            client.stream.finish()
            // Time for the relay to see the end.
            try await Task.sleep(for: .milliseconds(50))
            try proxy.open()
            #expect(try client.readResponse().status == 200)
        }
        #expect(server.requests.count == 1)
    }
}

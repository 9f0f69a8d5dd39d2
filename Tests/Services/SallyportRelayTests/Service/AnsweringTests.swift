import Foundation
import HTTPAuthentication
import LiveServers
import NIOCore
import NIOPosix
import NTLM
import Sallyport
import SallyportRelay
import Synchronization
import Testing
import WireFormat

/// Challenges of a scripted parent. Real ones are in `LiveParentTests`.
@Suite(.inTurn) struct AnsweringTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let asks =
        "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 4\r\n\r\nwhat"
    /// "jdoe:Correct-Horse".
    private static let answer = "Basic amRvZTpDb3JyZWN0LUhvcnNl"

    private static func basic() async throws -> ScriptedServer {
        try await ScriptedServer { request in
            guard request.field("Proxy-Authorization") == answer else { return .send(asks) }
            if request.field("Expect") != nil, request.body.isEmpty { return .send("HTTP/1.1 100 Continue\r\n\r\n") }
            return .send(ok)
        }
    }

    @Test("The client sees no challenge, and the next request is answered in advance")
    func basic() async throws {
        let parent = try await Self.basic()
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin, TestRelay.handler(parent.origin, .basic)) { relay in
            let client = try relay.connect()
            for _ in 0..<3 { #expect(try client.get("http://a.example/").body == "ok") }
        }
        #expect(parent.requests.map { $0.field("Proxy-Authorization") != nil } == [false, true, true, true])
        #expect(parent.connections == 1)
    }

    @Test(
        "A body is sent once, after the parent has accepted",
        arguments: ["Content-Length: 5", "Transfer-Encoding: chunked"]
    )
    func body(framing: String) async throws {
        let parent = try await Self.basic()
        defer { parent.stop() }
        let body = framing.hasPrefix("T") ? "5\r\nhello\r\n0\r\n\r\n" : "hello"
        try await TestRelay.run(before: parent.origin, TestRelay.handler(parent.origin, .basic)) { relay in
            let client = try relay.connect()
            for _ in 0..<2 {
                try client.send("POST http://a.example/ HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n\(body)")
                let response = try client.readResponse()
                #expect(response.body == "ok")
            }
        }
        // The first refused request, whose body was not sent, is on a connection of its own.
        #expect(parent.requests.filter { $0.body.contains("hello") }.count == 2)
        #expect(parent.requests.first?.body == "")
    }

    @Test("Without an account the client learns why, and gets no challenge to which it could send a password")
    func noAccount() async throws {
        let parent = try await Self.basic()
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502)
            #expect(response.field("Proxy-Authenticate") == nil)
            #expect(response.body.hasPrefix("sallyport relay: parent: "))
        }
    }

    @Test("A challenge of the origin reaches the client, also where the profile has an account for the origin")
    func origin() async throws {
        let parent = try await ScriptedServer { _ in
            .send("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
        }
        defer { parent.stop() }
        let handler = try TestRelay.handler(try .init(parsing: "http://a.example"), .basic)
        try await TestRelay.run(before: parent.origin, handler) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 401)
            #expect(response.field("WWW-Authenticate") == "Basic realm=\"r\"")
        }
        #expect(parent.requests.allSatisfy { $0.field("Authorization") == nil })
    }

    @Test("64 clients with a wrong password cost one bad log-on")
    func wrongPassword() async throws {
        let parent = try await Self.basic()
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .basic, password: "Wrong")
        try await TestRelay.run(before: parent.origin, handler) { relay in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 { group.addTask { try relay.connect().get("http://a.example/").status } }
                var statuses: [Int] = []
                for try await status in group { statuses.append(status) }
                return statuses
            }
            #expect(statuses == [Int](repeating: 502, count: 64))
            let counters = await relay.relay.counters()
            #expect(counters.badLogOns == 1)
        }
        #expect(parent.requests.filter { $0.field("Proxy-Authorization") != nil }.count == 1)
    }

    @Test("Requests that wait for the first log-on are not sent as another one on its connection")
    func waiting() async throws {
        let parent = try await NTLMParent(["jdoe": NTHash(password: "Correct-Horse")])
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        for _ in 0..<8 {
            let handler = try TestRelay.handler(parent.origin, .ntlm, domain: NTLMParent.domain)
            // All requests share one pool, and are on their way before the first is answered.
            try await TestRelay.run(before: parent.origin, handler, group: group) { relay in
                let clients = try (0..<16).map { _ in try relay.connect() }
                for client in clients { try client.send("GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n") }
                let responses = try clients.map { try $0.readResponse() }
                #expect(responses.allSatisfy { $0.status == 200 }, "\(responses.map(\.body))")
                // A handshake on an authenticated connection would cost another connection.
                let counters = await relay.relay.counters()
                #expect(counters.parentConnections <= 16)
            }
        }
        try await group.shutdownGracefully()
        await parent.stop()
        #expect(parent.counts.badLogOns == 0)
    }

    @Test("A connection that closes in mid-handshake is tried again once, with no second password")
    func midHandshake() async throws {
        let messages = Mutex(0)
        let parent = try await ScriptedServer { request in
            guard let answer = request.field("Proxy-Authorization") else {
                return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n")
            }
            // NEGOTIATE, message type 1.
            if answer.hasPrefix("NTLM TlRMTVNTUAAB") { messages.withLock { $0 += 1 } }
            return .close
        }
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .ntlm, domain: "ACME")
        try await TestRelay.run(before: parent.origin, handler) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502)
        }
        #expect(messages.withLock { $0 } == 2)
        #expect(parent.requests.allSatisfy { $0.field("Proxy-Authorization")?.hasPrefix("NTLM TlRMTVNTUAAD") != true })
    }

    /// A parent with NTLM that closes the connection at some messages: the arguments are the message's type, and how often it came.
    ///
    /// - Parameters:
    ///   - isOld: whether it speaks HTTP/1.0, and offers NTLM only to requests that ask it to keep the connection.
    ///   - isOpen: whether it lets each request pass.
    static func ntlm(
        isOld: Bool = false,
        isOpen: @escaping @Sendable () -> Bool = { false },
        closesAt: @escaping @Sendable (Character, Int) -> Bool
    ) async throws -> ScriptedServer {
        let counts = Mutex<[Character: Int]>([:])
        // Of the old one: it authenticates connections. The other asks each request.
        let authenticated = Mutex<Set<Int>>([])
        return try await ScriptedServer { request in
            let version = isOld ? "HTTP/1.0" : "HTTP/1.1"
            let keeps = isOld ? "Proxy-Connection: keep-alive\r\n" : ""
            let ok = "\(version) 200 OK\r\n\(keeps)Content-Length: 2\r\n\r\nok"
            if isOpen() { return .send(ok) }
            if isOld, authenticated.withLock({ $0.contains(request.connection) }) { return .send(ok) }
            if isOld, request.field("Proxy-Connection") != "keep-alive" {
                return .sendAndClose("\(version) 407 No\r\nProxy-Authenticate: Basic realm=x\r\n\r\n")
            }
            let asks = "\(version) 407 No\r\n\(keeps)Content-Length: 0\r\nProxy-Authenticate: NTLM"
            // "NTLMSSP", a zero, and the first byte of the type: 1 is B, 3 is D.
            guard let answer = request.field("Proxy-Authorization"), answer.hasPrefix("NTLM TlRMTVNTUAA"),
                let type = answer.dropFirst(16).first, let token = try? Base64.decode(answer.dropFirst(5))
            else { return .send("\(asks)\r\n\r\n") }
            let count = counts.withLock { counts in
                counts[type, default: 0] += 1
                return counts[type] ?? 0
            }
            if closesAt(type, count) { return .close }
            if type == "D" {
                authenticated.withLock { _ = $0.insert(request.connection) }
                return .send(ok)
            }
            var handshake = ServerHandshake(options: .init(computerName: "TEST", domainName: "ACME"))
            guard
                let challenge = try? handshake.challenge(
                    to: token.span,
                    now: FileTime(unixSeconds: Int64(Date().timeIntervalSince1970))
                )
            else {
                return .close
            }
            return .send("\(asks) \(Base64.encode(challenge.span))\r\n\r\n")
        }
    }

    @Test("A handshake that loses its connection once begins anew, and the password is sent once")
    func handshakeLostOnce() async throws {
        let parent = try await Self.ntlm { type, count in type == "B" && count == 1 }
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .ntlm, domain: "ACME")
        try await TestRelay.run(before: parent.origin, handler) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 200, "\(response.body)")
        }
        let messages = parent.requests.compactMap { $0.field("Proxy-Authorization") }
        #expect(messages.filter { $0.hasPrefix("NTLM TlRMTVNTUAAB") }.count == 2)
        #expect(messages.filter { $0.hasPrefix("NTLM TlRMTVNTUAAD") }.count == 1)
    }

    @Test(
        "After the message that depends on the password a lost connection is an error: a wrong password would count twice"
    )
    func lostAfterPassword() async throws {
        let parent = try await Self.ntlm { type, _ in type == "D" }
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .ntlm, domain: "ACME")
        try await TestRelay.run(before: parent.origin, handler) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502, "\(response.body)")
            #expect(response.body.contains(Self.closed), "\(response.body)")
        }
        let messages = parent.requests.compactMap { $0.field("Proxy-Authorization") }
        #expect(messages.filter { $0.hasPrefix("NTLM TlRMTVNTUAAD") }.count == 1)
    }

    /// What has happened, at whom, in which scheme.
    private static let closed =
        "parent: with 'account': the connection was closed on a message of ntlm, in place of an answer: "

    @Test("A parent that closes the connection on each first message is said to do so")
    func closesAlways() async throws {
        let parent = try await Self.ntlm { type, _ in type == "B" }
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .ntlm, domain: "ACME")
        try await TestRelay.run(before: parent.origin, handler) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502 && response.body.contains(Self.closed), "\(response.body)")
        }
    }
}

import AllowedSites
import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import NIOPosix
import Sallyport
import SallyportRelay
import Secrets
import Synchronization
import Testing

/// Challenges of servers, which are answered only where the settings say so.
@Suite(.inTurn) struct ServerAnsweringTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let asks = "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 2\r\n\r\nno"
    /// "jdoe:Correct-Horse".
    private static let answer = "Basic amRvZTpDb3JyZWN0LUhvcnNl"

    /// Asks for Basic as the server behind it.
    private static func server() async throws -> ScriptedServer {
        try await ScriptedServer { request in
            guard request.field("Authorization") == answer else { return .send(asks) }
            if request.field("Expect") != nil, request.body.isEmpty { return .send("HTTP/1.1 100 Continue\r\n\r\n") }
            return .send(ok)
        }
    }

    private static func handler(password: String = "Correct-Horse") throws -> ChallengeHandler {
        try TestRelay.handler(try Origin(parsing: "http://wiki.example"), .basic, password: password)
    }

    @Test("A listed server is answered, also with a body, and in advance from then on; others are the client's")
    func listed() async throws {
        let parent = try await Self.server()
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin, Self.handler(), answersServers: true) { relay in
            let client = try relay.connect()
            for _ in 0..<2 { #expect(try client.get("http://wiki.example/a/").body == "ok") }
            try client.send("POST http://wiki.example/a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try client.readResponse().body == "ok")
            let other = try client.get("http://other.example/")
            #expect(other.status == 401 && other.body == "no" && other.field("WWW-Authenticate") == "Basic realm=\"r\"")
        }
        let answered = parent.requests.map { $0.field("Authorization") != nil }
        #expect(answered == [false, true, true, true, false])
        #expect(parent.requests[3].body == "hello")
    }

    /// Tokens `t1`, `t2` and so on.
    private final class NumberedTokens: TokenSource {
        private let count = Atomic(0)

        func token(for question: TokenQuestion) async throws -> AccessToken? {
            let number = count.add(1, ordering: .relaxed).newValue
            return AccessToken(SharedSecret(utf8: "t\(number)"), requiresTLS: false)
        }
    }

    @Test(
        "A token that was accepted without a challenge is renewed: the client gets its refusal, and a later request the next token"
    )
    func renewedToken() async throws {
        let isRevoked = Atomic(false)
        let server = try await ScriptedServer { request in
            let field = request.field("Authorization")
            let isGood = field == "Bearer t2" || field == "Bearer t1" && !isRevoked.load(ordering: .relaxed)
            return .send(
                isGood ? Self.ok : Self.asks.replacing("Basic realm", with: "Bearer error=\"invalid_token\", realm")
            )
        }
        defer { server.stop() }
        var place = AccountPlace(name: "wiki", sites: ["http://wiki.example"])
        (place.tokens, place.sendsTokenFirst, place.allowsCleartext) = (NumberedTokens(), true, true)
        let current = CurrentHandler(try TestRelay.noAccounts(sites: "http://wiki.example"))
        let authenticator = try Authenticator(current, options: AuthenticatorOptions(places: [place]))
        try await TestRelay.run(before: server.origin, authenticator: authenticator, answersServers: true) { relay in
            let client = try relay.connect()
            #expect(try client.get("http://wiki.example/").status == 200)
            isRevoked.store(true, ordering: .relaxed)
            #expect(try client.get("http://wiki.example/").status == 401)
            try await eventually("the next token goes out") { try client.get("http://wiki.example/").status == 200 }
        }
    }

    /// Asks for Basic after the body, as a server that does not know `Expect`, or is slow.
    private static func slowServer(asParent: Bool) async throws -> ScriptedServer {
        try await ScriptedServer { request in
            if request.field("Expect") != nil, request.body.isEmpty { return .hang }
            if request.field(asParent ? "Proxy-Authorization" : "Authorization") == answer { return .send(ok) }
            return .send(asParent ? asks.replacing("401", with: "407").replacing("WWW", with: "Proxy") : asks)
        }
    }

    @Test("A short body is sent again to a party that asks after it", arguments: [false, true], [false, true])
    func keptBody(asParent: Bool, isChunked: Bool) async throws {
        let server = try await Self.slowServer(asParent: asParent)
        defer { server.stop() }
        var limits = RelayLimits()
        limits.continuing = .milliseconds(20)
        let handler = asParent ? try TestRelay.handler(server.origin, .basic) : try Self.handler()
        try await TestRelay.run(before: server.origin, handler, answersServers: true, limits: limits) { relay in
            let client = try relay.connect()
            let body =
                isChunked
                ? "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
                : "Content-Length: 5\r\n\r\nhello"
            try client.send("POST http://wiki.example/a/ HTTP/1.1\r\nHost: a\r\n\(body)")
            let response = try client.readResponse()
            #expect(response.status == 200 && response.body == "ok")
            #expect(try client.get("http://wiki.example/a/").body == "ok")
        }
        let bodies = server.requests.map(\.body)
        #expect(bodies.count == 3 && bodies[0] == bodies[1] && bodies[2].isEmpty && bodies[0].contains("hel"))
    }

    @Test("A client that waits for 100 Continue gets it, also where the party does not say it") func silentParty()
        async throws
    {
        let server = try await Self.slowServer(asParent: false)
        defer { server.stop() }
        var limits = RelayLimits()
        limits.continuing = .milliseconds(20)
        try await TestRelay.run(before: server.origin, Self.handler(), answersServers: true, limits: limits) { relay in
            let client = try relay.connect()
            let head = "POST http://wiki.example/a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
            try client.send("\(head)Expect: 100-continue\r\n\r\n")
            #expect(try client.readHead().status == 100)
            try client.send("hello")
            let response = try client.readResponse()
            #expect(response.status == 200 && response.body == "ok")
        }
        #expect(server.requests.map(\.body) == ["hello", "hello"])
    }

    @Test("A body that is longer than what is kept is not sent again", arguments: [false, true])
    func spentBody(asParent: Bool) async throws {
        let server = try await Self.slowServer(asParent: asParent)
        defer { server.stop() }
        var limits = RelayLimits()
        limits.continuing = .milliseconds(20)
        limits.keptBody = 4
        let handler = asParent ? try TestRelay.handler(server.origin, .basic) : try Self.handler()
        try await TestRelay.run(before: server.origin, handler, answersServers: true, limits: limits) { relay in
            let client = try relay.connect()
            try client.send("POST http://wiki.example/a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            let response = try client.readResponse()
            #expect(response.status == (asParent ? 503 : 401))
        }
        #expect(server.requests.count == 1)
    }

    @Test("A party that refuses the relay's own Expect gets the request without it", arguments: [false, true])
    func refusedExpectation(asParent: Bool) async throws {
        let server = try await ScriptedServer { request in
            if request.field("Expect") != nil {
                return .send("HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
            }
            if request.field(asParent ? "Proxy-Authorization" : "Authorization") == Self.answer {
                return .send(Self.ok)
            }
            return .send(asParent ? Self.asks.replacing("401", with: "407").replacing("WWW", with: "Proxy") : Self.asks)
        }
        defer { server.stop() }
        let handler = asParent ? try TestRelay.handler(server.origin, .basic) : try Self.handler()
        try await TestRelay.run(before: server.origin, handler, answersServers: true) { relay in
            let post = "POST http://wiki.example/a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
            let client = try relay.connect()
            try client.send(post + "\r\nhello")
            let response = try client.readResponse()
            #expect(response.status == 200 && response.body == "ok")
            // The client's own is the client's matter.
            try client.send(post + "Expect: 100-continue\r\n\r\n")
            #expect(try client.readResponse().status == 417)
        }
        #expect(server.requests.map(\.body) == ["", "hello", "hello", ""])
    }

    @Test("A request that waits in vain for another's attempt says so") func attemptUnanswered() async throws {
        let server = try await ScriptedServer { request in
            request.field("Authorization") == nil ? .send(Self.asks) : .hang
        }
        defer { server.stop() }
        var limits = RelayLimits()
        limits.waiting = .milliseconds(100)
        try await TestRelay.run(before: server.origin, Self.handler(), answersServers: true, limits: limits) { relay in
            let get = "GET http://wiki.example/a/ HTTP/1.1\r\nHost: a\r\n\r\n"
            let first = try relay.connect()
            try first.send(get)
            try await eventually("the server has an answer") { server.requests.count == 2 }
            let second = try relay.connect()
            try second.send(get)
            let response = try second.readResponse()
            #expect(response.status == 503 && response.body.contains("another request tries the account"))
        }
    }

    @Test("A 401 to CONNECT is not the origin's, and gets no answer") func tunnel() async throws {
        let parent = try await ScriptedServer { _ in .send(Self.asks) }
        defer { parent.stop() }
        let handler = try TestRelay.handler(try Origin(parsing: "https://wiki.example"), .basic)
        try await TestRelay.run(before: parent.origin, handler, answersServers: true) { relay in
            let client = try relay.connect()
            _ = try client.get("http://other.example/")
            try client.send("CONNECT wiki.example:443 HTTP/1.1\r\nHost: wiki.example:443\r\n\r\n")
            _ = try client.readHead()
        }
        #expect(parent.requests.count == 2 && parent.requests.allSatisfy { $0.field("Authorization") == nil })
        // The server's account is nothing to the parent: any connection to it may carry the CONNECT.
        #expect(parent.connections == 1)
    }

    @Test("A client with an answer of its own is not spoken for")
    func ownAnswer() async throws {
        let parent = try await Self.server()
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin, Self.handler(), answersServers: true) { relay in
            let response = try relay.connect().get("http://wiki.example/", ["Authorization: Basic b3duOm93bg=="])
            #expect(response.status == 401)
        }
        #expect(parent.requests.map { $0.field("Authorization") } == ["Basic b3duOm93bg=="])
    }

    @Test("A wrong password is sent once; the client gets the server's own response")
    func wrong() async throws {
        let parent = try await Self.server()
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin, Self.handler(password: "Wrong"), answersServers: true) { relay in
            for _ in 0..<3 {
                let response = try relay.connect().get("http://wiki.example/")
                #expect(response.status == 401 && response.body == "no")
            }
            let counters = await relay.relay.counters()
            #expect(counters.badLogOns == 1)
        }
        #expect(parent.requests.filter { $0.field("Authorization") != nil }.count == 1)
    }
}

/// Real servers, which are reached without a parent.
@Suite(.inTurn, .serialized, .needs(.apache, .gssNTLMSSP, .pyspnego)) struct LiveServerAnsweringTests {
    @Test("Apache is answered on behalf of clients that cannot", arguments: GuardedServer.Kind.apache)
    func apache(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let nowhere = try Origin(parsing: "http://127.0.0.1:\(ServerPort.take())")
        var rules = DestinationRules()
        let list = SiteTrie(compiling: try SiteDialect.noProxy.read("localhost,127.0.0.0/8", name: "test").list)
        (rules.direct, rules.allowed) = (list, list)
        let address = try server.address()
        try await TestRelay.run(before: nowhere, server.handler(), destinations: rules, answersServers: true) { relay in
            let client = try relay.connect()
            for number in 0..<5 {
                let response = try client.get("\(address)\(server.page(number))")
                #expect(response.status == 200)
            }
            let forbidden = try relay.connect().get("\(address)\(server.forbiddenPage)")
            // Apache sends a user who may not see a page 401 (AuthzSendForbiddenOnFailure is off); without a challenge if NTLM has let the
            // connection in.
            #expect(forbidden.status == 401)
            let scheme = forbidden.field("WWW-Authenticate")?.split(separator: " ").first.map { $0.lowercased() }
            #expect(scheme == (kind == .apacheNTLM ? nil : "\(kind.scheme)"))
        }
    }
}

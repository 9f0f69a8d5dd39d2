import AllowedSites
import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import Sallyport
import Secrets
import Testing

@testable import SallyportRelay

/// The relay before parents and servers with Digest that do not know each other's nonces.
@Suite(.inTurn, .serialized) struct LiveLostNonceTests {
    /// Sends requests from several clients at the same time, each some after the other, and returns their statuses.
    private static func statuses(_ relay: TestRelay, _ clients: Int, of times: Int, _ url: String) async throws -> [Int]
    {
        try await withThrowingTaskGroup(of: [Int].self) { group in
            for client in 0..<clients {
                group.addTask {
                    let connection = try relay.connect()
                    return try (0..<times).map { try connection.get("\(url)\(client)-\($0)").status }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    @Test(
        "A parent that loses its nonces, whatever it says of them: each request gets through, at one connection for each",
        arguments: ["", ", stale=true", ", stale=false"],
        ["", "qop=auth", #"nextnonce="n0""#]
    )
    func scripted(more: String, information: String) async throws {
        let field = information.isEmpty ? "" : "Proxy-Authentication-Info: \(information)\r\n"
        // As of two servers: each connection knows its own nonce alone.
        let parent = try await ScriptedServer { request in
            let nonce = "n\(request.connection % 2)"
            if request.field("Proxy-Authorization")?.contains("nonce=\"\(nonce)\"") == true {
                return .sendAndClose("HTTP/1.1 200 OK\r\n\(field)Content-Length: 2\r\nConnection: close\r\n\r\nok")
            }
            let challenge = "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\", algorithm=SHA-256\(more)"
            return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: \(challenge)\r\nContent-Length: 0\r\n\r\n")
        }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin, TestRelay.handler(parent.origin, .digest)) { relay in
            let client = try relay.connect()
            for number in 0..<12 {
                let response = try client.get("http://a.example/\(number)")
                #expect(response.status == 200, "\(number): \(response.body)")
            }
            #expect(await relay.relay.counters().badLogOns == 0)
        }
    }

    @Test(
        "Two Squids behind one HAProxy: each request gets through, as it does with curl",
        .needs(.squid, .haproxy, .curl)
    )
    func squids() async throws {
        let origin = try ServerPort.take()
        let first = try DigestServer.squid(origin: origin, nonceCount: 10_000)
        let second = try DigestServer.squid(origin: ServerPort.take(), nonceCount: 10_000)
        let front = try DigestServer.pair(first.port, second.port)
        defer { withExtendedLifetime((first, second, front)) {} }
        let urls = (0..<6).map { "http://127.0.0.1:\(origin)/?\($0)" }
        for url in urls {
            let curl = try HelperProcess([
                "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}\\n", "--noproxy", "", "--proxy-digest",
                "-U", "jdoe:\(GuardedServer.password)", "-x", "http://127.0.0.1:\(front.port)", url,
            ])
            #expect(try curl.readLine() == "200")
        }
        let parent = try Origin(parsing: "http://127.0.0.1:\(front.port)")
        try await TestRelay.run(
            before: parent,
            TestRelay.handler(parent, .digest),
            destinations: TestRelay.loopback()
        ) { relay in
            for _ in 0..<3 {
                let statuses = try await Self.statuses(relay, 16, of: 4, "http://127.0.0.1:\(origin)/?")
                #expect(statuses == [Int](repeating: 200, count: 64))
            }
            #expect(await relay.relay.counters().badLogOns == 0)
        }
    }

    @Test("Two servers of Twisted behind one name: each request is answered", .needs(.twisted))
    func twisted() async throws {
        let pair = try DigestServer.twistedPair()
        let origin = try Origin(parsing: "http://127.0.0.1:\(pair.port)")
        let account = Account(
            name: "account",
            user: "jdoe",
            domain: nil,
            password: SharedSecret(utf8: GuardedServer.password)
        )
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "\(origin)", name: "test"),
            schemes: [.digest],
            accounts: [.init(account, sites: ["\(origin)"])]
        )
        var rules = try TestRelay.loopback()
        rules.direct = rules.allowed
        let parent = try Origin(parsing: "http://127.0.0.1:\(ServerPort.take())")
        try await TestRelay.run(
            before: parent,
            try ChallengeHandler(profile: profile, at: 0),
            destinations: rules,
            answersServers: true
        ) { relay in
            for _ in 0..<3 {
                let statuses = try await Self.statuses(relay, 16, of: 4, "\(origin)/")
                #expect(statuses == [Int](repeating: 200, count: 64))
            }
        }
        #expect(try pair.ask("wrong") == "0")
    }
}

import AllowedSites
import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import Sallyport
import SallyportRelay
import Secrets
import Testing

/// Tokens of the profile that go with the requests of a relay's clients, besides what client or relay answer.
@Suite(.inTurn) struct PlacedTokenRelayTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    /// "jdoe:Correct-Horse".
    private static let answer = "Basic amRvZTpDb3JyZWN0LUhvcnNl"

    private static func handler(_ placement: TokenPlacement) throws -> ChallengeHandler {
        let account = Account(name: "key", user: "key", credential: .token(SharedSecret(utf8: "k3y/1")))
        let sites = ["http://wiki.example", "http://bare.example"]
        let profile = SecurityProfile(
            sites: try SiteList(parsing: sites.joined(separator: "\n"), name: "test"),
            schemes: [.basic],
            accounts: [
                .init(account, sites: ["http://wiki.example"], allowsCleartext: true, placement: placement)
            ]
        )
        return try ChallengeHandler(profile: profile, at: 0)
    }

    @Test(
        "The token takes the place of the client's own field or parameter, and goes to its sites alone",
        arguments: [true, false]
    )
    func replaced(inField: Bool) async throws {
        let parent = try await ScriptedServer { _ in .send(Self.ok) }
        defer { parent.stop() }
        let handler = try Self.handler(.init(inField ? .field("X-API-Key") : .query("key")))
        try await TestRelay.run(before: parent.origin, handler, answersServers: true) { relay in
            let client = try relay.connect()
            for (host, answer) in [
                ("wiki", "X-None: 1"), ("bare", "X-None: 1"), ("wiki", "Authorization: \(Self.answer)"),
            ] {
                try client.send(
                    "GET http://\(host).example/a?b=c&key=own HTTP/1.1\r\nHost: \(host).example\r\nx-api-key: own\r\n\(answer)\r\n\r\n"
                )
                #expect(try client.readResponse().body == "ok")
            }
        }
        let (token, own) = (inField ? "k3y/1" : "own", "/a?b=c&key=own")
        let target = inField ? own : "/a?b=c&key=k3y%2F1"
        #expect(parent.requests.map { $0.field("X-API-Key") } == [token, "own", token])
        let lines = parent.requests.map { $0.head.split(separator: "\r\n").first.map(String.init) }
        #expect(
            lines == [
                "GET http://wiki.example\(target) HTTP/1.1", "GET http://bare.example\(own) HTTP/1.1",
                "GET http://wiki.example\(target) HTTP/1.1",
            ]
        )
        // What the client says itself stays.
        #expect(parent.requests.map { $0.field("Authorization") } == [nil, nil, Self.answer])
    }

    @Test("Where the relay answers no servers, no token goes along") func notAsked() async throws {
        let parent = try await ScriptedServer { _ in .send(Self.ok) }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin, Self.handler(.init(.field("X-API-Key")))) { relay in
            let client = try relay.connect()
            #expect(try client.get("http://wiki.example/").body == "ok")
        }
        #expect(parent.requests.map { $0.field("X-API-Key") } == [nil])
    }
}

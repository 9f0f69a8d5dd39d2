import AllowedSites
import Credentials
import HTTPTypes
import Hostnames
import LiveServers
import OAuth
import Sallyport
import SallyportRelay
import Secrets
import Testing

/// A token of the profile that is bound to a key, and goes with the requests of a relay's clients.
@Suite(.inTurn) struct BoundTokenRelayTests {
    private static let nonceWanted =
        "HTTP/1.1 401 No\r\nWWW-Authenticate: DPoP error=\"use_dpop_nonce\"\r\nDPoP-Nonce: n1\r\nContent-Length: 0\r\n\r\n"

    @Test("Each request has one proof, with the server's nonce, and the client's own field gives way") func proven()
        async throws
    {
        let parent = try await ScriptedServer { request in
            let isNew = request.field("DPoP")?.hasSuffix(" n1") == true
            return .send(isNew ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" : Self.nonceWanted)
        }
        defer { parent.stop() }
        let account = Account(name: "api", user: "api", credential: .token(SharedSecret(utf8: "t0k3n")))
        let prover = TokenProver(thumbprint: "key") { subject in
            "\(subject.method) \(subject.origin)\(subject.path) \(subject.nonce ?? "-")"
        }
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "http://api.example", name: "test"),
            schemes: [.basic],
            accounts: [
                .init(
                    account,
                    sites: ["http://api.example"],
                    allowsCleartext: true,
                    sendsTokenFirst: true,
                    prover: prover
                )
            ]
        )
        let handler = try ChallengeHandler(profile: profile, at: 0)
        try await TestRelay.run(before: parent.origin, handler, answersServers: true) { relay in
            let client = try relay.connect()
            for _ in 0..<2 {
                try client.send("GET http://api.example/a?b=c HTTP/1.1\r\nHost: api.example\r\ndpop: own\r\n\r\n")
                #expect(try client.readResponse().body == "ok")
            }
        }
        let place = "GET http://api.example/a"
        #expect(parent.requests.map { $0.field("DPoP") } == ["\(place) -", "\(place) n1", "\(place) n1"])
        for request in parent.requests {
            #expect(request.field("Authorization") == "DPoP t0k3n")
            #expect(request.head.lowercased().split(separator: "\r\ndpop:").count == 2)
        }
    }
}

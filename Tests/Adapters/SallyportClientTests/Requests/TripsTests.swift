import AllowedSites
import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import NTLM
import Sallyport
import SallyportClient
import Secrets
import Testing

/// How many messages authentication adds to a row of requests.
@Suite(.inTurn) struct TripsTests {
    static let requests = 10

    private func run(_ origin: Origin, _ scheme: AuthenticationScheme) async throws {
        let account = Account(name: "a", user: "jdoe", domain: "ACME", password: SharedSecret(utf8: "Secret"))
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "\(origin)", name: "test"),
            schemes: [scheme],
            accounts: [.init(account, sites: ["\(origin)"], allowsCleartext: true)]
        )
        let client = AuthenticatedClient(
            // Digest goes out in advance for 100 ms after a success, which a busy machine exceeds between two requests.
            CurrentHandler(ChallengeHandler(try CompiledProfile(profile, at: 0), clock: ManualClock())),
            settings: .patient
        )
        for _ in 0..<Self.requests {
            let response = try await client.execute(ClientRequest(origin: origin), deadline: .now() + .hours(1))
            #expect(response.status == .ok)
            _ = try await response.body.collect(upTo: 100)
        }
        client.shutDown()
    }

    @Test("Basic and Digest add one message to the first request, and none to the others", arguments: [false, true])
    func oneMore(isDigest: Bool) async throws {
        let challenge = isDigest ? #"Digest realm="x", nonce="n", qop="auth", algorithm=SHA-256"# : #"Basic realm="x""#
        let server = try await ScriptedServer { request in
            request.field("Authorization") == nil
                ? .send("HTTP/1.1 401 Asks\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 0\r\n\r\n")
                : .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { server.stop() }
        try await run(server.origin, isDigest ? .digest : .basic)
        #expect(server.requests.count == Self.requests + 1)
    }

    @Test("NTLM adds two messages to a connection") func twoMore() async throws {
        let server = try await NTLMTestServer(["jdoe": try NTHash(password: "Secret")], seed: nil)
        defer { server.stop() }
        try await run(server.origin, .ntlm)
        #expect(server.requests == Self.requests + 2)
    }
}

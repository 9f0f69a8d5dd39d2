import AllowedSites
import Credentials
import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import Secrets
import Testing

/// Servers that close a connection between two requests, or between the legs of one.
@Suite(.inTurn) struct ClosedConnectionTests {
    @Test(
        "A server that closes after its challenge, or in the body of one, gets the answer on another connection",
        arguments: [
            OneAccount.basic,
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 50\r\n\r\nno",
        ]
    ) func closedAfterChallenge(challenge: String) async throws {
        let server = try await ScriptedServer {
            $0.field("Authorization") == nil ? .sendAndClose(challenge) : .send(OneAccount.ok)
        }
        defer { server.stop() }
        let response = try await OneAccount.client(server).execute(
            ClientRequest(origin: server.origin),
            deadline: OneAccount.soon
        )
        #expect(response.status == .ok)
    }

    @Test("A server that closes at the password gets it twice at most") func closesAtPassword() async throws {
        let server = try await ScriptedServer {
            $0.field("Authorization") == nil ? .send(OneAccount.basic) : .close
        }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        await #expect(throws: ClientError.connectionLost(server.origin)) {
            try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
        }
        #expect(server.requests.count { $0.field("Authorization") != nil } == 2)
        // What a POST does is unknown, so nothing is sent twice.
        let post = ClientRequest(origin: server.origin, method: .POST, body: .bytes(ByteBuffer(string: "x")))
        let before = server.requests.count { $0.field("Authorization") != nil }
        _ = try? await OneAccount.client(server).execute(post, deadline: OneAccount.soon)
        #expect(server.requests.count { $0.field("Authorization") != nil } == before + 1)
    }

    @Test("A redirect whose body is cut off is followed") func cutRedirect() async throws {
        let server = try await ScriptedServer {
            $0.target == "/"
                ? .sendAndClose("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 50\r\n\r\nno")
                : .send(OneAccount.ok)
        }
        defer { server.stop() }
        let response = try await OneAccount.client(server).execute(
            ClientRequest(origin: server.origin),
            deadline: OneAccount.soon
        )
        #expect(response.status == .ok && response.url == "\(server.origin)/b")
    }

    @Test("An idle connection that the server closed is replaced") func staleConnection() async throws {
        let server = try await ScriptedServer { request in
            request.connection == 0 && request.number == 1 ? .close : .send(OneAccount.ok)
        }
        defer { server.stop() }
        let client = try OneAccount.client(server)
        for _ in 0..<2 {
            let response = try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
            _ = try await response.body.collect(upTo: 10)
            #expect(response.status == .ok)
        }
        #expect(server.connections == 2)
    }

    @Test("A body that can be sent once is not lost with an idle connection") func staleConnectionBeforeBody()
        async throws
    {
        let server = try await ScriptedServer { request in
            if request.connection == 0, request.number == 1 { return .close }
            guard request.head.hasPrefix("POST") else { return .send(OneAccount.ok) }
            return request.body.isEmpty ? .send("HTTP/1.1 100 Continue\r\n\r\n") : .send(OneAccount.ok)
        }
        defer { server.stop() }
        let client = try OneAccount.client(server) { $0.continueLimit = .hours(1) }
        let first = try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
        _ = try await first.body.collect(upTo: 10)
        let body = ClientRequest.Body.once(length: 5, Parts(["he", "llo"]))
        let response = try await client.execute(
            ClientRequest(origin: server.origin, method: .POST, body: body),
            deadline: OneAccount.soon
        )
        #expect(response.status == .ok)
        #expect(server.requests.last?.body == "hello")
        #expect(server.connections == 2)
    }

    @Test("A server that closes at the first message of a handshake is asked once more", arguments: [false, true])
    func lostHandshake(closesAlways: Bool) async throws {
        let server = try await ScriptedServer { request in
            if request.field("Authorization") != nil { return .close }
            return request.connection > 0 && !closesAlways
                ? .send(OneAccount.ok)
                : .send("HTTP/1.1 401 Asks\r\nWWW-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let account = Account(name: "a", user: "jdoe", domain: "ACME", password: SharedSecret(utf8: "Secret"))
        let rules = ["\(server.origin)"]
        let profile = SecurityProfile(
            sites: try SiteList(parsing: rules[0], name: "test"),
            schemes: [.ntlm],
            accounts: [.init(account, sites: rules)]
        )
        let client = AuthenticatedClient(
            CurrentHandler(try ChallengeHandler(profile: profile, at: 0)),
            settings: .patient
        )
        defer { client.shutDown() }
        if closesAlways {
            let refusal = Refusal.exchangeFailed(account: "a", .closedInHandshake(.ntlm))
            await #expect(throws: ClientError.handshakeLost(server.origin, refusal, by: .origin)) {
                try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
            }
        } else {
            let response = try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
            #expect(response.status == .ok)
        }
        #expect(server.connections == 2)
    }
}

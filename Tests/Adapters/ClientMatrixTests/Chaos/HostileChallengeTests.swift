import HTTPAuthentication
import LiveServers
import MatrixClients
import NIOCore
import Sallyport
import SallyportClient
import Testing

/// Servers whose challenges make no sense, for each client.
@Suite(.inTurn) struct HostileChallengeTests {
    @Test(
        "A server that asks for ever gets the password once, and its 401 is delivered",
        arguments: MatrixClient.allCases
    )
    func asksForEver(client: MatrixClient) async throws {
        let server = try await ScriptedServer { _ in .send(Responses.basic) }
        defer { server.stop() }
        let endings = try await Chaos.endings(client, server, requests: 3)
        #expect(endings.map(\.status) == [401, 401, 401])
        #expect(server.requests.count { $0.field("Authorization") != nil } == 1)
    }

    @Test("Nonces that are stale for ever end", arguments: MatrixClient.allCases)
    func staleForEver(client: MatrixClient) async throws {
        let server = try await ScriptedServer { request in
            let nonce = "n\(request.connection)-\(request.number)"
            let stale = request.field("Authorization") == nil ? "" : ", stale=true"
            return .send(Responses.asks("Digest realm=\"x\", nonce=\"\(nonce)\", qop=\"auth\"\(stale)"))
        }
        defer { server.stop() }
        let endings = try await Chaos.endings(client, server)
        #expect(endings.map(\.status) == [401])
        // Without an answer, with an answer, and with another one to the first nonce that is stale.
        #expect(server.requests.count == 3)
    }

    @Test(
        "As many challenges as are read send the password once, and one more does not send it",
        arguments: MatrixClient.allCases,
        [ChallengeLimits.challenges, ChallengeLimits.challenges + 1, 100].flatMap { [($0, false), ($0, true)] }
    )
    func many(client: MatrixClient, offer: (count: Int, inOneField: Bool)) async throws {
        let (count, inOneField) = offer
        let challenges = (0..<count).map { index in
            ["Basic realm=\"r\(index)\"", "Digest realm=\"r\(index)\", nonce=\"n\", qop=\"auth\"", "NTLM"][index % 3]
        }
        let asks = Responses.asks(inOneField ? [challenges.joined(separator: ", ")] : challenges)
        let server = try await ScriptedServer { _ in .send(asks) }
        defer { server.stop() }
        let endings = try await Chaos.endings(client, server, [.digest, .basic], requests: 2)
        #expect(endings.map(\.status) == [401, 401])
        // More challenges than are read count as none that can be read.
        let answers = server.requests.count { $0.field("Authorization") != nil }
        #expect(answers == (count <= ChallengeLimits.challenges ? 1 : 0))
    }

    @Test(
        "A challenge of 60 KB is answered as any other",
        arguments: MatrixClient.allCases
    )
    func longChallenge(client: MatrixClient) async throws {
        let realm = String(repeating: "r", count: 60 << 10)
        let asks = Responses.asks("Basic realm=\"\(realm)\"")
        let server = try await ScriptedServer {
            .send($0.field("Authorization") == nil ? asks : Responses.ok)
        }
        defer { server.stop() }
        let endings = try await Chaos.endings(client, server)
        #expect(endings.map(\.status) == [200], "\(endings)")
    }

    @Test("A field of 60 KB is delivered, and one of 200 KB is an error", arguments: MatrixClient.allCases, [60, 200])
    func longField(client: MatrixClient, kilobytes: Int) async throws {
        let field = String(repeating: "a", count: kilobytes << 10)
        let server = try await ScriptedServer { _ in
            .send("HTTP/1.1 200 OK\r\nX: \(field)\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { server.stop() }
        let ending = try #require(try await Chaos.endings(client, server).first)
        if kilobytes == 60 {
            #expect(ending.status == 200, "\(ending)")
        } else if case .malformedResponse(server.origin, let reason)? = ending.error(ClientError.self) {
            #expect(reason == "the head of the response has more than 65536 bytes")
        } else {
            Issue.record("\(ending)")
        }
    }

    @Test(
        "The body of a refused response that never ends costs a connection, not the request",
        arguments: MatrixClient.allCases
    )
    func endlessBody(client: MatrixClient) async throws {
        let server = try await ScriptedServer { request in
            guard request.field("Authorization") == nil else { return .send(Responses.ok) }
            return .pour(
                "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 99999999999\r\n\r\n"
            )
        }
        defer { server.stop() }
        var settings = ClientSettings.patient
        settings.drainedBytes = 1 << 18
        let endings = try await Chaos.endings(client, server, [.basic], settings)
        #expect(endings.map(\.status) == [200])
        #expect(server.connections == 2)
    }

    @Test(
        "The body of a refused response that stops in the middle ends with the deadline",
        arguments: MatrixClient.allCases
    )
    func stoppedBody(client: MatrixClient) async throws {
        let server = try await ScriptedServer { _ in
            .send("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 10\r\n\r\nab")
        }
        defer { server.stop() }
        let ending = try #require(try await Chaos.endings(client, server, limit: .seconds(5)).first)
        #expect(ending.error(ClientError.self) == .deadlineExceeded, "\(ending)")
    }
}

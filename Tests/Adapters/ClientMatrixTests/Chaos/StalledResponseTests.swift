import Foundation
import LiveServers
import MatrixClients
import NIOCore
import NTLM
import Sallyport
import SallyportClient
import Testing
import WireFormat

/// Responses that no caller gets, whose bodies do not end, for each client.
@Suite(.inTurn) struct StalledResponseTests {
    /// What a client waits for such a body: short, because the request goes on only after it.
    private static var settings: ClientSettings {
        var settings = ClientSettings.patient
        settings.drainLimit = .milliseconds(50)
        return settings
    }

    /// The response with a body that has begun and does not end.
    private static func stalling(_ response: String) -> ScriptedServer.Reply {
        .send(response.replacing("Content-Length: ", with: "Content-Length: 10"))
    }

    @Test("A redirect leads on", arguments: MatrixClient.allCases) func redirect(client: MatrixClient) async throws {
        let server = try await ScriptedServer { request in
            request.target == "/" ? Self.stalling(Responses.redirect(to: "/there")) : .send(Responses.ok)
        }
        defer { server.stop() }
        try await client.run(try MatrixProfile.current([.init(sites: [server.origin])], [.basic]), Self.settings) {
            let reply = try await $0.send(MatrixRequest(origin: server.origin))
            #expect(reply.status == 200)
        }
        #expect(server.requests.map(\.target) == ["/", "/there"])
    }

    @Test("A challenge is answered elsewhere", arguments: MatrixClient.allCases)
    func challenge(client: MatrixClient) async throws {
        let server = try await ScriptedServer { request in
            request.field("Authorization") == nil
                ? Self.stalling(Responses.asks("Basic realm=\"x\"")) : .send(Responses.ok)
        }
        defer { server.stop() }
        try await client.run(try MatrixProfile.current([.init(sites: [server.origin])], [.basic]), Self.settings) {
            let reply = try await $0.send(MatrixRequest(origin: server.origin))
            #expect(reply.status == 200)
        }
        #expect(server.requests.count == 2 && server.connections == 2)
    }

    @Test("A CHALLENGE of a handshake ends the request, and the error says so", arguments: MatrixClient.allCases)
    func handshake(client: MatrixClient) async throws {
        let server = try await ScriptedServer { request in
            guard let value = request.field("Authorization"),
                let message = try? Base64.decode(String(value.dropFirst("NTLM ".count)))
            else { return .send(Responses.asks("NTLM")) }
            var handshake = ServerHandshake(options: .init(computerName: "TEST", domainName: "ACME"))
            let now = FileTime(unixSeconds: Int64(Date().timeIntervalSince1970))
            guard let challenge = try? handshake.challenge(to: message.span, now: now) else { return .close }
            return Self.stalling(Responses.asks("NTLM \(Base64.encode(challenge.span))"))
        }
        defer { server.stop() }
        let current = try MatrixProfile.current([.init(domain: "ACME", sites: [server.origin])], [.ntlm])
        try await client.run(current, Self.settings) { running in
            await #expect(throws: ClientError.challengeTooLong(server.origin, limit: Self.settings.drainedBytes)) {
                try await running.send(MatrixRequest(origin: server.origin))
            }
        }
        // Twice an offer and a CHALLENGE, and no message that depends on the password. AsyncHTTPClient hears the first offer itself.
        #expect(server.requests.count == (client == .asyncHTTPClient ? 5 : 4))
    }
}

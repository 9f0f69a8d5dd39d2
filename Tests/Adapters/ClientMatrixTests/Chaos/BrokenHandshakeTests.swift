import Foundation
import LiveServers
import MatrixClients
import NTLM
import Sallyport
import SallyportClient
import Testing
import WireFormat

/// Servers that close in the middle of an NTLM handshake, for each client.
@Suite(.inTurn) struct BrokenHandshakeTests {
    /// When the server closes.
    enum Moment: String, CaseIterable {
        /// Instead of a challenge.
        case atNegotiate
        /// Behind the challenge, which says so.
        case afterChallenge
        /// Behind the challenge, which says nothing of it.
        case afterChallengeSilently
        /// Instead of a verdict.
        case atAuthenticate
    }

    @Test(
        "Each request ends at once with one outcome, and its answer goes out once at most",
        arguments: MatrixClient.allCases,
        Moment.allCases
    )
    func closes(client: MatrixClient, moment: Moment) async throws {
        let server = try await ScriptedServer { request in
            guard let value = request.field("Authorization") else { return .send(Responses.asks("NTLM")) }
            guard let message = try? Base64.decode(String(value.dropFirst("NTLM ".count))), !Self.isAnswer(message)
            else { return .close }
            var handshake = ServerHandshake(options: .init(computerName: "TEST", domainName: "ACME"))
            guard moment != .atNegotiate,
                let challenge = try? handshake.challenge(
                    to: message.span,
                    now: FileTime(unixSeconds: Int64(Date().timeIntervalSince1970))
                )
            else { return .close }
            let response = Responses.asks("NTLM \(Base64.encode(challenge.span))")
            switch moment {
            case .afterChallenge:
                return .sendAndClose(response.replacing("\r\n\r\n", with: "\r\nConnection: close\r\n\r\n"))
            case .afterChallengeSilently: return .sendAndClose(response)
            default: return .send(response)
            }
        }
        defer { server.stop() }
        let endings = try await Chaos.endings(client, server, [.ntlm], requests: 2)
        for ending in endings {
            if moment == .afterChallenge {
                // The server says that no handshake can go on here, which another connection does not change.
                #expect(ending.status == 401, "\(ending)")
            } else {
                guard
                    case .handshakeLost(server.origin, .exchangeFailed(_, .closedInHandshake(.ntlm)), by: .origin)? =
                        ending.error(ClientError.self)
                else {
                    Issue.record("\(ending)")
                    continue
                }
            }
        }
        let answers = server.requests.count { request in
            let value = request.field("Authorization")?.dropFirst("NTLM ".count)
            return value.flatMap { try? Base64.decode(String($0)) }.map(Self.isAnswer) ?? false
        }
        // One a request: the server might have taken it.
        #expect(answers == (moment == .atAuthenticate ? endings.count : 0))
        #expect(server.requests.count <= 2 * RequestLimits.sends)
    }

    /// Whether an NTLM message depends on the password: type 3.
    private static func isAnswer(_ message: [UInt8]) -> Bool { message.count > 8 && message[8] == 3 }
}

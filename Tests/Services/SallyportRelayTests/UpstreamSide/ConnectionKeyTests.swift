import Foundation
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import NIOPosix
import NTLM
import SallyportRelay
import Synchronization
import Testing
import WireFormat

/// Which requests may share a connection of the relay to a server.
@Suite(.inTurn) struct ConnectionKeyTests {
    /// The numbers of connections whose handshake has ended.
    private final class LoggedOn: Sendable {
        private let numbers = Mutex<Set<Int>>([])

        func insert(_ number: Int) { _ = numbers.withLock { $0.insert(number) } }
        func contains(_ number: Int) -> Bool { numbers.withLock { $0.contains(number) } }
        var count: Int { numbers.withLock { $0.count } }
    }

    /// A server with NTLM: what comes on a connection after its handshake is the user's of that handshake.
    private static func server(_ loggedOn: LoggedOn) async throws -> ScriptedServer {
        try await ScriptedServer { request in
            let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            let asks = "HTTP/1.1 401 No\r\nContent-Length: 0\r\nWWW-Authenticate: NTLM"
            if loggedOn.contains(request.connection) { return .send(ok) }
            guard let answer = request.field("Authorization"), answer.hasPrefix("NTLM "),
                let token = try? Base64.decode(answer.dropFirst(5))
            else { return .send("\(asks)\r\n\r\n") }
            // MS-NLMP 2.2.1: the type follows the signature of eight bytes; 3 is AUTHENTICATE.
            if token[8] == 3 {
                loggedOn.insert(request.connection)
                return .send(ok)
            }
            var handshake = ServerHandshake(options: .init(computerName: "TEST", domainName: "ACME"))
            let now = FileTime(unixSeconds: Int64(Date().timeIntervalSince1970))
            guard let challenge = try? handshake.challenge(to: token.span, now: now) else { return .close }
            return .send("\(asks) \(Base64.encode(challenge.span))\r\n\r\n")
        }
    }

    @Test("A request with its client's own answer never gets a connection that the relay's account has authenticated")
    func ownAnswer() async throws {
        let loggedOn = LoggedOn()
        let server = try await Self.server(loggedOn)
        defer { server.stop() }
        let nowhere = try Origin(parsing: "http://127.0.0.1:\(ServerPort.take())")
        var rules = try TestRelay.loopback()
        rules.direct = rules.allowed
        let handler = try TestRelay.handler(server.origin, .ntlm, domain: "ACME")
        // One event loop has one pool for all clients.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await TestRelay.run(
            before: nowhere,
            handler,
            destinations: rules,
            answersServers: true,
            group: group
        ) { relay in
            let url = "\(server.origin)/"
            let own = ["Authorization: Basic b3duOm93bg=="]
            let statuses = try [[], own, []].map { try relay.connect().get(url, $0).status }
            #expect(statuses == [200, 401, 200])
        }
        try await group.shutdownGracefully()
        let own = server.requests.filter { $0.field("Authorization")?.hasPrefix("Basic ") == true }
        #expect(own.count == 1 && own.allSatisfy { !loggedOn.contains($0.connection) })
        // The third request, which the relay may answer, does get it.
        #expect(loggedOn.count == 1 && server.requests.last.map { loggedOn.contains($0.connection) } == true)
    }
}

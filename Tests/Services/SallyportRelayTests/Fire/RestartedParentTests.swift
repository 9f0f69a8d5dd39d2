import Hostnames
import LiveServers
import NIOConcurrencyHelpers
import NTLM
import Sallyport
import SallyportRelay
import Testing

/// A parent that ends in mid-load, and runs again after a while.
@Suite(.inTurn) struct RestartedParentTests {
    private static let clients = 16

    private struct Response {
        let client: Int
        let begin, end: ContinuousClock.Instant
        let status: Int
        let body: String
    }

    @Test("No response is wrong, only requests under way fail, and none does once each client has been served again")
    func restarted() async throws {
        let hashes = ["jdoe": try NTHash(password: "Correct-Horse")]
        let port = try ServerPort.take()
        let first = try await NTLMParent(hashes, port: port)
        let handler = try TestRelay.handler(first.origin, .ntlm, domain: NTLMParent.domain)
        let log = Log()
        try await TestRelay.run(before: first.origin, handler) { relay in
            let relayPort = relay.port
            async let load: Void = Self.loads(relayPort, log)
            // A failure leaves the load running, which only this ends.
            defer { log.isOver = true }
            try await eventually("32 responses") { log.responses.count >= 32 }
            let stopped = ContinuousClock.now
            await first.stop()
            try await ServerPort.waitUntilClosed(port)
            try await log.wait(for: 1, after: stopped, failed: true)
            let second = try await NTLMParent(hashes, port: port)
            let back = ContinuousClock.now
            // A client sends one request after the other, so none of those that met no parent is under way then.
            try await eventually("each client is served again") {
                Set(log.responses.filter { $0.begin > back && $0.status == 200 }.map(\.client)).count == Self.clients
            }
            let served = ContinuousClock.now
            try await log.wait(for: 32, after: served, failed: false)
            log.isOver = true
            await load
            let responses = log.responses
            await second.stop()
            #expect(responses.allSatisfy { $0.status == 200 ? $0.body == "jdoe" : $0.status == 502 || $0.status == 0 })
            #expect(responses.contains { $0.end < stopped })
            #expect(responses.allSatisfy { $0.end > stopped || $0.status == 200 })
            #expect(responses.contains { $0.begin > stopped && $0.status != 200 }, "requests fail without a parent")
            let late = responses.filter { $0.begin > served }
            #expect(late.count >= 32 && late.allSatisfy { $0.status == 200 })
            #expect(second.counts.badLogOns == 0 && first.counts.badLogOns == 0)
        }
    }

    /// What the clients have seen, and whether they are to end.
    private final class Log: Sendable {
        private let state = NIOLockedValueBox((responses: [Response](), isOver: false))

        var responses: [Response] { state.withLockedValue { $0.responses } }
        var isOver: Bool {
            get { state.withLockedValue { $0.isOver } }
            set { state.withLockedValue { $0.isOver = newValue } }
        }

        /// Waits for responses to requests that began after a moment: for failures, or for any.
        func wait(for count: Int, after begin: ContinuousClock.Instant, failed: Bool) async throws {
            try await eventually("\(count) responses\(failed ? " of failed requests" : "")") {
                responses.count { $0.begin > begin && (!failed || $0.status != 200) } >= count
            }
        }

        func append(_ response: Response) { state.withLockedValue { $0.responses.append(response) } }
    }

    private static func loads(_ port: UInt16, _ log: Log) async {
        await withTaskGroup(of: Void.self) { group in
            for client in 0..<clients { group.addTask { load(client, port, log) } }
        }
    }

    /// One client; status 0: the connection was lost.
    private static func load(_ number: Int, _ port: UInt16, _ log: Log) {
        var client: RelayClient?
        while !log.isOver {
            let begin = ContinuousClock.now
            do {
                let connected = try client ?? RelayClient(port: port)
                client = connected
                let response = try connected.get("http://a.example/")
                log.append(
                    Response(client: number, begin: begin, end: .now, status: response.status, body: response.body)
                )
                if response.field("Connection") == "close" || response.status != 200 { client = nil }
            } catch {
                log.append(Response(client: number, begin: begin, end: .now, status: 0, body: ""))
                client = nil
            }
        }
    }
}

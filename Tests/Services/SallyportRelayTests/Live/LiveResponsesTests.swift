import Foundation
import Hostnames
import LiveServers
import Sallyport
import TestSupport
import Testing

@testable import SallyportRelay

/// Responses that only lenient readers take, on the way from a server through the relay, with and without Squid behind it, to curl.
///
/// The oracles are curl alone and curl through Squid: what both take, the relay takes, and what it does not take is a 502 that
/// says why, and no reset.
@Suite(.inTurn, .serialized, .needs(.squid, .curl, .python)) struct LiveResponsesTests {
    private struct Answers: Decodable {
        struct Answer: Decodable {
            let exit: Int
            let status: Int
            let body: String
            var isTaken: Bool { exit == 0 && status == 200 && body == "ok" }
            var isRefused: Bool { status == 502 && body.hasPrefix("sallyport relay:") }
        }

        let name: String
        let curl, squid, relay, relayBeforeSquid: Answer
    }

    private static let script = HelperFile.path("response_answers.py")

    @Test("What curl and Squid take, the relay takes; what it does not take is 502, and no reset")
    func responses() async throws {
        let squid = try OpenSquid(keepsConnections: false)
        defer { withExtendedLifetime(squid) {} }
        let parent = try Origin(parsing: "http://127.0.0.1:\(squid.port)")
        var direct = try TestRelay.loopback()
        direct.direct = direct.allowed
        try await TestRelay.run(before: parent, destinations: direct) { relay in
            try await TestRelay.run(before: parent, destinations: TestRelay.loopback()) { before in
                let process = try HelperProcess([
                    "python3", Self.script, "squid=\(squid.port)", "relay=\(relay.port)",
                    "relayBeforeSquid=\(before.port)",
                ])
                var count = 0
                while let line = try? process.readLine() {
                    count += 1
                    let answers = try JSONDecoder().decode(Answers.self, from: Data(line.utf8))
                    if answers.curl.isTaken, answers.squid.isTaken { #expect(answers.relay.isTaken, "\(line)") }
                    #expect(answers.relay.status == answers.curl.status || answers.relay.isRefused, "\(line)")
                    // Squid writes what it passes on anew, and its own errors are passed on.
                    #expect(answers.relayBeforeSquid.status == answers.squid.status, "\(line)")
                    #expect(answers.relayBeforeSquid.isTaken == answers.squid.isTaken, "\(line)")
                }
                #expect(count == 61)
            }
        }
    }
}

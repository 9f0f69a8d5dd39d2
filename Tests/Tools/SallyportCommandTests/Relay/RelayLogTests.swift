import LiveServers
import Testing

/// What the log says about responses that do not reach their client.
@Suite(.inTurn) struct RelayLogTests {
    @Test("The log says which response could not be read, and which was cut off") func defects() async throws {
        let parent = try await ScriptedServer { request in
            request.target.hasSuffix("/cut")
                ? .sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
                : .send("HTTP/1.1 200 OK\r\nX\u{1}: y\r\n\r\n")
        }
        defer { parent.stop() }
        let relay = try RunningRelay(["--parent", "\(parent.origin)", "--no-store"])
        #expect(try relay.get("http://a.example/unreadable").status == 502)
        try relay.waitForLog("warning refused reason=\(parent.origin): ")
        #expect(try relay.log.contains("status=502"))
        #expect(throws: PeerFailure.self) { try relay.get("http://a.example/cut") }
        try relay.waitForLog("warning cut off reason=\(parent.origin): ")
        #expect(try !relay.log.contains("half"))
    }
}

import LiveServers
import Sallyport
import Testing

@testable import SallyportRelay

/// Methods whose response has the request in it (RFC 9110 section 9.3.8), and with it the answers that the relay adds.
@Suite(.inTurn) struct ReflectedRequestTests {
    /// "jdoe:Correct-Horse".
    private static let answer = "Basic amRvZTpDb3JyZWN0LUhvcnNl"
    private static let methods = ["TRACE", "trace", "TRACK"]

    /// Asks for a password, and sends each request back, as Apache does with `TraceEnable on`.
    private static func reflecting(_ status: Int, _ challenge: String, _ answer: String) async throws -> ScriptedServer
    {
        try await ScriptedServer { request in
            guard request.field(answer) != nil else {
                return .send(
                    "HTTP/1.1 \(status) No\r\n\(challenge): Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n"
                )
            }
            return .send("HTTP/1.1 200 OK\r\nContent-Length: \(request.head.utf8.count)\r\n\r\n\(request.head)")
        }
    }

    @Test("A parent is not asked for the request that it gets, so the client does not read the password")
    func parent() async throws {
        let parent = try await Self.reflecting(407, "Proxy-Authenticate", "Proxy-Authorization")
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin, TestRelay.handler(parent.origin, .basic)) { relay in
            // The answer goes out with each request from now on.
            #expect(try relay.connect().get("http://a.example/").body.contains(Self.answer))
            for method in Self.methods {
                let client = try relay.connect()
                try client.send("\(method) http://a.example/ HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n")
                let response = try client.readResponse()
                #expect(response.status == 501 && !response.body.contains(Self.answer), "\(method)")
            }
        }
        #expect(parent.requests.allSatisfy { $0.head.hasPrefix("GET ") })
    }

    @Test("The same at a listener that stands for a server")
    func mapped() async throws {
        let server = try await Self.reflecting(401, "WWW-Authenticate", "Authorization")
        defer { server.stop() }
        var settings = RelaySettings()
        settings.listeners = []
        settings.mappings = [RelayMapping(try ListenAddress(parsing: "127.0.0.1:0"), to: server.origin)]
        settings.answersServers = true
        try await TestRelay.run(settings, TestRelay.handler(server.origin, .basic)) { _, ports in
            for method in Self.methods {
                let client = try RelayClient(port: ports[0])
                try client.send("\(method) / HTTP/1.1\r\nHost: 127.0.0.1:\(ports[0])\r\n\r\n")
                let response = try client.readResponse()
                #expect(response.status == 501 && !response.body.contains(Self.answer), "\(method)")
            }
        }
        #expect(server.requests.isEmpty)
    }
}

import HTTPTypes
import Hostnames
import LiveServers
import Sallyport
import SallyportRelay
import Testing

/// Fields that a relay adds and leaves out.
@Suite(.inTurn) struct FieldChangesTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func name(_ text: String) throws -> HTTPField.Name { try #require(HTTPField.Name(text)) }

    private static func lines(_ request: ScriptedServer.Request) -> [String] {
        request.head.split(separator: "\r\n").dropFirst().map(String.init)
            .filter { !$0.hasPrefix("Host:") && !$0.hasPrefix("Via:") && !$0.hasPrefix("Proxy-Connection:") }
    }

    @Test("Requests to a parent and to a mapped server are changed, a CONNECT is not; each of several lines goes")
    func changed() async throws {
        let parent = try await ScriptedServer { _ in .send(Self.ok) }
        defer { parent.stop() }
        var settings = RelaySettings(parents: parent.origin)
        settings.listeners = [try ListenAddress(parsing: "127.0.0.1:0")]
        settings.mappings = [RelayMapping(try ListenAddress(parsing: "127.0.0.1:0"), to: parent.origin)]
        settings.fieldChanges = try FieldChanges(
            adding: [HTTPField(name: Self.name("X-Site"), value: "here"), HTTPField(name: .userAgent, value: "relay")],
            removing: [.userAgent, Self.name("X-Secret")]
        )
        let fields = ["user-agent: client", "X-Site: there", "x-secret: 1", "X-Kept: 2", "X-SECRET: 3"]
        let expected = ["X-Site: there", "X-Kept: 2", "X-Site: here", "User-Agent: relay"]
        try await TestRelay.run(settings) { _, ports in
            let client = try RelayClient(port: ports[0])
            #expect(try client.get("http://a.example/", fields).body == "ok")
            #expect(try RelayClient(port: ports[1]).ask("/", host: "127.0.0.1", fields).body == "ok")
            try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\nUser-Agent: client\r\n\r\n")
            #expect(try client.readHead().status == 200)
        }
        #expect(parent.requests.map(Self.lines) == [expected, expected, ["User-Agent: client"]])
    }

    @Test(
        "What the relay writes or answers itself is refused, in any case",
        arguments: [
            "connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Content-Length",
            "HOST",
            "Upgrade", "Via", "Expect", "Proxy-Authenticate", "HTTP2-Settings",
        ]
    )
    func refused(text: String) throws {
        let name = try Self.name(text)
        #expect(throws: FieldChangesError.ofConnection(text)) { try FieldChanges(removing: [name]) }
        #expect(throws: FieldChangesError.ofConnection(text)) {
            try FieldChanges(adding: [HTTPField(name: name, value: "1")])
        }
    }

    @Test("Answers are the business of accounts", arguments: ["Authorization", "proxy-authorization"])
    func answers(text: String) throws {
        let name = try Self.name(text)
        #expect(throws: FieldChangesError.answer(text)) {
            try FieldChanges(adding: [HTTPField(name: name, value: "1")])
        }
        #expect(throws: FieldChangesError.answer(text)) { try FieldChanges(removing: [name]) }
    }
}

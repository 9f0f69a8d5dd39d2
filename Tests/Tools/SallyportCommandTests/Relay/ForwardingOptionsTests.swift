import Foundation
import LiveServers
import SallyportRelay
import TestSupport
import Testing

@testable import SallyportCommand

/// `--tunnel`, `--socks`, `--direct-fallback`, `--add-header` and `--remove-header` of `sallyport relay`.
@Suite(.inTurn) struct ForwardingOptionsTests {
    /// What the options make, given as pairs of a name and a value.
    private static func settings(_ arguments: [String]) throws -> RelaySettings {
        func values(_ name: String) -> [String] {
            zip(arguments, arguments.dropFirst()).filter { $0.0 == name }.map(\.1)
        }
        var options = ForwardingOptions()
        (options.tunnel, options.socks) = (values("--tunnel"), values("--socks"))
        (options.addHeader, options.removeHeader) = (values("--add-header"), values("--remove-header"))
        options.directFallback = false
        var settings = RelaySettings()
        try options.apply(to: &settings)
        return settings
    }

    @Test("The relay says where each address leads; SOCKS and the tunnel work, requests have the field of a file")
    func addresses() async throws {
        let parent = try await ScriptedServer { request in
            request.head.hasPrefix("CONNECT") ? .send("HTTP/1.1 200 Yes\r\n\r\nready\r\n") : .send(BasicParent.ok)
        }
        defer { parent.stop() }
        let folder = try StoreFolder()
        try folder.write("Cookie: a=b", "cookie")
        try folder.write(
            """
            tunnel: [0=db.example:5432]
            socks: [0]
            add-header: ["X-Site: here"]
            remove-header: [User-Agent]
            """,
            "relay.yaml"
        )
        let relay = try RunningRelay(
            [
                "--parent", "\(parent.origin)", "--no-store", "--config", folder.path("relay.yaml"), "--add-header",
                "X-Site: here", "--add-header", "@\(folder.path("cookie"))",
            ],
            environment: folder.environment,
            lines: 5
        )
        let lines = relay.announcement.suffix(2)
        let tunnel = try #require(lines.first?.wholeMatch(of: /127\.0\.0\.1:(\d+) leads to db\.example:5432/)?.1)
        let socks = try #require(lines.last?.wholeMatch(of: /socks5h:\/\/127\.0\.0\.1:(\d+) takes SOCKS 5/)?.1)
        do {
            let first = try ByteStream(port: #require(UInt16(tunnel)))
            #expect(try first.readLine() == "ready\r")
            let second = try ByteStream(port: #require(UInt16(socks)))
            // RFC 1928: no authentication, then CONNECT to a name.
            try second.send([5, 1, 0, 5, 1, 0, 3, 1] + Array("a".utf8) + [0, 80])
            _ = try second.read(count: 12)
            #expect(try second.readLine() == "ready\r")
        }
        #expect(try relay.get("http://a.example/") == (200, "ok"))
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
        #expect(parent.requests.map(\.target) == ["db.example:5432", "a:80", "http://a.example/"])
        let request = try #require(parent.requests.last)
        #expect(request.field("X-Site") == "here" && request.field("Cookie") == "a=b")
        #expect(try !relay.log.contains("a=b"))
    }

    @Test(
        "What cannot be used is one line with the place, the problem and the remedy",
        arguments: [
            (["--tunnel", "5432"], "--tunnel: \"5432\": the server is missing: write PORT=HOST:PORT"),
            (
                ["--tunnel", "1=db"],
                "--tunnel: \"db\": the server's port is missing: write it, such as db.corp.example:5432"
            ),
            (["--socks", "x"], "--socks: \"x\": the port is missing or not a number: write ADDRESS:PORT"),
            (
                ["--add-header", "X-A: 1", "--add-header", "Cookie: a=b"],
                "--add-header, number 2: Cookie holds a secret, and other processes can read arguments: put the line into a file of yours, and give --add-header @FILE"
            ),
            (
                ["--add-header", "x-api-key: SECRET"],
                "--add-header, number 1: X-API-Key holds a secret, and other processes can read arguments: put the line into a file of yours, and give --add-header @FILE"
            ),
            (
                ["--add-header", "authorization: Basic eDp5"],
                "--add-header, number 1: Authorization answers challenges, which accounts do: give the relay an account, or let the client send its own"
            ),
            (
                ["--add-header", "Content-Length: 1"],
                "--add-header, number 1: Content-Length belongs to the connection or to the end of the message, which the relay writes itself: leave it out"
            ),
            (
                ["--add-header", "Via: 1"],
                "--add-header, number 1: Via belongs to the connection or to the end of the message, which the relay writes itself: leave it out"
            ),
            (
                ["--add-header", "X-A:"],
                "--add-header, number 1: the value is missing: write 'Name: value', or give --remove-header NAME"
            ),
            (["--add-header", "X-A"], "--add-header, number 1: there is no ':': write 'Name: value'"),
            (
                ["--add-header", "X-A: 1\r\nX-B: 2"],
                "--add-header, number 1: the value has a control character: remove it"
            ),
            (
                ["--remove-header", "X A:"],
                "--remove-header: \"X A:\": this is not the name of a field: write it alone, without ':'"
            ),
            (
                ["--remove-header", "Proxy-Authorization"],
                "--remove-header: Proxy-Authorization answers challenges, which accounts do: give the relay an account, or let the client send its own"
            ),
        ]
    )
    func problems(arguments: [String], expected: String) {
        let error = #expect(throws: RelayProblem.self) { try Self.settings(arguments) }
        #expect(error.map { "\($0)" } == expected)
    }

    @Test("--direct-fallback needs a parent to fall back from") func fallback() throws {
        let run = try SallyportRun([
            "relay", "--map", "127.0.0.1:0=http://a.example", "--direct-fallback", "--no-store",
        ])
        #expect(run.status == 2 && run.error.contains("--direct-fallback"), "\(run.error)")
    }
}

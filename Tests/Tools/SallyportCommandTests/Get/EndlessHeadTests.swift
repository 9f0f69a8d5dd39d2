import Foundation
import LiveServers
import Testing

/// `sallyport get` at servers and proxies whose responses never begin: the attack of a party on the way.
@Suite(.inTurn, .serialized) struct EndlessHeadTests {
    static let hint = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// What `get` says to `reply`, of a server that is asked directly (over AsyncHTTPClient), of a proxy, and of a tunnel.
    private func runs(_ reply: ScriptedServer.Reply) async throws -> [SallyportRun] {
        let server = try await ScriptedServer { _ in reply }
        defer { server.stop() }
        let folder = try RequestFolder()
        let proxy = ["--proxy", "\(server.origin)"]
        return [
            try await folder.live(["get", "\(server.origin)/"]),
            try await folder.live(["get", "http://a.example/"] + proxy),
            try await folder.live(["get", "https://a.example/"] + proxy),
        ]
    }

    @Test("1,024 interim responses are passed over, on each of two requests") func interim() async throws {
        let folder = try RequestFolder()
        let server = try await ScriptedServer { _ in .send(String(repeating: Self.hint, count: 1_024) + Self.ok) }
        defer { server.stop() }
        for arguments in [["\(server.origin)/"], ["http://a.example/", "--proxy", "\(server.origin)"]] {
            let run = try await folder.live(["get"] + arguments)
            #expect(run.status == 0 && run.output == "ok", "\(run.error)")
        }
    }

    @Test("One more is the end, and so are thousands", arguments: [1_025, 20_000])
    func tooMany(count: Int) async throws {
        for run in try await runs(.send(String(repeating: Self.hint, count: count) + Self.ok)) {
            #expect(run.status == 2 && run.output.isEmpty, "\(run.error)")
            #expect(run.error.contains("more than 1024 interim responses came"), "\(run.error)")
            #expect(run.error.split(separator: "\n").count == 1)
        }
    }

    @Test(
        "A reason phrase, a field and a status line without an end",
        arguments: ["HTTP/1.1 200 ", "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 103 ", "HTTP/1.1 200 OK\r\n"]
    )
    func endless(start: String) async throws {
        for run in try await runs(.pour(start)) {
            #expect(run.status == 2 && run.output.isEmpty, "\(run.error)")
            // NIO's own bound of fields is met first where one read brings more than 80 KiB.
            let isBounded = ["the head of the response has more than 65536 bytes", "too many header bytes"].contains {
                run.error.contains($0)
            }
            #expect(isBounded, "\(run.error)")
            #expect(run.error.split(separator: "\n").count == 1)
        }
    }

    @Test("A long head below the bound is read") func long() async throws {
        let fields = (0..<60).map { "X-\($0): \(String(repeating: "v", count: 1_000))\r\n" }.joined()
        let run = try await runs(.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok"))[0]
        #expect(run.status == 0 && run.output == "ok", "\(run.error)")
    }

    @Test("The server of a PAC file has the same bounds") func script() async throws {
        let server = try await ScriptedServer { _ in .pour("HTTP/1.1 200 ") }
        defer { server.stop() }
        let folder = try RequestFolder()
        let run = try await folder.live(["relay", "--no-store", "--pac", "\(server.origin)/proxy.pac"])
        #expect(run.status == 2 && run.error.contains("has more than 65536 bytes"), "\(run.error)")
    }
}

import Foundation
import Hostnames
import LiveServers
import Sallyport
import SallyportRelay
import TestSupport
import Testing

/// Mapped servers for which nobody has an account: their clients log on themselves.
@Suite(.inTurn, .serialized) struct ClientsOwnAnswerTests {
    /// An authenticator that may answer `server`, and knows no password for it.
    private static func authenticator(_ server: Origin) throws -> Authenticator {
        try TestRelay.authenticator("\(server)", nil, schemes: [.ntlm, .basic])
    }

    @Test("The challenge reaches the client whole, also that for a body; its own answer passes, and serves it alone")
    func basic() async throws {
        let mapped = try MappedServer()
        let server = try await ScriptedServer(tls: mapped.leaf.serverContext) { request in
            guard let answer = request.field("Authorization") else {
                return .send(
                    "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nX-Own: 1\r\nContent-Length: 4\r\n\r\npage"
                )
            }
            let body = "\(answer) \(request.body)"
            return .send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        defer { server.stop() }
        try await mapped.run(server.origin, authenticator: Self.authenticator(server.origin)) { relay, port in
            let client = try RelayClient(port: port)
            let host = "127.0.0.1:\(port)"
            func ask(_ fields: [String], _ body: String) throws -> RelayClient.Response {
                let lines = ["POST / HTTP/1.1", "Host: \(host)", "Content-Length: \(body.utf8.count)"] + fields
                try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n\(body)")
                return try client.readResponse()
            }
            for fields in [[], ["Cookie: a=b"]] {
                let asked = try client.ask("/", host: host, fields)
                #expect(asked.status == 401 && asked.body == "page" && asked.field("X-Own") == "1")
            }
            #expect(try ask([], "hello").status == 401)
            #expect(try ask(["Authorization: Basic eDp5"], "hello").body == "Basic eDp5 hello")
            // The next request, and another client, are not the first one's.
            #expect(try client.ask("/", host: host).status == 401)
            #expect(try RelayClient(port: port).ask("/", host: host).status == 401)
            let counters = await relay.counters()
            #expect(counters.badLogOns == 0 && counters.refusals == 0)
        }
        #expect(server.requests.filter { $0.field("Authorization") != nil }.count == 1)
    }

    @Test(
        "curl logs on by NTLM at an Apache; its connection serves no other client",
        .needs(.apache, .gssNTLMSSP, .curl)
    )
    func curl() async throws {
        let apache = try ServerScript.Apache()
        let server = try Origin(parsing: "http://localhost:\(apache.http)")
        let folder = TemporaryFolder.place("own")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let netrc = "default login \(ServerScript.domain)\\jdoe password \(ServerScript.accounts["jdoe"] ?? "")\n"
        try netrc.write(to: folder.appending(path: "netrc"), atomically: true, encoding: .utf8)
        var settings = RelaySettings()
        settings.listeners = []
        settings.mappings = [RelayMapping(try ListenAddress(parsing: "127.0.0.1:0"), to: server)]
        try await TestRelay.run(settings, authenticator: Self.authenticator(server)) { relay, ports in
            let shell = ClientShell(folder: folder, proxy: nil, server: "http://127.0.0.1:\(ports[0])")
            // With one scheme curl sends a message of NTLM at once, with two it waits for the challenge.
            for options in ["--ntlm", "--ntlm --basic"] {
                let output = try shell.run(
                    """
                    curl -sS \(options) --netrc-file netrc -w '%{http_code}\\n' "$SERVER/a" "$SERVER/b"
                    curl -sS -o /dev/null -w 'other %{http_code}\\n' "$SERVER/a"
                    """
                )
                #expect(output == "<p>in</p>\n200\n<p>in</p>\n200\nother 401\n", "\(options): \(output)")
            }
            let counters = await relay.counters()
            #expect(counters.refusals == 0 && counters.badLogOns == 0)
        }
        withExtendedLifetime(apache) {}
    }
}

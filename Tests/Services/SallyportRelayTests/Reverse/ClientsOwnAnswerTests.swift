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

    /// Prints the page and the status of two requests of one session, and the status of a client without a password.
    private static let script = """
        import sys, requests
        from requests_ntlm import HttpNtlmAuth
        server, user, password = sys.argv[1], sys.argv[2], open("password").read()
        session, other = requests.Session(), requests.Session()
        session.trust_env = other.trust_env = False
        session.auth = HttpNtlmAuth(user, password)
        for page in "ab":
            response = session.get(server + "/" + page)
            print(response.text.strip(), response.status_code)
        print("other", other.get(server + "/a").status_code)
        """

    // curl 7.88 does not log on at this server, also not without a relay.
    @Test(
        "requests_ntlm logs on at an Apache; its connection serves no other client",
        .needs(.apache, .gssNTLMSSP, .requestsNTLM)
    )
    func ntlm() async throws {
        let apache = try ServerScript.Apache()
        let server = try Origin(parsing: "http://localhost:\(apache.http)")
        let folder = TemporaryFolder.place("own")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in [("password", ServerScript.accounts["jdoe"] ?? ""), ("client.py", Self.script)] {
            try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        var settings = RelaySettings()
        settings.listeners = []
        settings.mappings = [RelayMapping(try ListenAddress(parsing: "127.0.0.1:0"), to: server)]
        try await TestRelay.run(settings, authenticator: Self.authenticator(server)) { relay, ports in
            let shell = ClientShell(folder: folder, proxy: nil, server: "http://127.0.0.1:\(ports[0])")
            let output = try shell.run("python3 client.py \"$SERVER\" '\(ServerScript.domain)\\jdoe'")
            #expect(output == "<p>in</p> 200\n<p>in</p> 200\nother 401\n", "\(output)")
            let counters = await relay.counters()
            #expect(counters.refusals == 0 && counters.badLogOns == 0)
        }
        withExtendedLifetime(apache) {}
    }
}

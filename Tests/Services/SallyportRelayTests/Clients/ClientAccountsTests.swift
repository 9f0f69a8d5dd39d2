import AllowedSites
import ClientAuthentication
import Foundation
import Hostnames
import LiveServers
import NIOCore
import NTLM
import Sallyport
import SallyportRelay
import Secrets
import TestSupport
import Testing

/// Clients that authenticate themselves at the relay.
@Suite(.inTurn) struct ClientAccountsTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    /// "jdoe:Correct-Horse".
    private static let basic = "Basic amRvZTpDb3JyZWN0LUhvcnNl"

    private static func settings(
        _ parent: Origin?,
        _ schemes: [ClientScheme] = [.digestSHA256, .digestMD5, .ntlm, .basic],
        cleartext: Bool = true,
        directory: any ClientDirectory = FixedDirectory([
            ClientName("jdoe"): .password(SharedSecret(utf8: "Correct-Horse"))
        ])
    ) throws -> RelaySettings {
        var settings = RelaySettings()
        settings.parents = parent.map { [RelayParent($0)] } ?? []
        settings.listeners = parent == nil ? [] : [try ListenAddress(parsing: "127.0.0.1:0")]
        let options = ClientAuthenticationOptions(
            party: .origin,
            realm: "relay",
            schemes: schemes,
            ntlm: ServerHandshake.Options(computerName: "RELAY", sendsTimestamp: false),
            allowsCleartextBasic: cleartext
        )
        settings.clientAccounts = ClientAccounts(options, directory: directory)
        return settings
    }

    private static func parent() async throws -> ScriptedServer {
        try await ScriptedServer { request in
            request.head.hasPrefix("CONNECT") ? .send("HTTP/1.1 200 Yes\r\n\r\n") : .send(ok)
        }
    }

    @Test("Without an answer a client gets 407 and may go on; its answer does not reach the parent")
    func asks() async throws {
        let parent = try await Self.parent()
        defer { parent.stop() }
        try await TestRelay.run(Self.settings(parent.origin)) { _, ports in
            let client = try RelayClient(port: ports[0])
            for _ in 0..<2 {
                let refused = try client.get("http://a.example/")
                #expect(refused.status == 407)
                let offers = refused.fields.filter { $0.hasPrefix("Proxy-Authenticate: ") }.map {
                    $0.dropFirst(20).prefix { $0 != " " }
                }
                #expect(offers == ["Digest", "Digest", "NTLM", "Basic"])
            }
            // Its body is dropped; the next request is read after it.
            try client.send("POST http://a.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
            try client.send("llo")
            #expect(try client.readResponse().status == 407)
            try client.send("POST http://a.example/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            try client.send("5\r\nhello\r\n0\r\n\r\n")
            #expect(try client.readResponse().status == 407)
            try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readResponse().status == 407)
            #expect(parent.requests.isEmpty)
            let right = try client.get("http://a.example/", ["Proxy-Authorization: \(Self.basic)"])
            #expect(right.body == "ok")
            // Basic is for one request.
            #expect(try client.get("http://a.example/").status == 407)
            try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\nProxy-Authorization: \(Self.basic)\r\n\r\n")
            #expect(try client.readHead().status == 200)
        }
        #expect(parent.requests.count == 2)
        #expect(parent.requests.allSatisfy { $0.field("Proxy-Authorization") == nil })
    }

    @Test("No client is asked for its password in the clear, unless the settings allow it", arguments: [false, true])
    func cleartext(isAllowed: Bool) async throws {
        let parent = try await Self.parent()
        defer { parent.stop() }
        try await TestRelay.run(Self.settings(parent.origin, cleartext: isAllowed)) { _, ports in
            let client = try RelayClient(port: ports[0])
            let refused = try client.get("http://a.example/")
            #expect(refused.fields.contains { $0.hasPrefix("Proxy-Authenticate: Basic") } == isAllowed)
            let answered = try client.get("http://a.example/", ["Proxy-Authorization: \(Self.basic)"])
            #expect(answered.status == (isAllowed ? 200 : 407))
        }
        #expect(parent.requests.count == (isAllowed ? 1 : 0))
    }

    @Test("A client that waits with its body, and one of HTTP/1.0, get 407 and the end of the connection")
    func closing() async throws {
        let parent = try await Self.parent()
        defer { parent.stop() }
        try await TestRelay.run(Self.settings(parent.origin)) { _, ports in
            for head in [
                "POST http://a.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n",
                "GET http://a.example/ HTTP/1.0\r\n\r\n",
            ] {
                let client = try RelayClient(port: ports[0])
                try client.send(head)
                let response = try client.readResponse()
                #expect(response.status == 407 && response.field("Connection") == "close")
                #expect(try client.readToEnd().isEmpty)
            }
        }
        #expect(parent.requests.isEmpty)
    }

    @Test("Wrong passwords are counted by account: the eleventh gets 429; two answers are no answer")
    func wrong() async throws {
        let parent = try await Self.parent()
        defer { parent.stop() }
        try await TestRelay.run(Self.settings(parent.origin)) { relay, ports in
            let client = try RelayClient(port: ports[0])
            let both = try client.get(
                "http://a.example/",
                ["Proxy-Authorization: \(Self.basic)", "Proxy-Authorization: \(Self.basic)"]
            )
            #expect(both.status == 400)
            let refused = await relay.counters().refusedClients
            // "jdoe:wrong".
            var statuses: [Int] = []
            for _ in 0..<11 {
                statuses.append(
                    try client.get("http://a.example/", ["Proxy-Authorization: Basic amRvZTp3cm9uZw=="]).status
                )
            }
            #expect(statuses == [Int](repeating: 407, count: 10) + [429])
            #expect(await relay.counters().refusedClients == refused + 11)
            let right = try client.get("http://a.example/", ["Proxy-Authorization: \(Self.basic)"])
            #expect(right.status == 429 && right.field("Retry-After") != nil)
        }
        #expect(parent.requests.isEmpty)
    }

    @Test("Passwords in clear text alone are refused at the start; other machines may come if they log on")
    func listeners() async throws {
        let parent = try await Self.parent()
        defer { parent.stop() }
        let address = try ListenAddress(parsing: "127.0.0.1:0")
        await #expect(throws: RelayError.cleartextClients(address)) {
            try await TestRelay.run(Self.settings(parent.origin, [.basic], cleartext: false)) { _, _ in }
        }
        var settings = try Self.settings(parent.origin)
        settings.listeners = [try ListenAddress(parsing: "0.0.0.0:0")]
        try await TestRelay.run(settings) { _, ports in
            #expect(try RelayClient(port: ports[0]).get("http://a.example/").status == 407)
            let right = try RelayClient(port: ports[0])
                .get("http://a.example/", ["Proxy-Authorization: \(Self.basic)"])
            #expect(right.body == "ok")
        }
    }

    @Test("At a mapped listener it is 401, and the answer does not reach the server")
    func mapped() async throws {
        let server = try await Self.parent()
        defer { server.stop() }
        var settings = try Self.settings(nil)
        settings.mappings = [RelayMapping(try ListenAddress(parsing: "127.0.0.1:0"), to: server.origin)]
        try await TestRelay.run(settings) { _, ports in
            let client = try RelayClient(port: ports[0])
            let refused = try client.ask("/", host: "127.0.0.1")
            #expect(refused.status == 401 && refused.field("WWW-Authenticate")?.hasPrefix("Digest ") == true)
            let right = try client.ask("/", host: "127.0.0.1", ["X-A: 1", "Authorization: \(Self.basic)", "X-B: 2"])
            #expect(right.body == "ok")
        }
        #expect(server.requests.count == 1 && server.requests[0].field("Authorization") == nil)
        #expect(server.requests[0].field("X-A") == "1" && server.requests[0].field("X-B") == "2")
    }

    private struct SilentDirectory: ClientDirectory {
        func secret(of name: ClientName) async throws -> ClientSecret? {
            try await Task.sleep(for: .seconds(60))
            return nil
        }
    }

    @Test("A directory that does not reply costs the client 503, and nothing is left behind")
    func silent() async throws {
        let parent = try await Self.parent()
        defer { parent.stop() }
        var settings = try Self.settings(parent.origin, directory: SilentDirectory())
        settings.limits.directory = .milliseconds(100)
        settings.limits.idleParent = .milliseconds(200)
        try await TestRelay.run(settings) { _, ports in
            let client = try RelayClient(port: ports[0])
            #expect(try client.get("http://a.example/", ["Proxy-Authorization: \(Self.basic)"]).status == 503)
        }
    }

    @Test(
        "curl logs on with each scheme, for requests, bodies and tunnels",
        arguments: ["--proxy-digest", "--proxy-ntlm", "--proxy-basic", "--proxy-anyauth"]
    )
    func curl(option: String) async throws {
        let server = try await ScriptedServer { request in
            .send("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.utf8.count)\r\n\r\n\(request.body)")
        }
        defer { server.stop() }
        var settings = try Self.settings(server.origin)
        let list = SiteTrie(compiling: try SiteDialect.noProxy.read("127.0.0.1", name: "test").list)
        (settings.destinations.direct, settings.destinations.allowed) = (list, list)
        let folder = TemporaryFolder.place("client")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await TestRelay.run(settings) { _, ports in
            let shell = ClientShell(
                folder: folder,
                proxy: "http://127.0.0.1:\(ports[0])",
                server: "\(server.origin)"
            )
            let output = try shell.run(
                """
                set -e
                curl -sS \(option) -U jdoe:Correct-Horse -d one $SERVER/a -d one $SERVER/b
                curl -sS \(option) -U jdoe:Correct-Horse --proxytunnel -d two $SERVER/a
                curl -sS -o /dev/null -w '%{http_code}' \(option) -U jdoe:wrong $SERVER/a
                """
            )
            #expect(output == "one&oneone&onetwo407", "\(output)")
        }
        #expect(server.requests.allSatisfy { $0.field("Proxy-Authorization") == nil })
    }
}

import AllowedSites
import CredentialStores
import Credentials
import Hostnames
import LiveServers
import Sallyport
import SallyportRelay
import Secrets
import Testing

/// A listener that stands for a server.
@Suite(.inTurn) struct MappingTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let asks = "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 2\r\n\r\nno"
    /// "jdoe:Correct-Horse".
    private static let answer = "Basic amRvZTpDb3JyZWN0LUhvcnNl"

    private static func server(
        _ mapped: MappedServer,
        _ reply: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply
    ) async throws -> ScriptedServer {
        try await ScriptedServer(tls: mapped.leaf.serverContext, reply)
    }

    private static func basic(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
        guard request.field("Authorization") == answer else { return .send(asks) }
        if request.field("Expect") != nil, request.body.isEmpty { return .send("HTTP/1.1 100 Continue\r\n\r\n") }
        return .send(ok)
    }

    @Test(
        "A client in plain http reaches a server over TLS, which is answered; Host, Location and cookies are those of each side"
    )
    func answered() async throws {
        let mapped = try MappedServer()
        let server = try await Self.server(mapped) { request in
            if request.target == "/there" {
                let host = request.field("Host") ?? ""
                return .send(
                    "HTTP/1.1 302 Found\r\nLocation: https://\(host)/new\r\nSet-Cookie: a=b; Domain=localhost; Secure\r\n"
                        + "Content-Length: 0\r\n\r\n"
                )
            }
            return Self.basic(request)
        }
        defer { server.stop() }
        try await mapped.run(server.origin, TestRelay.handler(server.origin, .basic)) { _, port in
            let client = try RelayClient(port: port)
            let host = "127.0.0.1:\(port)"
            #expect(try client.ask("/a?b", host: host, ["X-Kept: 1", "Referer: http://\(host)/z"]).body == "ok")
            try client.send("POST /a HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try client.readResponse().body == "ok")
            let moved = try client.ask("/there", host: "localhost:\(port)")
            #expect(moved.status == 302)
            #expect(moved.field("Location") == "http://localhost:\(port)/new")
            #expect(moved.field("Set-Cookie") == "a=b")
        }
        #expect(server.requests.map(\.target) == ["/a?b", "/a?b", "/a", "/there"])
        #expect(server.requests.map { $0.field("Authorization") != nil } == [false, true, true, true])
        #expect(server.requests.allSatisfy { $0.field("Host") == "localhost:\(server.origin.port)" })
        #expect(server.requests[1].field("Referer") == "\(server.origin)/z")
        #expect(server.requests[1].field("X-Kept") == "1")
        #expect(server.requests[2].body == "hello")
        #expect(server.connections == 1)
    }

    @Test(
        "The server is reached through a SOCKS parent, with TLS inside; each of them gets its own account",
        .needs(.python),
        arguments: [true, false]
    )
    func throughSOCKS(isSecure: Bool) async throws {
        let mapped = try MappedServer()
        let proxy = try SOCKSServer("password", account: "user:of the proxy")
        let server =
            isSecure ? try await Self.server(mapped, Self.basic) : try await ScriptedServer { Self.basic($0) }
        defer { server.stop() }
        let parent = try RelayParent(parsing: "socks5://127.0.0.1:\(proxy.port)")
        let sites = ["\(parent.origin)", "\(server.origin)"]
        let accounts = [("user", "of the proxy"), ("jdoe", "Correct-Horse")].map { user, password in
            Account(name: user, user: user, password: SharedSecret(utf8: password))
        }
        let handler = try ChallengeHandler(
            profile: SecurityProfile(
                sites: try SiteList(parsing: sites.map { "\($0)\n" }.joined(), name: "test"),
                schemes: [.basic],
                accounts: zip(accounts, sites).map { .init($0, sites: [$1], allowsCleartext: true) }
            ),
            at: 0
        )
        try await mapped.run(server.origin, handler, parents: [parent]) { _, port in
            let client = try RelayClient(port: port)
            #expect(try client.ask("/a?b", host: "127.0.0.1:\(port)").body == "ok")
            #expect(try client.ask("/c", host: "127.0.0.1:\(port)").body == "ok")
        }
        #expect(server.requests.map(\.target) == ["/a?b", "/a?b", "/c"])
        #expect(try proxy.logOns == [true])
        #expect(try proxy.requests == ["\(isSecure ? "3 localhost" : "1 127.0.0.1"):\(server.origin.port)"])
    }

    @Test(
        "A Host that is not the listener's is refused, because a web page can lead its name here; a forwarded port is fine"
    )
    func hosts() async throws {
        let mapped = try MappedServer()
        let server = try await Self.server(mapped, Self.basic)
        defer { server.stop() }
        let names = [try Hostname(parsing: "gateway.example")]
        try await mapped.run(server.origin, TestRelay.handler(server.origin, .basic), names: names) { _, port in
            for host in ["evil.example:\(port)", "127.0.0.2", "127.0.0.1.evil.example", "localhost.evil.example", ""] {
                let response = try RelayClient(port: port).ask("/", host: host)
                #expect(response.status == 421, "\(host)")
                #expect(response.body.contains("--map-name"))
            }
            let absolute = try RelayClient(port: port).ask("http://evil.example/", host: "127.0.0.1:\(port)")
            #expect(absolute.status == 421)
            for host in ["127.0.0.1", "localhost:9", "LOCALHOST", "gateway.example", "\(server.origin.host):1"] {
                #expect(try RelayClient(port: port).ask("/", host: host).status == 200, "\(host)")
            }
            #expect(try RelayClient(port: port).ask("http://127.0.0.1:\(port)/", host: "a").status == 200)
            let old = try RelayClient(port: port)
            try old.send("GET / HTTP/1.0\r\n\r\n")
            #expect(try old.readResponse().status == 200)
            for line in ["CONNECT 127.0.0.1:\(port)", "GET ftp://127.0.0.1/", "GET *"] {
                let client = try RelayClient(port: port)
                try client.send("\(line) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                #expect(try client.readResponse().status == 400, "\(line)")
            }
        }
    }

    @Test("A page of another site gets no account; the server's own pages do, and their Origin is the server's")
    func crossSite() async throws {
        let mapped = try MappedServer()
        let server = try await Self.server(mapped, Self.basic)
        defer { server.stop() }
        try await mapped.run(server.origin, TestRelay.handler(server.origin, .basic)) { _, port in
            let host = "127.0.0.1:\(port)"
            func status(_ fields: [String], method: String = "GET") throws -> Int {
                try RelayClient(port: port).ask("/", host: host, fields, method: method).status
            }
            let navigates = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]
            for fields in [
                ["Origin: https://evil.example"], ["Origin: null"],
                ["Origin: http://\(host)", "Origin: http://\(host)"],
                ["Origin: http://localhost:\(port)"], ["Sec-Fetch-Site: cross-site"],
                ["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"],
                ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"],
            ] {
                let found = try status(fields)
                #expect(found == 403, "\(fields)")
            }
            let deleting = try status(["Sec-Fetch-Site: cross-site"] + navigates, method: "DELETE")
            #expect(deleting == 403)
            #expect(server.requests.isEmpty)
            for fields in [
                ["Sec-Fetch-Site: cross-site"] + navigates, ["Sec-Fetch-Site: none"], ["Origin: http://\(host)"],
            ] {
                let found = try status(fields)
                #expect(found == 200, "\(fields)")
            }
        }
        #expect(server.requests.last?.field("Origin") == "\(server.origin)")
    }

    @Test("The store is asked for the server's password, once for a wrong one; what needs no password passes")
    func asked() async throws {
        let mapped = try MappedServer()
        let server = try await Self.server(mapped) { $0.target == "/open" ? .send(Self.ok) : Self.basic($0) }
        defer { server.stop() }
        let store = MemoryCredentialStore()
        func keep(_ password: String) async throws {
            let name = CredentialName(space: .origin(server.origin, party: .origin), user: "jdoe", domain: nil)
            try await store.save(StoredCredential(name: name, secret: SharedSecret(utf8: password), created: 1))
        }
        try await keep("Wrong")
        let handler = try TestRelay.noAccounts(sites: "\(server.origin)")
        let authenticator = try Authenticator(CurrentHandler(handler), store: store)
        try await mapped.run(server.origin, authenticator: authenticator) { relay, port in
            let host = "127.0.0.1:\(port)"
            for _ in 0..<3 {
                let response = try RelayClient(port: port).ask("/", host: host)
                #expect(response.status == 502 && response.body.hasPrefix("sallyport relay: server: "))
            }
            #expect(try RelayClient(port: port).ask("/open", host: host).body == "ok")
            let counters = await relay.counters()
            #expect(counters.badLogOns == 1)
            try await keep("Correct-Horse")
            let right = try RelayClient(port: port).ask("/", host: host)
            #expect(right.body == "ok")
        }
        let sent = server.requests.compactMap { $0.field("Authorization") }
        #expect(sent.filter { $0 != Self.answer }.count == 1)
    }

    @Test("A client that authenticates its connection itself has it alone, and is not spoken for")
    func ownLogOn() async throws {
        let mapped = try MappedServer()
        // Says which client authenticated the connection, as NTLM does.
        let server = try await Self.server(mapped) { request in
            let body = "\(request.connection)"
            return .send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        defer { server.stop() }
        try await mapped.run(server.origin, TestRelay.handler(server.origin, .basic)) { _, port in
            let host = "127.0.0.1:\(port)"
            let (own, other) = (try RelayClient(port: port), try RelayClient(port: port))
            #expect(try other.ask("/", host: host).body == "0")
            for scheme in ["NTLM", "ntlm", "Negotiate"] {
                #expect(try own.ask("/", host: host, ["Authorization: \(scheme) TlRMTVNTUAAD"]).body == "1")
            }
            // After the handshake requests have no answer.
            #expect(try own.ask("/", host: host).body == "1")
            #expect(try other.ask("/", host: host).body == "0")
            let third = try RelayClient(port: port)
            #expect(try third.ask("/", host: host, ["Authorization: NTLM TlRMTVNTUAAB"]).body == "2")
            // WinRM's, and one that is not known.
            for (number, scheme) in ["CredSSP", "Kerberos", "Unknown"].enumerated() {
                let another = try RelayClient(port: port)
                let body = try another.ask("/", host: host, ["Authorization: \(scheme) TlRMTVNTUAAB"]).body
                #expect(body == "\(3 + number)")
            }
        }
        let answers = server.requests.map { $0.field("Authorization") ?? "-" }
        #expect(answers.filter { $0.hasPrefix("Basic") }.isEmpty)
    }

    @Test("A server whose certificate is not trusted gets no request")
    func untrusted() async throws {
        let (mapped, other) = (try MappedServer(), try MappedServer())
        let server = try await Self.server(other, Self.basic)
        defer { server.stop() }
        try await mapped.run(server.origin, TestRelay.handler(server.origin, .basic)) { _, port in
            let response = try RelayClient(port: port).ask("/", host: "127.0.0.1")
            #expect(response.status == 502 && response.body.contains("\(server.origin)"), "\(response.body)")
        }
        #expect(server.requests.isEmpty)
    }
}

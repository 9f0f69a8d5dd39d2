import AllowedSites
import ClientAuthentication
import Hostnames
import LiveServers
import NIOCore
import NTLM
import Sallyport
import SallyportRelay
import Secrets
import Testing

/// Clients that speak SOCKS 5. The bytes are those of RFC 1928 and RFC 1929.
@Suite(.inTurn) struct SOCKSClientsTests {
    private static let (hello, open): ([UInt8], [UInt8]) = ([5, 1, 0], [5, 0])
    private static let success: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]

    private static func settings(_ parent: Origin) throws -> RelaySettings {
        var settings = RelaySettings(parents: parent)
        settings.listeners = []
        settings.socksListeners = [try ListenAddress(abbreviated: "0")]
        return settings
    }

    /// The request for a connection to a name.
    private static func connect(_ name: String, _ port: UInt16) -> [UInt8] {
        [5, 1, 0, 3, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(port >> 8), UInt8(port & 0xFF)]
    }

    /// All that the relay answers to these bytes.
    private static func answer(to bytes: [UInt8], _ port: UInt16) throws -> [UInt8] {
        let stream = try ByteStream(port: port)
        try stream.send(bytes)
        return try RelayClient(stream).readToEnd()
    }

    @Test("Each kind of address becomes a CONNECT, which is authenticated; early bytes follow, and come back")
    func addresses() async throws {
        let parent = try await ScriptedServer { request in
            if request.head.hasPrefix("ping") { return .send("pong") }
            guard request.field("Proxy-Authorization") != nil else {
                return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
            }
            return .send("HTTP/1.1 200 Yes\r\n\r\nhello")
        }
        defer { parent.stop() }
        let six: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
        let requests = [
            Self.connect("a.example", 443), [5, 1, 0, 1, 192, 0, 2, 1, 0, 80], [5, 1, 0, 4] + six + [0x15, 0x38],
        ]
        try await TestRelay.run(Self.settings(parent.origin), TestRelay.handler(parent.origin, .basic)) {
            relay,
            ports in
            for (number, request) in requests.enumerated() {
                let stream = try ByteStream(port: ports[0])
                let early = Array("ping\r\n\r\n".utf8)
                if number == 0 {
                    // Byte by byte, so that no message comes whole.
                    for byte in Self.hello + request { try stream.send([byte]) }
                    try stream.send(early)
                } else {
                    try stream.send(Self.hello + request + early)
                }
                let expected = Self.open + Self.success + Array("hellopong".utf8)
                #expect(try stream.read(count: expected.count) == expected)
            }
            let counters = await relay.counters()
            #expect(counters.tunnels == 3 && counters.requests == 3)
        }
        let targets = Set(parent.requests.filter { $0.head.hasPrefix("CONNECT") }.map(\.target))
        #expect(targets == ["a.example:443", "192.0.2.1:80", "[2001:db8::1]:5432"])
    }

    @Test("What fails has the code of its reason, and the connection ends")
    func replies() async throws {
        let parent = try await ScriptedServer { request in
            let status = request.target.prefix { $0 != "." }
            return .send("HTTP/1.1 \(status) No\r\nContent-Length: 4\r\n\r\nnope")
        }
        defer { parent.stop() }
        var settings = try Self.settings(parent.origin)
        // RFC 6761: this name is never resolved.
        settings.destinations.direct = SiteTrie(
            compiling: try SiteDialect.noProxy.read("direct.invalid,127.0.0.2", name: "test").list
        )
        settings.destinations.allowed = SiteTrie(
            compiling: try SiteDialect.noProxy.read("127.0.0.2", name: "test").list
        )
        let closed = try ServerPort.take()
        try await TestRelay.run(settings) { _, ports in
            let port = ports[0]
            for (request, code) in [
                (Self.connect("403.example", 443), 2), (Self.connect("503.example", 443), 4),
                (Self.connect("504.example", 443), 6), (Self.connect("400.example", 443), 1),
                // Loopback is not served; also as the text of an address.
                (Self.connect("localhost", 80), 2), (Self.connect("127.0.0.1", 80), 2),
                ([5, 1, 0, 1, 127, 0, 0, 1, 0, 80], 2),
                (Self.connect("127.0.0.2", closed), 5), (Self.connect("direct.invalid", 80), 4),
                // BIND, UDP ASSOCIATE, an unknown kind of address, a name that is none, and port 0.
                ([5, 2, 0, 1, 192, 0, 2, 1, 0, 80], 7), ([5, 3, 0, 1, 0, 0, 0, 0, 0, 0], 7), ([5, 1, 0, 9, 1, 1], 8),
                (Self.connect("a b", 80), 1), (Self.connect("a.example", 0), 1),
                ([5, 1, 1, 1, 192, 0, 2, 1, 0, 80], 1),
            ] as [([UInt8], UInt8)] {
                let answer = try Self.answer(to: Self.hello + request, port)
                #expect(answer == Self.open + [5, code, 0, 1, 0, 0, 0, 0, 0, 0], "\(request)")
            }
            // No method fits; version 4; and HTTP, whose client reads what is wrong.
            #expect(try Self.answer(to: [5, 1, 2], port) == [5, 0xFF])
            #expect(try Self.answer(to: [4, 1, 0, 80, 192, 0, 2, 1, 0], port) == [0, 91, 0, 0, 0, 0, 0, 0])
            let http = String(
                decoding: try Self.answer(to: Array("GET http://a/ HTTP/1.1\r\n".utf8), port),
                as: UTF8.self
            )
            #expect(http.hasPrefix("HTTP/1.1 ") && http.contains("does not speak SOCKS"), "\(http)")
        }
        try await TestRelay.run(Self.settings(Origin(parsing: "http://127.0.0.1:\(closed)"))) { _, ports in
            // The proxy cannot be reached, which says nothing about the server.
            let answer = try Self.answer(to: Self.hello + Self.connect("a.example", 80), ports[0])
            #expect(answer == Self.open + [5, 1, 0, 1, 0, 0, 0, 0, 0, 0])
        }
    }

    @Test("A client that does not come to the end of its messages is closed", arguments: [0, 1, 3, 6])
    func slow(count: Int) async throws {
        var settings = try Self.settings(Origin(parsing: "http://127.0.0.1:1"))
        settings.limits.head = .milliseconds(100)
        try await TestRelay.run(settings) { _, ports in
            let stream = try ByteStream(port: ports[0])
            try stream.send(Array((Self.hello + Self.connect("a.example", 443)).prefix(count)))
            // Up to the end of the connection.
            _ = try RelayClient(stream).readToEnd()
        }
    }

    // MARK: The log-on

    private static func accounts(
        _ schemes: [ClientScheme] = [.digestSHA256, .basic],
        cleartext: Bool = false
    ) -> ClientAccounts {
        let options = ClientAuthenticationOptions(
            party: .proxy,
            realm: "relay",
            schemes: schemes,
            allowsCleartextBasic: cleartext
        )
        // The second one is what Basic would read in user "a", password "b:c" and user "a:b", password "c".
        let known = ["jdoe": "Correct-Horse", "a": "b:c"].map {
            (ClientName($0), ClientSecret.password(SharedSecret(utf8: $1)))
        }
        return ClientAccounts(options, directory: FixedDirectory(Dictionary(uniqueKeysWithValues: known)))
    }

    private static func logOn(_ user: String, _ password: String) -> [UInt8] {
        [1, UInt8(user.utf8.count)] + Array(user.utf8) + [UInt8(password.utf8.count)] + Array(password.utf8)
    }

    @Test("Where clients must log on, user and password are asked for, and the parent sees neither")
    func logOn() async throws {
        let parent = try await ScriptedServer { _ in .send("HTTP/1.1 200 Yes\r\n\r\n") }
        defer { parent.stop() }
        var settings = try Self.settings(parent.origin)
        settings.clientAccounts = Self.accounts()
        try await TestRelay.run(settings) { relay, ports in
            let right = try ByteStream(port: ports[0])
            // All in one piece: the request waits for the directory.
            try right.send([5, 2, 0, 2] + Self.logOn("jdoe", "Correct-Horse") + Self.connect("a.example", 443))
            let expected = [5, 2, 1, 0] + Self.success
            #expect(try right.read(count: expected.count) == expected)
            for (user, password) in [("jdoe", "wrong"), ("nobody", "x"), ("a:b", "c"), ("", "")] {
                let answer = try Self.answer(to: [5, 1, 2] + Self.logOn(user, password), ports[0])
                #expect(answer == [5, 2, 1, 1], "\(user)")
            }
            // Without a log-on, and with a request in its place.
            #expect(try Self.answer(to: Self.hello, ports[0]) == [5, 0xFF])
            #expect(try Self.answer(to: [5, 1, 2] + Self.connect("a.example", 443), ports[0]) == [5, 2, 1, 1])
            let refused = await relay.counters().refusedClients
            #expect(refused == 4)
        }
        #expect(parent.requests.count == 1 && parent.requests.allSatisfy { $0.field("Proxy-Authorization") == nil })
    }

    @Test("A log-on that SOCKS cannot carry, or would show to others, is refused at the start")
    func unfit() async throws {
        func error(_ address: String, _ accounts: ClientAccounts?) async throws -> RelayError? {
            var settings = try Self.settings(Origin(parsing: "http://127.0.0.1:1"))
            settings.socksListeners = [try ListenAddress(parsing: address)]
            settings.clientAccounts = accounts
            do { try await TestRelay.run(settings) { _, _ in } } catch let error as RelayError { return error }
            return nil
        }
        let (near, far) = (try ListenAddress(parsing: "127.0.0.1:0"), try ListenAddress(parsing: "0.0.0.0:0"))
        #expect(try await error("127.0.0.1:0", Self.accounts([.ntlm])) == .noLogOn(near, .noPassword))
        #expect(try await error("0.0.0.0:0", Self.accounts()) == .noLogOn(far, .cleartext))
        #expect(try await error("0.0.0.0:0", Self.accounts(cleartext: true)) == nil)
        #expect(try await error("0.0.0.0:0", nil) == .notLoopback(far))
        let secure = try ListenAddress(parsing: "https://127.0.0.1:0")
        #expect(try await error("https://127.0.0.1:0", nil) == .secureTunnel(secure))
    }
}

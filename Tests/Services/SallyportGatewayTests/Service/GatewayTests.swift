import ClientAuthentication
import Foundation
import HTTPAuthentication
import LiveServers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import SallyportGateway
import Secrets
import ServiceSockets
import TestLimits
import TestSupport
import Testing

/// A gateway whose proxy is the test.
@Suite(.inTurn) struct GatewayTests {
    private static let accounts = FixedDirectory([ClientName("jdoe"): .password(SharedSecret(utf8: "Correct-Horse"))])

    private static func gateway(
        _ schemes: [ClientScheme] = [.basic],
        directory: any ClientDirectory = accounts,
        address: GatewayAddress? = nil,
        front: FrontProxy = .nginx,
        change: (inout GatewayLimits) -> Void = { _ in }
    ) throws -> Gateway {
        let options = ClientAuthenticationOptions(
            party: .origin,
            realm: "wiki",
            schemes: schemes,
            guesses: GuessRules(perAccount: 1_000, perAddress: 1_000)
        )
        var limits = GatewayLimits()
        (limits.directory, limits.head, limits.idle) = (.patient, .patient, .patient)
        change(&limits)
        return Gateway(
            ClientAuthenticator(options, directory: directory),
            at: try address ?? GatewayAddress(parsing: "127.0.0.1:0"),
            behind: front,
            limits: limits,
            logger: Logger(label: "gateway") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// Runs `body` with a gateway that listens.
    private static func with(_ gateway: Gateway, _ body: (RelayClient, UInt16) throws -> Void) async throws {
        guard case .loopback(let address) = try await gateway.start() else { throw PeerFailure(what: "no port") }
        let result = Result { try body(RelayClient(port: address.port), address.port) }
        await gateway.stop()
        try result.get()
    }

    private static func head(_ lines: [String], method: String = "GET", target: String = "/page") -> String {
        ([
            "GET / HTTP/1.1", "Host: gateway", "X-Original-Method: \(method)", "X-Original-URI: \(target)",
            "X-Client-Address: 192.0.2.7", "X-Forwarded-Proto: https",
        ] + lines).joined(separator: "\r\n") + "\r\n\r\n"
    }

    private static func basic(_ pair: String) -> String {
        "Authorization: Basic \(Data(pair.utf8).base64EncodedString())"
    }

    private static func names(_ response: RelayClient.Response) -> [String] {
        response.fields.filter { $0.hasPrefix("X-Sallyport-") && !$0.hasPrefix("X-Sallyport-Reason") }.sorted()
    }

    @Test("A request with the right password is let in under its account, and no other request of the connection is")
    func basic() async throws {
        try await Self.with(try Self.gateway()) { client, _ in
            func ask(_ lines: [String]) throws -> RelayClient.Response {
                try client.send(Self.head(lines))
                return try client.readResponse()
            }
            for _ in 0..<3 {
                let stranger = try ask(["X-Sallyport-User: jdoe"])
                #expect(stranger.status == 401 && Self.names(stranger).isEmpty)
                #expect(stranger.field("WWW-Authenticate") == "Basic realm=\"wiki\", charset=\"UTF-8\"")
                #expect(stranger.field("X-Sallyport-Reason") == "unanswered")
                let accepted = try ask([
                    Self.basic("jdoe:Correct-Horse"), "X-Sallyport-User: admin", "X-Sallyport-Domain: X",
                ])
                #expect(accepted.status == 200 && accepted.body.isEmpty)
                #expect(
                    Self.names(accepted) == [
                        "X-Sallyport-Domain: ", "X-Sallyport-Scheme: basic", "X-Sallyport-User: jdoe",
                    ]
                )
                let wrong = try ask([Self.basic("jdoe:Wrong")])
                #expect(
                    wrong.status == 401 && Self.names(wrong).isEmpty && wrong.field("X-Sallyport-Reason") == "wrong"
                )
            }
        }
    }

    @Test("Checks that come at once are answered one after the other, each for itself")
    func pipelined() async throws {
        try await Self.with(try Self.gateway()) { client, _ in
            let right = Self.head([Self.basic("jdoe:Correct-Horse")])
            let none = Self.head([])
            try client.send(right + none + Self.head([Self.basic("jdoe:Wrong")]) + right + none)
            let statuses = try (0..<5).map { _ in try client.readResponse().status }
            #expect(statuses == [200, 401, 401, 200, 401])
            // A head that comes byte by byte.
            for byte in right.utf8 { try client.stream.send([byte]) }
            #expect(try client.readResponse().status == 200)
        }
    }

    @Test("nginx hears one challenge, Caddy all of them", arguments: [(FrontProxy.nginx, 1), (.caddy, 3)])
    func challenges(front: FrontProxy, count: Int) async throws {
        let gateway = try Self.gateway([.digestSHA256, .digestMD5, .basic], front: front)
        try await Self.with(gateway) { client, _ in
            try client.send(
                "GET / HTTP/1.1\r\nHost: g\r\nX-Original-Method: GET\r\nX-Original-URI: /\r\nX-Forwarded-Method: GET\r\n"
                    + "X-Forwarded-Uri: /\r\nX-Forwarded-Proto: https\r\n\r\n"
            )
            let offers = try client.readResponse().fields.filter { $0.hasPrefix("WWW-Authenticate: ") }
            #expect(offers.count == count && offers.first?.contains("algorithm=SHA-256") == true)
        }
    }

    @Test("Basic is asked of clients with TLS alone, and NTLM of no one")
    func offers() async throws {
        try await Self.with(try Self.gateway([.ntlm, .negotiate, .basic])) { client, _ in
            try client.send(Self.head([]).replacing("https", with: "http"))
            let clear = try client.readResponse()
            #expect(clear.status == 401 && clear.field("WWW-Authenticate") == nil)
            try client.send(Self.head([Self.basic("jdoe:Correct-Horse")]).replacing("https", with: "http"))
            #expect(try client.readResponse().field("X-Sallyport-Reason") == "unreadable")
            try client.send(Self.head(["Authorization: NTLM TlRMTVNTUAABAAAAB4IIogAAAAAAAAAAAAAAAAAAAAAKAGFKAAAADw=="]))
            let ntlm = try client.readResponse()
            #expect(ntlm.status == 401 && ntlm.field("WWW-Authenticate")?.hasPrefix("Basic") == true)
        }
    }

    @Test(
        "A check that is not understood lets no one in",
        arguments: [
            "GET / HTTP/1.1\r\nHost: g\r\nX-Original-URI: /\r\n",
            "GET / HTTP/1.1\r\nHost: g\r\nX-Original-Method: GET\r\n",
            "GET / HTTP/1.1\r\nHost: g\r\nX-Original-Method: GET\r\nX-Original-URI: /\r\nX-Original-URI: /\r\n",
            "POST / HTTP/1.1\r\nHost: g\r\nX-Original-Method: GET\r\nX-Original-URI: /\r\nContent-Length: 2\r\n",
            "GET / HTTP/1.1\r\nX-Original-Method: GET\r\nX-Original-URI: /\r\n", "GET /\r\n",
            "GET / HTTP/1.1\r\nHost: g\r\nX: \(String(repeating: "a", count: GatewayLimits.head))\r\n",
        ]
    )
    func useless(beginning: String) async throws {
        try await Self.with(try Self.gateway()) { client, _ in
            try client.send("\(beginning)X-Forwarded-Proto: https\r\n\(Self.basic("jdoe:Correct-Horse"))\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 403 && Self.names(response).isEmpty)
            #expect(response.field("X-Sallyport-Reason") == "check")
        }
    }

    @Test("A directory that does not answer in time, or cannot, lets no one in; the connection goes on")
    func directory() async throws {
        let gateway = try Self.gateway(directory: ShyDirectory(), front: .caddy) { $0.directory = .milliseconds(50) }
        try await Self.with(gateway) { client, _ in
            for user in ["silent", "broken", "silent", "jdoe"] {
                try client.send(
                    "GET / HTTP/1.1\r\nHost: g\r\nX-Forwarded-Method: GET\r\nX-Forwarded-Uri: /\r\nX-Forwarded-Proto: https\r\n"
                        + "\(Self.basic("\(user):Correct-Horse"))\r\n\r\n"
                )
                let response = try client.readResponse()
                #expect(response.status == (user == "jdoe" ? 200 : 503), "\(user)")
                if user != "jdoe" { #expect(response.field("X-Sallyport-Reason") == "directory") }
            }
        }
    }

    @Test("Beyond the bound of those that wait a check is refused at once")
    func waiting() async throws {
        let directory = ShyDirectory()
        let gateway = try Self.gateway(directory: directory) { $0.waiting = 1 }
        guard case .loopback(let address) = try await gateway.start() else { throw PeerFailure(what: "no port") }
        var first: RelayClient? = try RelayClient(port: address.port)
        let second = try RelayClient(port: address.port)
        try first?.send(Self.head([Self.basic("silent:Correct-Horse")]))
        try await eventually("the directory is asked") { directory.asked == 1 }
        try second.send(Self.head([Self.basic("jdoe:Correct-Horse")]))
        let busy = try second.readResponse()
        #expect(busy.status == 403 && busy.field("X-Sallyport-Reason") == "busy")
        first = nil
        try await eventually("its question is cancelled") { directory.cancelled == 1 }
        // Its place is free when its task has ended, a moment later.
        var last = busy
        try blockUntil("a place is free") {
            try second.send(Self.head([Self.basic("jdoe:Correct-Horse")]))
            last = try second.readResponse()
            return last.status == 200
        }
        await gateway.stop()
    }

    @Test("A proxy that stands still in a head, or long after its last check, is left")
    func still() async throws {
        let gateway = try Self.gateway { ($0.head, $0.idle) = (.milliseconds(50), .milliseconds(50)) }
        try await Self.with(gateway) { client, port in
            #expect(try client.readToEnd().isEmpty)
            let slow = try RelayClient(port: port)
            try slow.send("GET / HT")
            #expect(try slow.readToEnd().isEmpty)
        }
    }

    @Test(
        "A socket is its users' alone, is removed at the end, and is not taken from a gateway that runs",
        .needs(.python)
    )
    func socket() async throws {
        let folder = try TemporaryFolder("gateway")
        let path = folder.url.appending(path: "g.sock").path
        let address = try GatewayAddress(parsing: "unix:\(path)")
        let gateway = try Self.gateway(address: address)
        #expect(try await gateway.start() == address)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.uint16Value == 0o660)
        let other = try Self.gateway(address: address)
        await #expect(throws: GatewayError.inUse(address)) { try await other.start() }
        await gateway.stop()
        #expect(!FileManager.default.fileExists(atPath: path))

        // A process that was killed leaves one behind; any other file is not ours.
        let killed = try Process.run(
            URL(filePath: "/usr/bin/env"),
            arguments: [
                "python3", "-c",
                "import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()", path,
            ]
        )
        killed.waitUntilExit()
        #expect(FileManager.default.fileExists(atPath: path))
        try await other.start()
        await other.stop()
        try Data("text".utf8).write(to: URL(filePath: path))
        await #expect(throws: GatewayError.noSocket(address)) { try await gateway.start() }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
    }

    @Test("A gateway that ends leaves the socket of another one that has taken its place")
    func replaced() async throws {
        let folder = try TemporaryFolder("gateway")
        let path = folder.url.appending(path: "g.sock").path
        let address = try GatewayAddress(parsing: "unix:\(path)")
        let (first, second) = (try Self.gateway(address: address), try Self.gateway(address: address))
        try await first.start()
        try FileManager.default.removeItem(atPath: path)
        try await second.start()
        await first.stop()
        #expect(FileManager.default.fileExists(atPath: path))
        await #expect(throws: GatewayError.inUse(address)) { try await first.start() }
        await second.stop()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        // It can listen again, and connections stay open.
        try await first.start()
        await first.stop()
    }

    @Test("At its end a gateway answers who waits, and closes the others")
    func end() async throws {
        let directory = ShyDirectory()
        let gateway = try Self.gateway(directory: directory)
        guard case .loopback(let address) = try await gateway.start() else { throw PeerFailure(what: "no port") }
        let (idle, waiting) = (try RelayClient(port: address.port), try RelayClient(port: address.port))
        try idle.send(Self.head([Self.basic("jdoe:Correct-Horse")]))
        #expect(try idle.readResponse().status == 200)
        try waiting.send(Self.head([Self.basic("late:Correct-Horse")]))
        try await eventually("the directory is asked") { directory.asked == 2 }
        let ended = Task { await gateway.stop() }
        #expect(try idle.readToEnd().isEmpty)
        directory.release()
        let last = try waiting.readResponse()
        #expect(last.status == 200 && last.field("Connection") == "close")
        #expect(try waiting.readToEnd().isEmpty)
        await ended.value
    }

    @Test("Blanks around a name are lost in a field, so such a client is not let in")
    func blanks() async throws {
        let names = ["jdoe", " jdoe", "jdoe ", "ACME \\jdoe"]
        let directory = FixedDirectory(
            Dictionary(uniqueKeysWithValues: names.map { (ClientName($0), .password(SharedSecret(utf8: "x"))) })
        )
        try await Self.with(try Self.gateway(directory: directory)) { client, _ in
            for name in names {
                try client.send(Self.head([Self.basic("\(name):x")]))
                #expect(try client.readResponse().status == (name == "jdoe" ? 200 : 403), "\(name)")
            }
        }
    }
}

/// A directory in which all passwords are right, and some users get no answer.
private final class ShyDirectory: ClientDirectory {
    private struct State {
        var asked = 0
        var cancelled = 0
        var late: CheckedContinuation<Void, Never>?
    }

    private let state = NIOLockedValueBox(State())

    var asked: Int { state.withLockedValue { $0.asked } }
    var cancelled: Int { state.withLockedValue { $0.cancelled } }

    func release() { state.withLockedValue { $0.late.take() }?.resume() }

    func secret(of name: ClientName) async throws -> ClientSecret? { nil }

    func accepts(_ password: SharedSecret, of name: ClientName) async throws -> Bool {
        state.withLockedValue { $0.asked += 1 }
        switch name.user {
        case "silent":
            do { try await Task.sleep(for: .seconds(86_400)) } catch {
                state.withLockedValue { $0.cancelled += 1 }
                throw error
            }
            return true
        case "late":
            await withCheckedContinuation { continuation in state.withLockedValue { $0.late = continuation } }
            return true
        case "broken": throw PeerFailure(what: "the directory is broken")
        default: return true
        }
    }
}

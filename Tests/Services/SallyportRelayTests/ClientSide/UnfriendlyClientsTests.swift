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

/// Clients that hold what others need. Limits are short, and all others are minutes: a test that ends has met the right one.
@Suite(.inTurn) struct UnfriendlyClientsTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func settings(_ parent: Origin, _ listeners: [String] = ["127.0.0.1:0"]) throws -> RelaySettings {
        var settings = RelaySettings(parents: parent)
        settings.listeners = try listeners.map { try ListenAddress(parsing: $0) }
        return settings
    }

    private static func run(_ body: (Origin) async throws -> Void) async throws {
        let parent = try await ScriptedServer { _ in .send(ok) }
        defer { parent.stop() }
        try await body(parent.origin)
    }

    /// Waits until the counters are as they should be.
    private static func wait(_ relay: Relay, _ isRight: (RelayCounters) -> Bool) async throws {
        try await eventually("the counters are right") { isRight(await relay.counters()) }
    }

    @Test("Beyond loopback an address has only so many connections; those of loopback are not counted")
    func perAddress() async throws {
        try await Self.run { parent in
            var settings = try Self.settings(parent, ["0.0.0.0:0", "127.0.0.1:0"])
            settings.clients = SiteTrie(compiling: try SiteDialect.noProxy.read("127.0.0.0/8", name: "test").list)
            settings.limits.clientsPerAddress = 2
            try await TestRelay.run(settings) { _, ports in
                var held = try (0..<2).map { _ in try RelayClient(port: ports[0]) }
                for client in held { #expect(try client.get("http://a.example/").status == 200) }
                for _ in 0..<3 {
                    #expect(try RelayClient(port: ports[0]).isTurnedAway())
                }
                let local = try (0..<5).map { _ in try RelayClient(port: ports[1]) }
                for client in local { #expect(try client.get("http://a.example/").status == 200) }
                held.removeLast()
                // The place is free a moment after the connection has ended: until then the next client is closed at once, too.
                try await eventually("the next client is served") {
                    (try? RelayClient(port: ports[0]).get("http://a.example/").status) == 200
                }
            }
        }
    }

    @Test("A handshake of TLS that does not end is ended, also if the client sends some of it")
    func handshake() async throws {
        try await Self.run { parent in
            let folder = TemporaryFolder.place("handshake")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let files = try MappedServer().write(to: folder)
            var settings = try Self.settings(parent, ["https://127.0.0.1:0"])
            settings.certificate = try ListenerCertificate(chain: files.certificate, key: files.key)
            settings.limits.tlsHandshake = .milliseconds(100)
            try await TestRelay.run(settings) { _, ports in
                // The first bytes of a ClientHello (RFC 8446 section 5.1).
                for bytes: [UInt8] in [[], [0x16, 3, 1, 1, 0, 1]] {
                    let stream = try ByteStream(port: ports[0])
                    try stream.send(bytes)
                    #expect(try RelayClient(stream).readToEnd().isEmpty)
                }
            }
        }
    }

    @Test("Blank lines in place of a request give no more time, whole or in halves", arguments: ["\r\n", "\r|\n"])
    func blankLines(text: String) async throws {
        try await Self.run { parent in
            var settings = try Self.settings(parent)
            settings.limits.idleClient = .milliseconds(100)
            settings.limits.head = .milliseconds(100)
            try await TestRelay.run(settings) { _, ports in
                let stream = try ByteStream(port: ports[0])
                try await eventually("the relay ends the connection") {
                    do { for part in text.split(separator: "|") { try stream.send(Array(part.utf8)) } } catch {
                        return true
                    }
                    return false
                }
            }
        }
    }

    @Test("A client that does not send the body of a refused request gets the response, and the end of the connection")
    func refusedBody() async throws {
        try await Self.run { parent in
            var settings = try Self.settings(parent)
            let options = ClientAuthenticationOptions(party: .proxy, realm: "relay", schemes: [.digestSHA256])
            settings.clientAccounts = ClientAccounts(options, directory: FixedDirectory([:]))
            settings.limits.dropping = .milliseconds(100)
            try await TestRelay.run(settings) { _, ports in
                for framing in ["Content-Length: 1000", "Transfer-Encoding: chunked"] {
                    let client = try RelayClient(port: ports[0])
                    try client.send("POST http://a.example/ HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
                    let response = try client.readResponse()
                    #expect(response.status == 407 && response.field("Connection") == "close")
                    #expect(try client.readToEnd().isEmpty)
                }
            }
        }
    }

    @Test(
        "Unfinished heads of all clients take only so much memory, and the rest is refused; it is free again with their ends"
    )
    func unfinishedHeads() async throws {
        try await Self.run { parent in
            var settings = try Self.settings(parent)
            settings.limits.unfinishedHeads = 1 << 20
            try await TestRelay.run(settings) { relay, ports in
                let part = "GET http://a.example/ HTTP/1.1\r\nHost: a\r\nX-A: \(String(repeating: "a", count: 60_000))"
                do {
                    // Each takes from 60,000 to 131,072 bytes, so at least 7 and at most 17 of them have room.
                    let clients = try (0..<24).map { _ in try RelayClient(port: ports[0]) }
                    for client in clients { try client.send(part) }
                    try await Self.wait(relay) { $0.refusals >= 7 }
                    // A head that comes at once needs no room.
                    let friendly = try RelayClient(port: ports[0])
                    #expect(try friendly.get("http://a.example/").status == 200)
                    let responses = try clients.map { client in
                        // One that was refused may be closed.
                        try? client.send("\r\n\r\n")
                        return try client.readResponse()
                    }
                    #expect((7...17).contains(responses.count { $0.status == 200 }))
                    #expect(responses.allSatisfy { $0.status == 200 || $0.status == 503 && $0.body.contains("heads") })
                }
                try await Self.wait(relay) { $0.clients == 0 }
                let client = try RelayClient(port: ports[0])
                try client.send(part)
                try client.send("\r\n\r\n")
                #expect(try client.readResponse().status == 200)
            }
        }
    }
}

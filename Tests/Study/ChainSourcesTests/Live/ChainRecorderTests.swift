import Corpora
import Foundation
import LiveServers
import SPKIPins
import TestSupport
import Testing

@testable import ChainSources

@Suite(.inTurn, .serialized) struct ChainRecorderTests {
    private static func endpoint(_ port: Int) -> RecordedEndpoint {
        RecordedEndpoint(host: "rotating.example", port: port)
    }

    /// - Parameter milliseconds: a limit that a busy machine does not reach, unless a test says less.
    private static func recorder(
        _ roots: [[UInt8]],
        port: Int = 0,
        milliseconds: Int64 = 600_000
    ) throws -> ChainRecorder {
        ChainRecorder(
            capture: try ChainCapture(milliseconds: milliseconds),
            validator: ChainValidator(roots: roots),
            addresses: [
                endpoint(port): "127.0.0.1", RecordedEndpoint(host: "other.example", port: port): "127.0.0.1",
            ]
        )
    }

    private static func now() -> Int64 { Int64(Date().timeIntervalSince1970) }

    @Test(
        "nginx rotates its keys, and the recording tells",
        .enabled(if: NginxServer.isInstalled, "needs nginx and openssl: .ci/install brings them")
    )
    func rotatingKeys() async throws {
        let server = try NginxServer()
        let endpoint = Self.endpoint(server.port)
        let recorder = try Self.recorder(server.root(), port: server.port)
        let folder = try TemporaryFolder("sources")
        var pins: [String] = []
        for keepingKey in [false, true, false] {
            try server.rotate(host: endpoint.host, keepingKey: keepingKey)
            pins.append(try server.pin("leaf"))
            // A new writer each time, as from cron.
            let results = await recorder.entries(for: [endpoint], now: Self.now)
            var writer = try ChainRecordingWriter(folder: folder.url)
            for result in results { try writer.add(result.get()) }
            try writer.commit()
        }
        let recording = try ChainRecording(folder: folder.url)
        #expect(recording.endpoints == [endpoint])
        #expect(recording.observations.count == 3)
        // Three leaves, and issuer and root once.
        #expect(recording.certificates.count == 5)
        #expect(recording.verifiedCertificates == 5)
        #expect(pins[0] == pins[1] && pins[1] != pins[2])
        let issuer = try server.pin("issuer")
        let anchor = try server.pin("root")
        for (observation, pin) in zip(recording.observations, pins) {
            func keys(_ chain: [Int32]?) -> [String] {
                (chain ?? []).map { recording.certificates[Int($0)].key.description }
            }
            let expected = [pin, issuer, anchor].map { "sha256/" + $0 }
            #expect(keys(recording.validatedChain(of: observation)) == expected)
            #expect(keys(recording.presentedChain(of: observation)) == Array(expected.prefix(2)))
            #expect(observation.label == .genuine && recording.note(of: observation).isEmpty)
        }
    }

    @Test(
        "A chain that does not validate is recorded as presented",
        .enabled(if: NginxServer.isInstalled, "needs nginx and openssl: .ci/install brings them")
    )
    func unvalidatedChains() async throws {
        let server = try NginxServer()
        let endpoint = Self.endpoint(server.port)
        try server.rotate(host: endpoint.host)
        let root = try server.root()
        let other = RecordedEndpoint(host: "other.example", port: server.port)
        // A certificate for another host, and an empty list of trusted roots.
        for (asked, roots) in [(other, root), (endpoint, [])] {
            let results = try await Self.recorder(roots, port: server.port).entries(for: [asked], now: Self.now)
            let entry = try #require(results.first).get()
            #expect(entry.validated == nil)
            #expect(entry.presented?.count == 2)
            #expect(entry.note?.hasPrefix("not validated: ") == true)
        }
    }

    /// What a server sends, whether it closes then, and what is said. The alerts are those of RFC 8446 6.2: 112 is
    /// unrecognized_name, 70 protocol_version, 80 internal_error.
    private static let strange: [(name: String, reply: String, closes: Bool, reason: String)] = [
        (
            "a reset", "reset", true,
            "the connection was lost (Connection reset by peer): check"
        ),
        ("SSH", "5353482d322e302d6e6f6e650d0a", false, "the server does not speak TLS: check the port"),
        ("HTTP", "485454502f312e3120343030204e6f0d0a0d0a", true, "the server does not speak TLS: check the port"),
        ("nothing", "", true, "the server closed the connection: check that the port speaks TLS"),
        ("half a message", "160303007a0200", true, "the server closed the connection: check that the port speaks TLS"),
        ("another name", "15030300020270", false, "the server has no certificate for this name ("),
        ("another version", "15030300020246", false, "the server speaks none of TLS 1.0 to 1.3 ("),
        ("trouble", "15030300020250", false, "the server refused it ("),
        ("no message", "160303000568656c6c6f", false, "the server's messages cannot be read ("),
    ]

    @Test(
        "A server that sends no data, and servers without TLS or with trouble: one line in plain words",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs python3")
    )
    func strangeServers() async throws {
        let folder = try TemporaryFolder("sources")
        let script = try folder.write(
            """
            import os, socket, sys, threading
            kept = []
            def serve(index, reply, closes):
                server = socket.create_server(("127.0.0.1", 0))
                place = sys.argv[1] + "/" + str(index)
                open(place + ".new", "w").write(str(server.getsockname()[1]))
                os.rename(place + ".new", place)
                while True:
                    client = server.accept()[0]
                    if closes is not None: client.recv(1 if reply == "reset" else 65536)
                    if reply == "reset":
                        # Bytes that were not read make the system send RST.
                        client.close()
                        continue
                    client.sendall(bytes.fromhex(reply))
                    if closes: client.shutdown(socket.SHUT_WR)
                    kept.append(client)
            servers = [("", None)] + [(line[1:], line[0] == "c") for line in sys.argv[2:]]
            for index, server in enumerate(servers):
                threading.Thread(target=serve, args=(index, *server)).start()
            sys.stdin.read()
            os._exit(0)
            """,
            "servers.py"
        )
        let lines = Self.strange.map { ($0.closes ? "c" : "k") + $0.reply }
        let servers = try HelperProcess(["/usr/bin/python3", script, folder.url.path] + lines)
        defer { withExtendedLifetime(servers) {} }
        func error(_ index: Int, limit: Int64) async throws -> CaptureError? {
            let file = folder.url.appending(path: "\(index)")
            let port = try await awaited("the port of server \(index)") {
                (try? String(contentsOf: file, encoding: .utf8)).flatMap { Int($0) }
            }
            let recorder = try Self.recorder([], milliseconds: limit)
            let results = await recorder.entries(for: [RecordedEndpoint(host: "127.0.0.1", port: port)], now: Self.now)
            guard case .failure(let error) = results.first else { return nil }
            return error
        }
        #expect(try await error(0, limit: 500) == .timedOut(milliseconds: 500))
        for (index, server) in Self.strange.enumerated() {
            let found = try #require(await error(index + 1, limit: 600_000), "\(server.name)")
            guard case .handshakeFailed(let reason) = found else {
                Issue.record("\(server.name): \(found)")
                continue
            }
            #expect(reason.hasPrefix(server.reason) && !reason.contains("Error"), "\(server.name): \(reason)")
        }
    }

    @Test("A closed port and a name that does not exist, in plain words") func noConnection() async throws {
        let closed = RecordedEndpoint(host: "127.0.0.1", port: try Int(ServerPort.take()))
        let unknown = RecordedEndpoint(host: "rotating.invalid", port: 443)
        let results = try await Self.recorder([]).entries(for: [closed, unknown], now: Self.now)
        var reasons: [String] = []
        for case .failure(.notConnected(let reason)) in results { reasons.append(reason) }
        // The first is the system's own word for ECONNREFUSED.
        #expect(reasons.count == 2 && reasons[0] == "Connection refused")
        #expect(reasons.last == "the name cannot be resolved: check its spelling, or give its address with --resolve")
    }
}

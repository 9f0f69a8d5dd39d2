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

    @Test func nobodyListens() async throws {
        let nobody = RecordedEndpoint(host: "127.0.0.1", port: try Int(ServerPort.take()))
        let results = try await Self.recorder([]).entries(for: [nobody], now: Self.now)
        guard case .failure(.notConnected(let reason)) = results.first else {
            Issue.record("\(results)")
            return
        }
        #expect(!reason.isEmpty && !reason.contains("\n"))
    }

    @Test(
        "A server that sends no data, and one without TLS",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs python3")
    )
    func strangeServers() async throws {
        let folder = try TemporaryFolder("sources")
        let script = try folder.write(
            """
            import socket, sys, threading
            def serve(reply, name):
                server = socket.create_server(("127.0.0.1", 0))
                open(sys.argv[1] + "/" + name, "w").write(str(server.getsockname()[1]) + "\\n")
                kept = []
                while True:
                    kept.append(server.accept()[0])
                    if reply: kept[-1].sendall(reply)
            threading.Thread(target=serve, args=(b"", "silent")).start()
            serve(b"SSH-2.0-none\\r\\n", "ssh")
            """,
            "servers.py"
        )
        let servers = try HelperProcess(silent: ["/usr/bin/python3", script, folder.url.path])
        defer { withExtendedLifetime(servers) {} }
        var errors: [CaptureError] = []
        for (name, limit) in [("silent", 500), ("ssh", 600_000)] as [(String, Int64)] {
            let file = folder.url.appending(path: name)
            let port = try await awaited("the port of the server \(name)") { () -> Int? in
                guard let text = try? String(contentsOf: file, encoding: .utf8), text.hasSuffix("\n") else {
                    return nil
                }
                return Int(text.dropLast())
            }
            let recorder = try Self.recorder([], milliseconds: limit)
            let results = await recorder.entries(for: [RecordedEndpoint(host: "127.0.0.1", port: port)], now: Self.now)
            if case .failure(let error) = results.first { errors.append(error) }
        }
        #expect(errors.first == .timedOut(milliseconds: 500))
        guard case .handshakeFailed = errors.last else {
            Issue.record("\(errors)")
            return
        }
    }
}

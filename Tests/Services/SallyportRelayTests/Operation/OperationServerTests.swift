import LiveServers
import Sallyport
import SallyportRelay
import Testing

/// `/metrics` and `/healthz`.
@Suite(.inTurn) struct OperationServerTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func run(_ relay: TestRelay, _ body: (UInt16) async throws -> Void) async throws {
        let server = OperationServer(of: relay.relay, at: try ListenAddress(parsing: "127.0.0.1:0"))
        let port = try #require(
            try await server.start().flatMap { text in UInt16("\(text)".split(separator: ":").last ?? "") }
        )
        try await body(port)
        await server.stop()
    }

    private static func get(_ path: String, _ port: UInt16) throws -> RelayClient.Response {
        try RelayClient(port: port).get(path)
    }

    @Test("The metrics are those of the relay, in the format of Prometheus, without a name of a server")
    func metrics() async throws {
        let parent = try await ScriptedServer { request in
            request.head.hasPrefix("CONNECT") ? .send("HTTP/1.1 200 Yes\r\n\r\n") : .send(Self.ok)
        }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            for _ in 0..<3 { _ = try client.get("http://secret.example/path") }
            try client.send("CONNECT secret.example:443 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readHead().status == 200)
            _ = try relay.connect().get("/not-a-proxy-request")
            try await Self.run(relay) { port in
                let response = try Self.get("/metrics", port)
                #expect(response.status == 200)
                #expect(response.field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
                let lines = response.body.split(separator: "\n").map(String.init)
                for expected in [
                    "sallyport_relay_requests_total 5", "sallyport_relay_tunnels_total 1",
                    "sallyport_relay_refusals_total 1", "sallyport_relay_refused_clients_total 0",
                    "sallyport_relay_tunnels 1", "sallyport_relay_bad_log_ons_total 0",
                    "sallyport_relay_parent_up{parent=\"1\"} 1", "sallyport_relay_response_seconds_count 4",
                    "sallyport_relay_response_seconds_bucket{le=\"+Inf\"} 4",
                ] {
                    #expect(lines.contains(expected), "\(expected)")
                }
                let sample = /[a-z_]+(\{[a-z]+="[^"]+"\})? [0-9]+(\.[0-9]+)?/
                for line in lines where !line.hasPrefix("# ") { #expect(line.wholeMatch(of: sample) != nil, "\(line)") }
                // Cumulative: no bucket has less than the one before.
                let buckets = lines.filter { $0.contains("_bucket") }.compactMap { Int($0.split(separator: " ")[1]) }
                #expect(buckets == buckets.sorted() && buckets.count == 16)
                #expect(!response.body.contains("secret"))
            }
        }
    }

    @Test("The relay is healthy while a parent can be reached")
    func health() async throws {
        let parent = try await ScriptedServer { _ in .close }
        let origin = parent.origin
        try await TestRelay.run(before: origin) { relay in
            try await Self.run(relay) { port in
                let good = try Self.get("/healthz", port)
                #expect(good.status == 200 && good.body == "ok\n")
                try await parent.stopForGood()
                _ = try relay.connect().get("http://a.example/")
                _ = try relay.connect().get("http://a.example/")
                let bad = try Self.get("/healthz", port)
                #expect(bad.status == 503 && bad.body == "no parent can be reached\n")
                await relay.relay.stop()
                #expect(try Self.get("/healthz", port).status == 503)
            }
        }
    }

    @Test("Other paths, methods and garbage are refused, and no other address than loopback is listened on")
    func refused() async throws {
        let parent = try await ScriptedServer { _ in .close }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            try await Self.run(relay) { port in
                #expect(try Self.get("/", port).status == 404)
                for (text, status) in [
                    ("POST /metrics HTTP/1.1\r\nHost: a\r\n\r\n", 405), ("garbage\r\n\r\n", 400), ("GET /\n\n", 400),
                ] {
                    let client = try RelayClient(port: port)
                    try client.send(text)
                    #expect(try client.readResponse().status == status)
                }
            }
            let address = try ListenAddress(parsing: "0.0.0.0:0")
            await #expect(throws: RelayError.notLoopback(address)) {
                try await OperationServer(of: relay.relay, at: address).start()
            }
        }
    }
}

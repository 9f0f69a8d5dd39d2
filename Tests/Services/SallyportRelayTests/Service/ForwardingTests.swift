import Hostnames
import LiveServers
import SallyportRelay
import Testing

/// What a parent that asks for nothing gets, and what the client gets back.
@Suite(.inTurn) struct ForwardingTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("A request arrives in absolute form, without the fields of its connection")
    func fields() async throws {
        let parent = try await ScriptedServer { _ in
            .send(
                "HTTP/1.1 200 Fine\r\nContent-Length: 2\r\nX-Kept: yes\r\nKeep-Alive: timeout=5\r\nConnection: X-Own\r\nX-Own: 1\r\nProxy-Authenticate: Basic realm=r\r\n\r\nok"
            )
        }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            let response = try client.get(
                "http://Wiki.Example:80/a%2Fb?c=d",
                [
                    "Proxy-Authorization: Basic c2VjcmV0", "Proxy-Connection: Keep-Alive, X-Hop",
                    "Connection: keep-alive, X-Hop",
                    "X-Hop: 1", "Via: 1.0 inner", "TE: trailers", "Accept: */*", "Authorization: Basic b3JpZ2lu",
                    "Upgrade: h2c", "HTTP2-Settings: AAA",
                ]
            )
            #expect(response.status == 200)
            #expect(response.body == "ok")
            #expect(response.field("X-Kept") == "yes")
            for name in ["Keep-Alive", "X-Own", "Connection", "Proxy-Authenticate"] {
                #expect(response.field(name) == nil)
            }
            #expect(response.field("Via")?.hasPrefix("1.1 sallyport-") == true)
        }
        let request = try #require(parent.requests.first)
        #expect(request.target == "http://wiki.example/a%2Fb?c=d")
        #expect(request.field("Host") == "wiki.example")
        #expect(request.field("Accept") == "*/*")
        #expect(request.field("Authorization") == "Basic b3JpZ2lu")
        #expect(request.field("Via")?.hasPrefix("1.1 sallyport-") == true)
        let gone = [
            "Proxy-Authorization", "Connection", "X-Hop", "TE", "Upgrade", "HTTP2-Settings",
        ]
        // The relay's own, because it does not know the parent yet.
        #expect(request.field("Proxy-Connection") == "keep-alive")
        for name in gone { #expect(request.field(name) == nil, "\(name)") }
    }

    @Test("An empty line before a request is skipped, also if it comes in two parts (RFC 9112 section 2.2)")
    func emptyLine() async throws {
        let parent = try await ScriptedServer { _ in .send(Self.ok) }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            try client.send("\r\n")
            #expect(try client.get("http://a.example/").body == "ok")
            try client.send("\r")
            // So that the relay reads it alone; if it does not, the test shows less, and does not fail.
            try await Task.sleep(for: .milliseconds(50))
            try client.send("\n")
            #expect(try client.get("http://a.example/").body == "ok")
        }
    }

    @Test("Requests of one client, also pipelined ones, use one connection to the parent")
    func pipelined() async throws {
        let parent = try await ScriptedServer { request in
            .send("HTTP/1.1 200 OK\r\nContent-Length: \(request.target.utf8.count)\r\n\r\n\(request.target)")
        }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            let urls = (0..<20).map { "http://a.example/\($0)" }
            try client.send(urls.map { "GET \($0) HTTP/1.1\r\nHost: a.example\r\n\r\n" }.joined())
            for url in urls {
                let response = try client.readResponse()
                #expect(response.body == url)
            }
            #expect(parent.connections == 1)
            let counters = await relay.relay.counters()
            #expect(counters.requests == 20)
            #expect(counters.openParentConnections == 1)
        }
    }

    @Test("Chunks and trailers pass in both directions as they are")
    func chunks() async throws {
        let chunks = "4;x=y\r\nwiki\r\n0\r\nX-Sum: 1\r\n\r\n"
        let parent = try await ScriptedServer { _ in
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            _ = try client.get("http://a.example/")
            try client.send(
                "POST http://a.example/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            )
            let response = try client.readResponse()
            #expect(response.body == chunks)
        }
        // Without its last chunk, which the server takes away.
        #expect(parent.requests.last?.body == "3\r\nabc\r\n")
        #expect(parent.requests.last?.field("Transfer-Encoding") == "chunked")
    }

    @Test("A client of HTTP/1.0 gets the data without chunks, and the end of the connection")
    func http10() async throws {
        let parent = try await ScriptedServer { _ in
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\n2\r\n!!\r\n0\r\nX: y\r\n\r\n")
        }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            try client.send("GET http://a.example/ HTTP/1.0\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.body == "wiki!!")
            #expect(response.field("Transfer-Encoding") == nil)
        }
        #expect(parent.requests.first?.head.contains("HTTP/1.1") == true)
    }

    @Test("A body that ends with its connection ends the client's connection")
    func untilClose() async throws {
        let parent = try await ScriptedServer { _ in .sendAndClose("HTTP/1.1 200 OK\r\n\r\nall of it") }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.body == "all of it")
            #expect(response.field("Connection") == "close")
        }
    }

    @Test(
        "A response that is cut off does not look complete",
        arguments: ["Content-Length: 100", "Transfer-Encoding: chunked"]
    )
    func truncated(framing: String) async throws {
        let parent = try await ScriptedServer { _ in .sendAndClose("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n9\r\npart") }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            #expect(throws: PeerFailure.self) { try client.get("http://a.example/") }
        }
    }

    @Test("The body waits for the origin's 100 Continue, which the client gets")
    func expectation() async throws {
        let parent = try await ScriptedServer { request in
            request.body.isEmpty ? .send("HTTP/1.1 100 Continue\r\n\r\n") : .send(Self.ok)
        }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            try client.send(
                "POST http://a.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
            )
            #expect(try client.readHead().status == 100)
            try client.send("hello")
            #expect(try client.readResponse().status == 200)
        }
        #expect(parent.requests.last?.body == "hello")
    }

    @Test("An answer before the body ends the client's connection")
    func early() async throws {
        let parent = try await ScriptedServer { _ in .send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n") }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            try client.send(
                "POST http://a.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
            )
            #expect(try client.readResponse().status == 413)
            #expect(try client.readToEnd().isEmpty)
        }
    }

    @Test("A request that comes back is refused, so that a relay before itself does not ask itself for ever")
    func loop() async throws {
        let parent = try await ScriptedServer { _ in .send(Self.ok) }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            _ = try relay.connect().get("http://a.example/")
            let via = try #require(parent.requests.first?.field("Via"))
            let response = try relay.connect().get("http://a.example/", ["Via: 1.1 other, \(via)"])
            #expect(response.status == 508)
        }
    }

    @Test("A client that closes its side after the request still gets the response")
    func halfClosed() async throws {
        let parent = try await ScriptedServer { _ in .send(Self.ok) }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            try client.send("GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n")
            client.stream.finish()
            let response = try client.readResponse()
            #expect(response.body == "ok")
            #expect(try client.readToEnd().isEmpty)
        }
    }

    @Test("A client that closes its side in the middle of its body is given up, whatever has come of it")
    func halfBody() async throws {
        // The body waits for the parent's word.
        let parent = try await ScriptedServer { _ in .hang }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            for framing in ["Content-Length: 5\r\n\r\nhel", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"] {
                let client = try relay.connect()
                try client.send("POST http://a.example/ HTTP/1.1\r\nHost: a\r\n\(framing)")
                client.stream.finish()
                #expect(try client.readToEnd().isEmpty)
            }
        }
    }

    @Test("Nothing listens at the parent: the client learns where and why")
    func unreachable() async throws {
        let origin = try Origin(parsing: "http://127.0.0.1:\(ServerPort.take())")
        try await TestRelay.run(before: origin) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502)
            #expect(response.body.hasPrefix("sallyport relay: \(origin): no connection: "))
        }
    }

    @Test("A request is sent again once if an idle connection was closed, and not if it may have had an effect")
    func closedIdle() async throws {
        let parent = try await ScriptedServer { $0.number == 0 ? .send(Self.ok) : .close }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            for _ in 0..<3 { #expect(try client.get("http://a.example/").status == 200) }
            #expect(parent.connections == 3)
            try client.send("POST http://a.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            #expect(try client.readResponse().status == 502)
        }
    }
}

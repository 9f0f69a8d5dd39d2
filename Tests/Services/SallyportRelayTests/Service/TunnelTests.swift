import Hostnames
import LiveServers
import NIOCore
import NIOPosix
import Sallyport
import SallyportRelay
import Synchronization
import Testing

/// Tunnels by CONNECT and by an upgrade to WebSocket.
@Suite(.inTurn) struct TunnelTests {
    @Test("Bytes that come with CONNECT, or with its response, are not lost")
    func earlyBytes() async throws {
        let parent = try await ScriptedServer { request in
            request.head.hasPrefix("CONNECT") ? .send("HTTP/1.1 200 Yes\r\n\r\nhello") : .send("pong")
        }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\nping\r\n\r\n")
            #expect(try client.readHead().status == 200)
            #expect(try client.stream.read(count: 9) == Array("hellopong".utf8))
            let counters = await relay.relay.counters()
            #expect(counters.tunnels == 1 && counters.openTunnels == 1)
        }
    }

    /// A server that speaks first, as those of SSH and SMTP do.
    private static func greeting() async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Greeting()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    private final class Greeting: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelActive(context: ChannelHandlerContext) {
            context.writeAndFlush(NIOAny(ByteBuffer(string: "SSH-2.0-greeting\r\n")), promise: nil)
        }
    }

    @Test(
        "What a server says before it is asked reaches the client, directly and through SOCKS",
        .needs(.python),
        arguments: [false, true]
    )
    func serverFirst(throughSOCKS: Bool) async throws {
        let server = try await Self.greeting()
        let port = server.localAddress?.port ?? 0
        let proxy = throughSOCKS ? try SOCKSServer("open") : nil
        let parent = try RelayParent(
            parsing: proxy.map { "socks5://127.0.0.1:\($0.port)" } ?? "http://parent.invalid:1"
        )
        let host = throughSOCKS ? "no-such.invalid" : "127.0.0.1"
        var destinations = try TestRelay.loopback()
        destinations.direct = destinations.allowed
        try await TestRelay.run(before: [parent], destinations: destinations) { relay in
            for _ in 0..<32 {
                let client = try relay.connect()
                try client.send("CONNECT \(host):\(port) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.readHead().status == 200)
                #expect(try client.stream.readLine() == "SSH-2.0-greeting\r")
            }
        }
        try await server.close()
    }

    @Test("A parent that opens no tunnel is heard, and the connection of the client ends")
    func refused() async throws {
        let parent = try await ScriptedServer { _ in .send("HTTP/1.1 403 No\r\nContent-Length: 4\r\n\r\nnope") }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 403 && response.body == "nope")
            #expect(try client.readToEnd().isEmpty)
        }
    }

    @Test("Each side may close its half first, and still gets what the other one sends", arguments: [true, false])
    func halfClosed(clientIsFirst: Bool) async throws {
        let parent = try await HalfClosingParent(waitsForEnd: clientIsFirst)
        try await TestRelay.run(before: try Origin(parsing: "http://127.0.0.1:\(parent.port)")) { relay in
            let client = try relay.connect()
            try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readHead().status == 200)
            if clientIsFirst {
                try client.send("last words")
                client.stream.finish()
                #expect(try client.readToEnd() == Array("answer".utf8))
            } else {
                #expect(try client.readToEnd() == Array("answer".utf8))
                try client.send("last words")
                client.stream.finish()
            }
            try await eventually("the parent has the last words") { parent.received == "last words" }
            try await eventually("the tunnel is closed") { await relay.relay.counters().openTunnels == 0 }
        }
        parent.stop()
    }

    @Test("WebSocket passes; without the parent's consent the response is an ordinary one")
    func webSocket() async throws {
        let parent = try await ScriptedServer { request in
            if request.head.hasPrefix("frame") { return .send("echo") }
            guard request.target.hasSuffix("/chat"), request.field("Upgrade") == "websocket",
                request.field("Connection") == "Upgrade",
                request.field("Sec-WebSocket-Key") == "dGhlIHNhbXBsZSBub25jZQ=="
            else { return .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno") }
            return .send(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n"
            )
        }
        defer { parent.stop() }
        let fields = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            #expect(try client.get("http://a.example/other", fields).body == "no")
            let lines = ["GET http://a.example/chat HTTP/1.1", "Host: a.example"] + fields
            try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
            let head = try client.readHead()
            #expect(head.status == 101)
            #expect(head.fields.contains("Sec-WebSocket-Accept: x") && head.fields.contains("Upgrade: websocket"))
            for _ in 0..<3 {
                try client.send("frame\r\n\r\n")
                #expect(try client.stream.read(count: 4) == Array("echo".utf8))
            }
        }
    }

    @Test("A status 101 that the request did not ask for is an error that says so, and no tunnel")
    func switchedUnasked() async throws {
        let parent = try await ScriptedServer { _ in
            .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
        }
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            // The second asks for a protocol that the relay does not pass on.
            for fields in [[], ["Connection: Upgrade", "Upgrade: h2c"]] {
                let response = try relay.connect().get("http://a.example/", fields)
                let words = "\(parent.origin): it switches to another protocol (status 101), which the request"
                #expect(response.status == 502 && response.body.contains(words), "\(response.body)")
            }
            #expect(await relay.relay.counters().openTunnels == 0)
        }
    }

    @Test("A parent and a destination of IPv6")
    func ipv6() async throws {
        let parent = try await ScriptedServer(host: "::1") { request in
            .send("HTTP/1.1 200 OK\r\nContent-Length: \(request.target.utf8.count)\r\n\r\n\(request.target)")
        }
        defer { parent.stop() }
        #expect(parent.origin.description.hasPrefix("http://[::1]:"))
        try await TestRelay.run(before: parent.origin) { relay in
            let response = try relay.connect().get("http://[2001:DB8::1]:8080/x")
            #expect(response.body == "http://[2001:db8::1]:8080/x")
        }
        #expect(parent.requests.first?.field("Host") == "[2001:db8::1]:8080")
    }
}

/// A parent whose tunnels end half by half: it sends "answer" and closes its half at once, or after the client has closed its own.
private final class HalfClosingParent: Sendable {
    private let channel: any Channel
    private let bytes = Received()

    init(waitsForEnd: Bool) async throws {
        let bytes = bytes
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(HalfClosing(bytes, waitsForEnd))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { channel.localAddress?.port ?? 0 }
    var received: String { bytes.text.withLock { $0 } }

    func stop() { channel.close(promise: nil) }

    final class Received: Sendable {
        let text = Mutex("")
    }

    private final class HalfClosing: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let received: Received
        private let waitsForEnd: Bool
        private var isOpen = false

        init(_ received: Received, _ waitsForEnd: Bool) { (self.received, self.waitsForEnd) = (received, waitsForEnd) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let text = String(buffer: unwrapInboundIn(data))
            guard isOpen else {
                isOpen = true
                context.writeAndFlush(NIOAny(ByteBuffer(string: "HTTP/1.1 200 Yes\r\n\r\n")), promise: nil)
                if !waitsForEnd { answer(context) }
                return
            }
            received.text.withLock { $0 += text }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard case ChannelEvent.inputClosed? = event as? ChannelEvent else { return }
            if waitsForEnd { answer(context) } else { context.close(promise: nil) }
        }

        private func answer(_ context: ChannelHandlerContext) {
            context.writeAndFlush(NIOAny(ByteBuffer(string: "answer")), promise: nil)
            context.close(mode: .output, promise: nil)
        }
    }
}

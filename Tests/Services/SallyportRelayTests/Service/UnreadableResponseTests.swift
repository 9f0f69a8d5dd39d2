import Foundation
import Hostnames
import LiveServers
import NIOCore
import NIOPosix
import Sallyport
import Synchronization
import Testing

@testable import SallyportRelay

/// Responses that nobody can read, and those that a recipient may mend.
@Suite(.inTurn) struct UnreadableResponseTests {
    private static let asks = "HTTP/1.1 407 No\r\nContent-Length: 0\r\nProxy-Authenticate: Basic realm=x\r\n\r\n"

    /// A parent that asks for Basic, and then sends the bytes to `/bad` and a good response to the rest.
    private static func parent(_ bytes: String) async throws -> ScriptedServer {
        try await ScriptedServer { request in
            guard request.field("Proxy-Authorization") != nil else { return .send(asks) }
            return request.target.hasSuffix("/bad")
                ? .sendAndClose(bytes) : .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
    }

    @Test(
        "The password counts as taken, so the next requests do not wait",
        arguments: [
            "HTTP/1.1 200 OK\r\nX\r\n\r\nok", "HTTP/1.1 404 No\r\nX: \u{0}\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok",
            "HTTP/1.1 302 Found\r\n: x\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: br\r\n\r\n",
        ]
    )
    func password(bytes: String) async throws {
        let parent = try await Self.parent(bytes)
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin, TestRelay.handler(parent.origin, .basic)) { relay in
            // Three that got no response at all would silence the relay.
            for _ in 0..<4 { #expect(try relay.connect().get("http://a.example/bad").status == 502) }
            let response = try relay.connect().get("http://a.example/good")
            #expect(response.status == 200, "\(response.body)")
        }
    }

    /// Responses without a final status that can be read.
    private static let noStatus = [
        "HTTP/1.1 2OO OK\r\nContent-Length: 3\r\n\r\nok\n", "<html>hi</html>", "ICY 200 OK\r\n\r\nok\n",
        "HTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n", "HTTP/2 200\r\nContent-Length: 3\r\n\r\nok\n",
        "\u{0}\u{1}\u{2}", "HTTP/1.1 20", "HTTP/1.1 100 Continue\r\nX\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 40",
        String(repeating: "HTTP/1.1 103 Hints\r\n\r\n", count: 17),
    ]

    @Test("Without a final status the password counts as one that got no response: two go out", arguments: noStatus)
    func password(withoutStatus bytes: String) async throws {
        let parent = try await Self.parent(bytes)
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .basic, clock: ManualClock())
        try await TestRelay.run(before: parent.origin, handler) { relay in
            for status in [502, 502, 503, 503] {
                let client = try relay.connect()
                try client.send("GET http://a.example/bad HTTP/1.1\r\nHost: a\r\n\r\n")
                client.stream.finish()
                let text = try String(decoding: client.readToEnd(), as: UTF8.self)
                #expect(text.contains("HTTP/1.1 \(status) "), "\(text)")
            }
            #expect(await relay.relay.counters().badLogOns == 0)
        }
        #expect(parent.requests.count { $0.field("Proxy-Authorization") != nil } == 2)
    }

    @Test(
        "A 407 that cannot be read refuses the password, also one that was accepted before: it goes out once more",
        arguments: [
            "HTTP/1.1 407 No\r\nBad Name: x\r\n\r\n", "HTTP/1.1 407 No\r\nTransfer-Encoding: foo\r\n\r\n",
            "HTTP/1.1 407 No\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "HTTP/1.1 407 No\r\nX: " + String(repeating: "x", count: 70_000), "HTTP/1.1 407 No\r\nProxy-Auth",
        ]
    )
    func unreadableRefusal(bytes: String) async throws {
        let isChanged = Mutex(false)
        let parent = try await ScriptedServer { request in
            guard request.field("Proxy-Authorization") != nil else { return .send(Self.asks) }
            return isChanged.withLock { $0 }
                ? .sendAndClose(bytes) : .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .basic, clock: ManualClock())
        try await TestRelay.run(before: parent.origin, handler) { relay in
            let first = try relay.connect().get("http://a.example/")
            #expect(first.status == 200)
            isChanged.withLock { $0 = true }
            let accepted = parent.requests.count { $0.field("Proxy-Authorization") != nil }
            for _ in 0..<6 {
                let response = try relay.connect().get("http://a.example/")
                #expect(response.status == 502)
            }
            #expect(parent.requests.count { $0.field("Proxy-Authorization") != nil } == accepted + 1)
        }
    }

    @Test("Of 24 such requests and 8 good ones at once each good one gets its response") func together() async throws {
        let parent = try await Self.parent("HTTP/1.1 200 OK\r\nX\r\n\r\n")
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin, TestRelay.handler(parent.origin, .basic)) { relay in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<32 {
                    group.addTask {
                        try relay.connect().get("http://a.example/\(number)\(number < 24 ? "/bad" : "")").status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 8 && statuses.filter { $0 == 502 }.count == 24)
        }
    }

    @Test("A body that is malformed in the same read as its head is 502, and no reset") func sameRead() async throws {
        let bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno size"
        let parent = try await Self.parent(bytes)
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin, TestRelay.handler(parent.origin, .basic)) { relay in
            let response = try relay.connect().get("http://a.example/bad")
            #expect(response.status == 502 && response.body.contains("chunk"))
        }
    }

    @Test(
        "Chunks before a malformed one reach the client, however they come, and the response ends as cut",
        arguments: ["no size", "5 5\r\nhello\r\n", "2\r\nokay", "0\r\nX Y: z\r\n\r\n", "2;\u{0}\r\nok\r\n"],
        [true, false]
    )
    func beforeMalformed(rest: String, isInOneRead: Bool) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let parent = try await PiecewiseParent(
            isInOneRead ? [head + "5\r\nhello\r\n" + rest] : [head, "5\r\nhello\r\n"] + rest.map { "\($0)" }
        )
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin) { relay in
            let client = try relay.connect()
            try client.send("GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n")
            let text = String(decoding: try client.readToEnd(), as: UTF8.self)
            let begin = "HTTP/1.1 200 OK\r\n"
            #expect(text.hasPrefix(begin) && text.contains("\r\n\r\n5\r\nhello\r\n"), "\(text)")
            #expect(!text.hasSuffix("0\r\n\r\n"))
            // HTTP/1.0 knows no chunks: its client gets the data.
            let old = try relay.connect()
            try old.send("GET http://a.example/ HTTP/1.0\r\nHost: a\r\n\r\n")
            #expect(String(decoding: try old.readToEnd(), as: UTF8.self).contains("\r\n\r\nhello"))
        }
    }

    /// Sends a response in pieces, each when the system has taken the one before.
    private final class PiecewiseParent: Sendable {
        let origin: Origin
        private let listener: any Channel

        init(_ pieces: [String]) async throws {
            listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Pieces(pieces))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            origin = try Origin(parsing: "http://127.0.0.1:\(listener.localAddress?.port ?? 0)")
        }

        func stop() { listener.close(promise: nil) }

        private final class Pieces: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer

            private let pieces: [String]

            init(_ pieces: [String]) { self.pieces = pieces }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) { send(pieces[...], context) }

            private func send(_ pieces: ArraySlice<String>, _ context: ChannelHandlerContext) {
                guard let piece = pieces.first else { return }
                let next = NIOLoopBound((self, context), eventLoop: context.eventLoop)
                context.writeAndFlush(NIOAny(ByteBuffer(string: piece))).whenSuccess {
                    // In a later turn, so that the other side may have read.
                    next.value.1.eventLoop.execute { next.value.0.send(pieces.dropFirst(), next.value.1) }
                }
            }
        }
    }

    @Test("What is mended reaches the client in the strict form") func strictForm() async throws {
        let bytes =
            "HTTP/1.1 200 OK\nX-A : b\r\nX-B: c\r\n d\r\nTransfer-Encoding\t: chunked\r\n\r\n2 \t;x=y\nok\r\n1\t\r\n!\n0 \r\nX-C: e\n\n"
        let parent = try await Self.parent(bytes)
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin, TestRelay.handler(parent.origin, .basic)) { relay in
            let client = try relay.connect()
            try client.send("GET http://a.example/bad HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let text = String(decoding: try client.readToEnd(), as: UTF8.self)
            let (head, body) = (text.prefix(upTo: text.range(of: "\r\n\r\n")?.lowerBound ?? text.endIndex), text)
            #expect(head.contains("\r\nX-A: b") && head.contains("\r\nX-B: c d"))
            #expect(body.hasSuffix("\r\n\r\n2;x=y\r\nok\r\n1\r\n!\r\n0\r\nX-C: e\r\n\r\n"))
        }
    }

    @Test("Bytes on a connection that waits for its next request end it, and answer no request") func unasked()
        async throws
    {
        let parent = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { parent.stop() }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await TestRelay.run(before: parent.origin, group: group) { relay in
            let client = try relay.connect()
            #expect(try client.get("http://a.example/1").body == "ok")
            try await parent.push("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
            // Each call is a turn of the relay's only thread. The first may have begun before the bytes came; the second reads them first.
            for _ in 0..<2 { _ = await relay.relay.counters() }
            #expect(try client.get("http://a.example/2").body == "ok")
        }
        #expect(parent.connections == 2)
        try await group.shutdownGracefully()
    }
}

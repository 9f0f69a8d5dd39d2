internal import Foundation
package import Hostnames
internal import NIOConcurrencyHelpers
package import NIOCore
internal import NIOPosix
package import NIOSSL

/// A server on loopback whose responses a test writes byte by byte.
package final class ScriptedServer: Sendable {
    /// A request as it arrived.
    package struct Request: Sendable {
        /// Counts from 0.
        package let connection: Int
        /// Counts the requests of its connection from 0.
        package let number: Int
        package let head: String
        package let body: String

        package var target: String { String(head.split(separator: " ", maxSplits: 2)[1]) }

        /// The value of a field, or `nil`.
        package func field(_ name: String) -> String? {
            head.split(separator: "\r\n").dropFirst()
                .first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.drop { $0 != ":" }.dropFirst().trimmingPrefix(while: { $0 == " " }) }.map(String.init)
        }
    }

    /// What the server does with a request.
    package enum Reply: Sendable {
        case send(String)
        case sendAndClose(String)
        case close
        /// Ends the connection with a reset.
        case reset
        case hang
        /// Sends, and reads nothing more.
        case sendAndStopReading(String)
        /// Sends a head, then bytes for as long as the client reads.
        case pour(String)
    }

    package let origin: Origin
    private let channel: any Channel
    private let state = NIOLockedValueBox(State())

    private struct State {
        package var connections = 0
        package var closed = 0
        package var requests: [Request] = []
        package var poured = 0
        /// Those that are open, by their number.
        var open: [Int: any Channel] = [:]
    }

    /// - Parameters:
    ///   - context: the context of an https server on `localhost`; `nil` for http.
    ///   - host: an address of loopback.
    ///   - port: `nil` for one of ``ServerPort``. The system would give one that a client of another test may still know.
    ///   - group: where the server runs; a reply that blocks needs a thread of its own.
    ///   - judgesHeads: whether a head is judged alone also if its sender does not say that its body waits for the word.
    package init(
        tls context: NIOSSLContext? = nil,
        host: String = "127.0.0.1",
        port: Int? = nil,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        judgesHeads: Bool = false,
        _ reply: @escaping @Sendable (Request) -> Reply
    ) async throws {
        let state = state
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let number = state.withLockedValue { state in
                        state.open[state.connections] = channel
                        state.connections += 1
                        return state.connections - 1
                    }
                    channel.closeFuture.whenComplete { _ in
                        state.withLockedValue { state in
                            state.open[number] = nil
                            state.closed += 1
                        }
                    }
                    let conversation = Conversation(number, judgesHeads: judgesHeads, reply) { request in
                        state.withLockedValue { $0.requests.append(request) }
                    } poured: { count in
                        state.withLockedValue { $0.poured += count }
                    }
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(conversation)
                }
            }
            .bind(host: host, port: port ?? Int(ServerPort.take())).get()
        let port = channel.localAddress?.port ?? 0
        origin = try Origin(
            parsing: context == nil
                ? "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" : "https://localhost:\(port)"
        )
    }

    /// Stops listening. Connections that were accepted stay open.
    package func stop() { try? channel.close().wait() }

    /// Stops listening, and waits until connections are refused.
    package func stopForGood() async throws {
        stop()
        try await ServerPort.waitUntilClosed(origin.port)
    }

    /// Sends bytes that no request asked for on each open connection, and returns when the system has them.
    package func push(_ text: String) async throws {
        for channel in state.withLockedValue({ Array($0.open.values) }) {
            try await channel.writeAndFlush(ByteBuffer(string: text))
        }
    }

    /// Sends what a request that hangs has waited for on its connection.
    package func release(_ connection: Int, with text: String) async throws {
        try await state.withLockedValue { $0.open[connection] }?.writeAndFlush(ByteBuffer(string: text))
    }

    package var requests: [Request] { state.withLockedValue { $0.requests } }
    package var connections: Int { state.withLockedValue { $0.connections } }
    package var closed: Int { state.withLockedValue { $0.closed } }
    /// How many bytes ``Reply/pour(_:)`` could write.
    package var poured: Int { state.withLockedValue { $0.poured } }
}

/// One connection of a ``ScriptedServer``.
private final class Conversation: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: Int
    private let judgesHeads: Bool
    private let reply: @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply
    private let received: @Sendable (ScriptedServer.Request) -> Void
    private let poured: @Sendable (Int) -> Void
    private var text = ""
    private var number = 0

    init(
        _ connection: Int,
        judgesHeads: Bool,
        _ reply: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply,
        received: @escaping @Sendable (ScriptedServer.Request) -> Void,
        poured: @escaping @Sendable (Int) -> Void
    ) {
        (self.connection, self.judgesHeads) = (connection, judgesHeads)
        (self.reply, self.received, self.poured) = (reply, received, poured)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        text += String(buffer: unwrapInboundIn(data))
        while let request = takeRequest(context) {
            received(request)
            switch reply(request) {
            case .send(let response): context.writeAndFlush(NIOAny(ByteBuffer(string: response)), promise: nil)
            case .sendAndClose(let response): sendAndClose(response, context)
            case .close: context.close(promise: nil)
            case .reset: reset(context)
            case .hang: break
            case .sendAndStopReading(let response): stopReading(after: response, context)
            case .pour(let head):
                context.writeAndFlush(NIOAny(ByteBuffer(string: head)), promise: nil)
                pour(context)
            }
        }
    }

    /// Removes the first whole request; `nil` if there is none yet.
    private func takeRequest(_ context: ChannelHandlerContext) -> ScriptedServer.Request? {
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = String(text[..<end.lowerBound])
        let lines = head.lowercased()
        var rest = String(text[end.upperBound...])
        var body = ""
        if lines.contains("transfer-encoding: chunked") {
            guard let last = Self.lastChunk(of: rest) else { return askForMore(lines, context) }
            body = String(rest[..<last.lowerBound])
            rest = String(rest[last.upperBound...])
        } else if let length = lines.split(separator: "\r\n").first(where: { $0.hasPrefix("content-length: ") })
            .flatMap({ Int($0.dropFirst(16)) })
        {
            guard rest.utf8.count >= length else { return askForMore(lines, context) }
            body = String(rest.prefix(length))
            rest = String(rest.dropFirst(length))
        }
        text = rest
        hasAsked = false
        defer { number += 1 }
        return ScriptedServer.Request(connection: connection, number: number, head: head, body: body)
    }

    /// The last chunk with its trailers; `nil` if it has not come.
    private static func lastChunk(of text: String) -> Range<String.Index>? {
        var start = text.startIndex
        while let end = text.range(of: "\r\n", range: start..<text.endIndex),
            let size = Int(text[start..<end.lowerBound].prefix { $0 != ";" }, radix: 16)
        {
            if size == 0 {
                if text[end.upperBound...].hasPrefix("\r\n") {
                    return start..<text.index(end.upperBound, offsetBy: 1)
                }
                return text.range(of: "\r\n\r\n", range: end.lowerBound..<text.endIndex).map { start..<$0.upperBound }
            }
            // One character more: the line end after the data, which is one in Swift.
            guard let next = text.index(end.upperBound, offsetBy: size + 1, limitedBy: text.endIndex) else {
                return nil
            }
            start = next
        }
        return nil
    }

    /// A request that waits for the word is judged by its head alone: the reply may be `100 Continue`.
    private var hasAsked = false

    private func askForMore(_ lines: String, _ context: ChannelHandlerContext) -> ScriptedServer.Request? {
        guard judgesHeads || lines.contains("expect: 100-continue"), !hasAsked else { return nil }
        hasAsked = true
        let head = String(text.prefix { _ in true }.split(separator: "\r\n\r\n")[0])
        let request = ScriptedServer.Request(connection: connection, number: number, head: head, body: "")
        switch reply(request) {
        case .send(let response):
            if !response.hasPrefix("HTTP/1.1 100") { received(request) }
            context.writeAndFlush(NIOAny(ByteBuffer(string: response)), promise: nil)
        case .sendAndClose(let response):
            received(request)
            sendAndClose(response, context)
        case .close: context.close(promise: nil)
        case .reset: reset(context)
        case .sendAndStopReading(let response): stopReading(after: response, context)
        case .hang, .pour: break
        }
        return nil
    }

    /// Sends the response and the end of the connection in one packet, so that the other side hears of both at once also on a busy machine.
    private func sendAndClose(_ response: String, _ context: ChannelHandlerContext) {
        #if os(Linux)
            let options = context.channel.syncOptions
            try? options?.setOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_CORK)), value: 1)
        #endif
        context.writeAndFlush(NIOAny(ByteBuffer(string: response)), promise: nil)
        context.close(promise: nil)
    }

    private func stopReading(after response: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(NIOAny(ByteBuffer(string: response)), promise: nil)
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    }

    /// Without a linger, closing resets.
    private func reset(_ context: ChannelHandlerContext) {
        _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        context.close(promise: nil)
    }

    private func pour(_ context: ChannelHandlerContext) {
        let part = ByteBuffer(repeating: 0x61, count: 1 << 16)
        let written = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(NIOAny(part)).whenSuccess { [poured] in
            poured(1 << 16)
            written.value.0.pour(written.value.1)
        }
    }
}

extension Substring {
    fileprivate func trimmingPrefix(while isTrimmed: (Character) -> Bool) -> Substring { drop(while: isTrimmed) }
}

import Foundation
import Hostnames
import LiveServers
import Synchronization

/// A server that does what a row says, and tells what it saw.
final class RowServer: Sendable {
    private let server: ScriptedServer
    private let script: Script

    /// Gives the replies of a row in turn.
    private final class Script: Sendable {
        let replies: [RowReply]
        let next = Mutex(0)
        /// The reply that is held, and its connection.
        let held = Mutex<(connection: Int, reply: RowReply)?>(nil)
        let hung = AsyncStream.makeStream(of: Void.self)

        init(_ replies: [RowReply]) { self.replies = replies }

        func reply(to request: ScriptedServer.Request) -> ScriptedServer.Reply {
            next.withLock { next in
                guard next < replies.count else { return .send("HTTP/1.1 500 Unexpected\r\nContent-Length: 0\r\n\r\n") }
                let reply = replies[next]
                // A head that waits gets 100 Continue, which is not one of the replies of the row.
                if request.isHeadAlone, !reply.isEarly {
                    return reply.isSilent ? .hang : .send("HTTP/1.1 100 Continue\r\n\r\n")
                }
                next += 1
                if reply.isHeld { held.withLock { $0 = (request.connection, reply) } }
                let reaction = reply.isHeld ? .hang : reply.reply
                if case .hang = reaction { hung.continuation.yield() }
                return reaction
            }
        }
    }

    init(_ replies: [RowReply]) async throws {
        let script = Script(replies)
        self.script = script
        // A body may wait also where the server does not know the expectation. No host waits for its limit of time here.
        let knowsNoExpectation = replies.contains(where: \.refusesExpectation)
        server = try await ScriptedServer(judgesHeads: knowsNoExpectation) { script.reply(to: $0) }
    }

    var origin: Origin { server.origin }

    /// Waits until the server hangs, or until the request has ended without that: then the row says something else than its server.
    func hangs<Reply: Sendable>(during sending: Task<Reply, any Error>) async {
        let end = Task {
            _ = await sending.result
            if !Task.isCancelled { script.hung.continuation.yield() }
        }
        defer { end.cancel() }
        for await _ in script.hung.stream { return }
    }

    /// Gives the reply that is held.
    func release() async throws {
        guard let (connection, held) = script.held.withLock({ $0.take() }) else { return }
        if case .send(let text) = held.reply { try await server.release(connection, with: text) }
    }

    func stop() { server.stop() }

    /// How many replies of the row were not asked for.
    var unusedReplies: Int { script.next.withLock { script.replies.count - $0 } }

    /// Each request: connection, method, answers, and the bytes of the body.
    ///
    /// - Parameter expected: where it says `?`, any connection will do, but the same at each `?`.
    func wire(_ route: ConformanceRow.Route, like expected: [String]) -> [String] {
        let requests = server.requests
        let any = zip(requests, expected).first { $1.hasPrefix("?") }?.0.connection
        return requests.enumerated().map { index, request in
            let method = request.head.prefix { $0 != " " }
            let (origin, proxy) = (
                Answer.name(request.field("Authorization")), Answer.name(request.field("Proxy-Authorization"))
            )
            let answers =
                switch route {
                case .origin: origin
                case .tunnel: proxy
                case .proxy: "\(proxy)/\(origin)"
                }
            let count = request.dataCount
            let isAny = index < expected.count && expected[index].hasPrefix("?") && request.connection == any
            let connection = isAny ? "?" : "\(request.connection)"
            return "\(connection) \(method) \(answers)" + (count > 0 ? " \(count)" : "")
        }
    }
}

/// A short name for what a field answers.
private enum Answer {
    static func name(_ value: String?) -> String {
        guard let value else { return "-" }
        let parts = value.split(separator: " ", maxSplits: 1)
        // The token is part of the table.
        if parts.count == 2, parts[0].lowercased() == "bearer" { return "bearer-\(parts[1])" }
        guard parts.count == 2, parts[0].lowercased() == "ntlm", let message = Data(base64Encoded: String(parts[1])),
            message.count > 8
        else { return parts.first?.lowercased() ?? "" }
        return "ntlm-\(message[8])"
    }
}

extension ScriptedServer.Request {
    /// Whether only the head has come of a request that has a body.
    fileprivate var isHeadAlone: Bool {
        body.isEmpty && (field("Transfer-Encoding") != nil || field("Content-Length") ?? "0" != "0")
    }

    /// The bytes of the body, without the lines of its chunks.
    fileprivate var dataCount: Int {
        guard field("Transfer-Encoding") != nil else { return body.utf8.count }
        var (count, rest) = (0, body[...])
        while let end = rest.range(of: "\r\n"), let size = Int(rest[..<end.lowerBound], radix: 16), size > 0 {
            count += size
            rest = rest[end.upperBound...].dropFirst(size + 1)
        }
        return count
    }
}

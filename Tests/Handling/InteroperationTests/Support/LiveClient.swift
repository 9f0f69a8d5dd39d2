import HTTPTypes
import Hostnames
import LiveServers
import Sallyport

/// A client of HTTP/1.1 on loopback: `RequestAuthentication` says what it sends, and on which connection.
///
/// It resolves every name to 127.0.0.1. Call it under ``ThreadPerJob``, because its sockets block.
final class LiveClient: Sendable {
    /// What came of a request.
    struct Reply: Equatable, Sendable {
        let status: Int
        let outcome: RequestOutcome
        /// The number of requests that were sent for it.
        let sends: Int
    }

    let handler: ChallengeHandler
    /// Whether connections are kept for later requests.
    private let keepsConnections: Bool
    private let pool = LivePool()

    init(_ handler: ChallengeHandler, keepsConnections: Bool = true) {
        self.handler = handler
        self.keepsConnections = keepsConnections
    }

    /// Closes the connections that no request uses.
    func closeConnections() { pool.close() }

    /// Sends one request to its end; once more from the start if a handshake loses its connection.
    func send(_ request: LiveRequest) async throws -> Reply {
        do { return try await sendOnce(request) } catch LostConnection.inHandshake {
            return try await sendOnce(request)
        }
    }

    private enum LostConnection: Error { case inHandshake }

    private func sendOnce(_ request: LiveRequest) async throws -> Reply {
        let key = handler.poolKey(for: request.outgoing.origin, path: request.path, through: request.proxy)
        var authentication = handler.authentication(of: request.outgoing, by: request.route)
        var connection: LiveConnection?
        var status = 0
        var sends = 0
        var step = authentication.begin()
        while true {
            switch step {
            case .send(let sending):
                sends += 1
                let (response, used) = try exchange(request, sending, on: connection, key)
                status = response.status
                connection = response.isLast ? nil : used
                step = authentication.received(status: status, fields: response.fields, on: used.traits)
            case .wait(let turn):
                // The request keeps its connection: another one of the pool may be authenticated already, and mod_auth_gssapi
                // takes no NEGOTIATE there.
                try await turn.ready()
                step = authentication.resume()
            case .needs(let need): throw PeerFailure(what: "\(need) is not for a password")
            case .deliver(let outcome):
                let isOpenTunnel = request.isTunnel && status == 200
                if let connection, keepsConnections, !isOpenTunnel { pool.put(connection, key) }
                return Reply(status: status, outcome: outcome, sends: sends)
            }
        }
    }

    /// Sends requests: one after another on one connection, or all at once.
    ///
    /// - Returns: the replies in the order of the requests.
    func send(_ requests: [LiveRequest], atOnce: Bool) async throws -> [Reply] {
        guard atOnce else {
            var replies: [Reply] = []
            for request in requests { replies.append(try await send(request)) }
            return replies
        }
        return try await withThrowingTaskGroup(of: (Int, Reply).self) { group in
            for (index, request) in requests.enumerated() { group.addTask { (index, try await self.send(request)) } }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Sends one message and reads its response.
    private func exchange(
        _ request: LiveRequest,
        _ sending: RequestSending,
        on last: LiveConnection?,
        _ key: PoolKey
    ) throws -> (LoopbackConnection.Response, LiveConnection) {
        func send(_ connection: LiveConnection) throws -> LoopbackConnection.Response {
            defer { connection.use() }
            return try connection.socket.request(
                request.method,
                request.target,
                host: request.host,
                fields: sending.fields,
                body: request.body(sending.body)
            )
        }
        switch sending.connection {
        case .same:
            guard let last, let response = try? send(last) else { throw LostConnection.inHandshake }
            return (response, last)
        case .new: break
        case .any:
            guard let kept = last ?? pool.take(key) else { break }
            // A server may close a kept connection while a request is on its way to it.
            if let response = try? send(kept) { return (response, kept) }
        }
        let new = try LiveConnection(port: request.port)
        return (try send(new), new)
    }
}

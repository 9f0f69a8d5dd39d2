internal import HTTP1
internal import HTTPTypes
internal import Hostnames
internal import NIOCore
internal import NIOHTTP1
internal import Sallyport
internal import Synchronization

/// Brings one request to its end: over as many sends and connections as its authentication needs.
struct RequestDrive {
    let client: AuthenticatedClient
    let handler: ChallengeHandler
    let request: ClientRequest
    /// When the response must be complete.
    let deadline: NIODeadline

    var proxy: Origin? { client.settings.proxy(request.origin) }
    /// A proxy reads plain requests; for https it opens a tunnel.
    private var isForwarded: Bool { proxy != nil && request.origin.scheme == .http }
    /// How the request reaches its origin; inside a tunnel it is direct.
    var route: RequestRoute { Self.route(to: request.origin, client.settings) }

    /// How a request reaches `origin`.
    static func route(to origin: Origin, _ settings: ClientSettings) -> RequestRoute {
        guard origin.scheme == .http, let proxy = settings.proxy(origin) else { return .direct }
        return .forwarded(by: proxy)
    }

    func response() async throws -> ClientResponse {
        if let defect = request.defect { throw ClientError.badRequest(reason: defect) }
        do {
            return try await attempt(isFresh: false)
        } catch let lost as LostBeforeResponse {
            guard lost.hasWholeBody || request.body.canRepeat else {
                throw ClientError.connectionLost(request.origin)
            }
            // The server closed an idle connection at the moment of the request, or began no handshake on it.
            return try await attempt(isFresh: true)
        } catch is AnsweredWithoutBody {
            // The server asks no more, and has not seen the body: send all of it.
            return try await attempt(isFresh: true)
        }
    }

    /// - Parameter isFresh: whether the request begins on a new connection.
    private func attempt(isFresh: Bool) async throws -> ClientResponse {
        var authentication = handler.authentication(
            of: request.outgoing,
            by: route,
            answersInAdvance: client.settings.answersInAdvance
        )
        var step = authentication.begin()
        var last: Connection?
        /// The response whose judgement waits for another request.
        var kept: ClientResponse?
        // The number of steps is bounded by RequestLimits of the handler.
        while true {
            switch step {
            case .needs(let need): throw ClientError.needsSupply(need)
            case .wait(let ticket):
                try await ticket.ready()
                step = authentication.resume(keepsConnection: false)
            case .deliver(let outcome):
                guard let kept else {
                    throw ClientError.challengeTooLong(request.origin, limit: client.settings.drainedBytes)
                }
                return kept.ended(outcome)
            case .send(let sending):
                let (connection, received) = try await exchange(sending, last, isFresh: isFresh)
                last = nil
                let response = received.response
                if isForwarded {
                    connection.persistence.withLock { $0.answered(inHTTP10: response.head.version == .http1_0) }
                }
                guard response.head.status != .switchingProtocols else {
                    client.pool.discard(connection)
                    throw ClientError.upgraded(request.origin)
                }
                step = authentication.received(
                    status: Int(response.head.status.code),
                    fields: UnreadBody.closing(
                        response.fields,
                        status: Int(response.head.status.code),
                        after: sending.body == .whole ? request.body.mostBytes : 0
                    ),
                    on: connection.traits,
                    bodyWasSent: received.bodyWasSent
                )
                if case .deliver(let outcome) = step {
                    if sending.body == .empty, request.body.isPresent, (200..<300).contains(response.head.status.code) {
                        client.pool.discard(connection)
                        throw AnsweredWithoutBody()
                    }
                    return deliver(response, outcome, connection)
                }
                if case .wait = step {
                    // Others may use the connection meanwhile.
                    kept = try await keep(response, connection)
                    continue
                }
                last = try await drain(response, connection)
                if last == nil, case .send(let next) = step, next.connection == .same {
                    throw ClientError.challengeTooLong(request.origin, limit: client.settings.drainedBytes)
                }
            }
        }
    }

    /// Sends, and once more on a new connection if the party has closed the one of the last response before a byte left.
    private func exchange(
        _ sending: RequestSending,
        _ last: Connection?,
        isFresh: Bool
    ) async throws -> (Connection, Connection.Received) {
        var (connection, isReused) = try await self.connection(sending.connection, last, isFresh: isFresh)
        while true {
            do {
                let received = try await connection.exchange(
                    try head(sending, on: connection),
                    sending.body == .whole ? request.body : .none,
                    continueLimit: sending.expectsContinue ? client.settings.continueLimit : nil
                )
                return (connection, received)
            } catch is NotSent where sending.connection == .any && (last === connection || isReused) {
                client.pool.discard(connection)
                (connection, isReused) = try await open(isFresh: true)
            } catch {
                client.pool.discard(connection)
                // The first message of a handshake depends on no password, so it may be sent twice.
                throw lost(error, mayRepeat: !isFresh && (isReused || sending.body == .empty))
            }
        }
    }

    private func deliver(
        _ response: ConnectionHandler.Response,
        _ outcome: RequestOutcome,
        _ connection: Connection
    ) -> ClientResponse {
        let timer = deadline == .distantFuture ? nil : connection.fail(at: deadline, ClientError.deadlineExceeded)
        response.end.whenEnded { [pool = client.pool] isReusable in
            timer?.cancel()
            if isReusable { pool.release(connection) } else { pool.discard(connection) }
        }
        return ClientResponse(response, .arriving(response.body, from: request.origin), to: request, outcome)
    }

    /// Reads a response that may become the result, and frees its connection. Returns `nil` if it is too long.
    private func keep(
        _ response: ConnectionHandler.Response,
        _ connection: Connection
    ) async throws -> ClientResponse? {
        let bytes: ByteBuffer
        do {
            bytes = try await ResponseBody(.arriving(response.body, from: request.origin)).collect(
                upTo: client.settings.drainedBytes
            )
        } catch is ClientError {
            client.pool.discard(connection)
            return nil
        } catch {
            client.pool.discard(connection)
            throw lost(error, mayRepeat: false)
        }
        if await response.end.value() { client.pool.release(connection) } else { client.pool.discard(connection) }
        return ClientResponse(response, .complete(bytes), to: request, .notChallenged)
    }

    /// Reads a refused response. Returns its connection, or `nil` if that cannot be used again.
    private func drain(
        _ response: ConnectionHandler.Response,
        _ connection: Connection
    ) async throws -> Connection? {
        do {
            if try await ResponseBody(.arriving(response.body, from: request.origin)).drain(
                upTo: client.settings.drainedBytes
            ),
                await response.end.value()
            {
                return connection
            }
        } catch is CancellationError {
            client.pool.discard(connection)
            throw CancellationError()
        } catch {}
        client.pool.discard(connection)
        return nil
    }

    /// The connection for the next send, and whether another request has used it before.
    private func connection(
        _ wanted: RequestSending.Connection,
        _ last: Connection?,
        isFresh: Bool
    ) async throws -> (Connection, isReused: Bool) {
        switch (wanted, last) {
        case (.same, let last?): return (last, false)
        // A server may close it after its challenge without saying so. What may be repeated is (RFC 9110 section 9.2.2).
        case (.any, let last?): return (last, RequestHead.Method(request.method).mayBeRepeated)
        case (.same, nil): throw ClientError.connectionLost(request.origin)
        case (.new, let last):
            if let last { client.pool.discard(last) }
            return try await open(isFresh: true)
        case (.any, nil): return try await open(isFresh: isFresh)
        }
    }

    private func open(isFresh: Bool) async throws -> (Connection, isReused: Bool) {
        let path = String(request.target.prefix { $0 != "?" })
        let key = handler.poolKey(for: request.origin, path: path, through: proxy)
        if let connection = try await client.pool.lease(key, isFresh: isFresh) { return (connection, true) }
        let generation = client.pool.generation
        do {
            let connection = try await connect(key)
            client.pool.watch(connection, of: generation)
            return (connection, false)
        } catch {
            client.pool.closed(key)
            throw error
        }
    }

    /// Connects, and once more if the server's key is trusted on a question.
    private func connect(_ key: PoolKey) async throws -> Connection {
        do {
            return try await client.connector.connect(to: request.origin, through: proxy, key, until: deadline)
        } catch TLSError.serverNotValidated(let origin, let reason, let chain) {
            let error = TLSError.serverNotValidated(origin, reason, chain: chain)
            guard reason.canBeTrusted, let authenticator = client.authenticator,
                let server = UntrustedServer(origin: origin, reason: "\(reason)", chain: chain),
                try await authenticator.advice(on: server) == .repeatRequest
            else { throw error }
            return try await client.connector.connect(to: request.origin, through: proxy, key, until: deadline)
        }
    }

    private func head(_ sending: RequestSending, on connection: Connection) throws -> HTTPRequestHead {
        let target = isForwarded ? "\(request.origin)\(request.target)" : request.target
        var headers = request.headers
        for name in ["Content-Length", "Host", "Transfer-Encoding"] { headers.remove(name: name) }
        headers.add(name: "Host", value: request.authority)
        if sending.body == .empty {
            headers.add(name: "Content-Length", value: "0")
        } else {
            switch request.body {
            case .none:
                if request.method == .POST || request.method == .PUT { headers.add(name: "Content-Length", value: "0") }
            case .bytes(let buffer): headers.add(name: "Content-Length", value: "\(buffer.readableBytes)")
            case .repeatable(let length?, _), .once(let length?, _):
                headers.add(name: "Content-Length", value: "\(length)")
            case .repeatable(nil, _), .once(nil, _): headers.add(name: "Transfer-Encoding", value: "chunked")
            }
            if sending.expectsContinue { headers.replaceOrAdd(name: "Expect", value: "100-continue") }
        }
        try headers.replace(with: sending.fields)
        if isForwarded, let field = connection.persistence.withLock({ $0.due }),
            !headers.contains(name: field.name.rawName)
        {
            headers.add(name: field.name.rawName, value: field.value)
        }
        return HTTPRequestHead(version: .http1_1, method: request.method, uri: target, headers: headers)
    }

    /// What to say of a connection that broke before the response.
    private func lost(_ error: any Error, mayRepeat: Bool) -> any Error {
        if let lost = error as? LostBeforeBody {
            return mayRepeat ? LostBeforeResponse(hasWholeBody: true) : self.lost(lost.cause, mayRepeat: false)
        }
        let reason = ClientError.lost(request.origin, error)
        if mayRepeat, case ClientError.connectionLost = reason { return LostBeforeResponse(hasWholeBody: false) }
        return reason
    }
}

/// The connection was closed before the response began, and the request may begin again on a new one.
private struct LostBeforeResponse: Error {
    /// Whether none of the body is gone.
    let hasWholeBody: Bool
}

/// The server took a message of a handshake for the request, whose body it has not seen.
private struct AnsweredWithoutBody: Error {}

extension ClientRequest.Body {
    fileprivate var isPresent: Bool {
        if case .none = self { return false }
        return true
    }

    /// The length, or a large number where it is not known.
    fileprivate var mostBytes: Int64 {
        switch self {
        case .none: 0
        case .bytes(let buffer): Int64(buffer.readableBytes)
        case .repeatable(let length, _), .once(let length, _): length ?? .max
        }
    }

    /// Whether the body can be sent again.
    package var canRepeat: Bool {
        if case .once = self { return false }
        return true
    }
}

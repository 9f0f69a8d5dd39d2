internal import HTTPTypes
internal import Hostnames
internal import NIOCore
internal import NIOHTTP1
internal import RequestFlow
internal import Sallyport
internal import SallyportNIO
internal import Synchronization
internal import Waiting

/// Brings one request to its end: over as many sends and connections as its authentication needs.
struct RequestDrive {
    let client: AuthenticatedClient
    let handler: ChallengeHandler
    let request: ClientRequest
    /// The proxy of the request; `nil` for a direct connection.
    let proxy: Origin?
    /// When the response must be complete.
    let deadline: NIODeadline

    /// A proxy reads plain requests; for https it opens a tunnel.
    private var isForwarded: Bool { proxy != nil && request.origin.scheme == .http }
    /// Who is at the other end of the connections that carry the request.
    private var peer: Origin { isForwarded ? proxy ?? request.origin : request.origin }
    /// How the request reaches its origin; inside a tunnel it is direct.
    var route: RequestRoute { Self.route(to: request.origin, through: proxy) }

    /// How a request reaches `origin`.
    static func route(to origin: Origin, through proxy: Origin?) -> RequestRoute {
        guard origin.scheme == .http, let proxy else { return .direct }
        return .forwarded(by: proxy)
    }

    func response() async throws -> ClientResponse {
        if let defect = request.defect { throw ClientError.badRequest(reason: defect) }
        var flow = RequestFlow(handler, request.outgoing, by: route, client.facts(of: request))
        var command = flow.begin()
        /// The response that has begun.
        var arriving: Arriving?
        /// The connection of a refused response that was dropped.
        var last: Connection?
        /// A response that may be the result, when another request has been waited for.
        var kept: ClientResponse?
        /// Why the last connection was lost.
        var cause: (any Error)?
        /// Whether the peer is known to speak HTTP, so that TLS is not a remedy: it has sent a status. Of a server it is not asked.
        var hasAnswered = !isForwarded
        /// Whether a part of the request may have been sent.
        var hasBegun = false
        // The flow bounds the number of commands.
        while true {
            switch command {
            case .send(let sending):
                if let unread = arriving.take() { client.pool.discard(unread.connection) }
                do {
                    let (connection, isReused) =
                        if let last { (last, false) } else { try await open(isFresh: sending.connection == .new) }
                    let isUnused = last == nil && !isReused
                    flow.sendHasBegun()
                    hasBegun = true
                    switch try await send(sending, on: connection, isReused: isReused) {
                    case .success(let response):
                        (arriving, hasAnswered) = (response, true)
                        command = flow.received(response.facts(for: request))
                    case .failure(let lost):
                        let isUnanswered = isUnused && lost.loss.progress.isUnanswered
                        cause = isUnanswered ? ClientError.advised(lost.cause, after: connection.identity) : lost.cause
                        hasAnswered = hasAnswered || lost.loss.isReused
                        if case .headUnread = lost.loss.progress { hasAnswered = true }
                        command = flow.lost(lost.loss)
                    }
                } catch let unreached as UnreachedWay {
                    // Another way is for a request of which no party has seen a part.
                    throw hasBegun ? unreached.cause : unreached
                } catch {
                    throw hasAnswered ? error : ClientError.advised(error, of: peer)
                }
                last = nil
            case .drop:
                guard let refused = arriving.take() else { throw ClientError.connectionLost(peer) }
                let end = try await drop(refused)
                if end == .reusable { last = refused.connection }
                command = flow.dropped(end)
            case .wait(let turn):
                // Others may use the connection meanwhile.
                if let response = arriving.take() { kept = try await keep(response) }
                try await turn.ready()
                command = flow.resumed(keepsConnection: false)
            case .deliver(let outcome):
                if let arriving { return deliver(arriving, outcome) }
                guard let kept else { throw challengeTooLong(by: flow.challenge?.status) }
                return kept.ended(outcome)
            case .fail(.notProven(let refusal, by: let party)):
                guard let arriving else { throw ClientError.notProven(request.origin, refusal) }
                return deliver(arriving, .withheld(refusal, by: party))
            case .fail(let failure):
                if let arriving { client.pool.discard(arriving.connection) }
                let error = error(for: failure, cause, challenge: flow.challenge?.status)
                throw hasAnswered ? error : ClientError.advised(error, of: peer)
            }
        }
    }

    private func error(for failure: FlowFailure, _ cause: (any Error)?, challenge status: Int?) -> any Error {
        switch failure {
        case .connectionLost: cause ?? ClientError.connectionLost(peer)
        case .handshakeLost(.withheld(let refusal, by: let party)):
            ClientError.handshakeLost(party == .proxy ? proxy ?? request.origin : request.origin, refusal, by: party)
        case .handshakeLost: ClientError.connectionLost(peer)
        case .refusalTooLong: challengeTooLong(by: status)
        case .bodyUnseen:
            ClientError.malformedResponse(request.origin, reason: "success before the body was sent, twice")
        case .needNotMet(let need): ClientError.needsSupply(need)
        case .notProven(let refusal, by: _): ClientError.notProven(request.origin, refusal)
        }
    }

    private func challengeTooLong(by status: Int?) -> ClientError {
        let isProxy = status.flatMap(ChallengedParty.init(challengingWith:)) == .proxy
        return .challengeTooLong(isProxy ? peer : request.origin, limit: client.settings.drainedBytes)
    }

    /// A response that has begun, and its connection.
    private struct Arriving {
        let response: ConnectionHandler.Response
        let connection: Connection
        let bodyWasSent: Bool
        /// Whether the connection carries nothing more, whatever the response says.
        let isSpent: Bool

        func facts(for request: ClientRequest) -> FlowResponse {
            FlowResponse(
                status: Int(response.head.status.code),
                fields: response.fields,
                on: connection.traits,
                keepsConnection: response.keepsConnection,
                bodyIsSpent: bodyWasSent && !request.body.canRepeat
            )
        }
    }

    /// A connection that was lost before a response.
    private struct Lost: Error {
        let loss: FlowLoss
        let cause: any Error
    }

    /// Sends, and waits for the head of the response.
    private func send(
        _ sending: RequestSending,
        on connection: Connection,
        isReused: Bool
    ) async throws -> Result<Arriving, Lost> {
        let received: Connection.Received
        do {
            let (head, fields) = head(sending, on: connection)
            received = try await connection.exchange(
                head,
                fields,
                sending.body == .whole ? request.body : .none,
                continueLimit: sending.holdsBody ? client.settings.continueLimit : nil
            )
        } catch {
            client.pool.discard(connection)
            return .failure(try lost(error, sending, isReused: isReused))
        }
        if isForwarded {
            connection.persistence.withLock { $0.answered(inHTTP10: received.response.head.version == .http1_0) }
        }
        guard received.response.head.status != .switchingProtocols else {
            client.pool.discard(connection)
            throw ClientError.upgraded(request.origin)
        }
        let status = Int(received.response.head.status.code)
        let sentBytes = received.bodyWasSent ? request.body.mostBytes : 0
        return .success(
            Arriving(
                response: received.response,
                connection: connection,
                bodyWasSent: received.bodyWasSent,
                isSpent: FlowFacts.leavesBodyUnread(status, bodyBytes: sentBytes)
            )
        )
    }

    /// What `error` of a connection means for the request, or throws it if it ends the request.
    private func lost(_ error: any Error, _ sending: RequestSending, isReused: Bool) throws -> Lost {
        switch error {
        case let unsent as NotSent:
            return Lost(
                loss: FlowLoss(isReused: isReused, .nothingSent),
                cause: ClientError.lost(peer, unsent.cause ?? ChannelError.eof)
            )
        case let early as LostBeforeBody:
            return Lost(
                loss: FlowLoss(isReused: isReused, .bodyHeld),
                cause: try connectionLost(early.cause)
            )
        case let unread as UnreadResponse:
            return Lost(
                loss: FlowLoss(isReused: isReused, .headUnread(status: unread.status)),
                cause: ClientError.lost(peer, unread.cause)
            )
        default:
            let cause = try connectionLost(error)
            return Lost(
                loss: FlowLoss(
                    isReused: isReused,
                    error is CutResponse ? .answered : .unanswered,
                    bodyIsSpent: sending.body == .whole && !request.body.canRepeat
                ),
                cause: cause
            )
        }
    }

    /// Passes an error on that says more than that the connection is lost.
    private func connectionLost(_ error: any Error) throws -> ClientError {
        let reason = ClientError.lost(peer, error)
        guard case ClientError.connectionLost = reason else { throw reason }
        return .connectionLost(peer)
    }

    private func deliver(_ arriving: Arriving, _ outcome: RequestOutcome) -> ClientResponse {
        let (response, connection) = (arriving.response, arriving.connection)
        let timer = deadline == .distantFuture ? nil : connection.fail(at: deadline, ClientError.deadlineExceeded)
        // The connection to a server that did not prove itself carries no other request.
        let mayBeReused = !arriving.isSpent && !outcome.isUnproven(status: Int(response.head.status.code))
        response.end.whenEnded { [pool = client.pool] isReusable in
            timer?.cancel()
            if isReusable, mayBeReused { pool.release(connection) } else { pool.discard(connection) }
        }
        return ClientResponse(
            response,
            .arriving(response.body, from: peer),
            to: request,
            outcome,
            identity: identity(on: connection)
        )
    }

    /// Which client certificate the origin got. The TLS to a proxy that reads plain requests is not the origin's.
    private func identity(on connection: Connection) -> IdentityDecision? {
        isForwarded ? nil : connection.identity
    }

    /// Reads a response that may become the result, and frees its connection. Returns `nil` if it is too long, too slow or cut off.
    private func keep(_ arriving: Arriving) async throws -> ClientResponse? {
        let (response, connection) = (arriving.response, arriving.connection)
        let settings = client.settings
        let body = ResponseBody(.arriving(response.body, from: peer))
        do {
            let bytes = try await Deadline.run(until: .now() + settings.drainLimit) {
                let bytes = try await body.collect(upTo: settings.drainedBytes)
                // A reader that is cancelled may see an end.
                try Task.checkCancellation()
                return bytes
            }
            let isReusable = await response.end.value() && !arriving.isSpent
            if isReusable { client.pool.release(connection) } else { client.pool.discard(connection) }
            return ClientResponse(
                response,
                .complete(bytes),
                to: request,
                .notChallenged,
                identity: identity(on: arriving.connection)
            )
        } catch {
            client.pool.discard(connection)
            try Task.checkCancellation()
            return nil
        }
    }

    /// Reads a refused response to its end, within the bounds.
    private func drop(_ arriving: Arriving) async throws -> DropEnd {
        var end = DropEnd.unusable
        defer { if end != .reusable { client.pool.discard(arriving.connection) } }
        end = try await arriving.response.body.drop(within: client.settings)
        // The end of the body comes before that of the exchange.
        if end == .reusable, await !arriving.response.end.value() { end = .unusable }
        return end
    }

    /// A connection, and whether another request has used it before.
    private func open(isFresh: Bool) async throws -> (Connection, isReused: Bool) {
        let path = String(request.target.prefix { $0 != "?" })
        let key = handler.poolKey(for: request.origin, path: path, through: proxy)
        if let connection = try await client.pool.lease(key, isFresh: isFresh) { return (connection, true) }
        let generation = client.pool.generation
        do {
            let connection = try await client.onceTrusted {
                try await client.connector.connect(to: request.origin, through: proxy, key, until: deadline)
            }
            client.pool.watch(connection, of: generation)
            return (connection, false)
        } catch {
            client.pool.closed(key)
            throw error
        }
    }

    /// The head, and its fields whose values are not UTF-8.
    private func head(_ sending: RequestSending, on connection: Connection) -> (HTTPRequestHead, [HTTPField]) {
        let path = sending.target(request.target)
        let target = isForwarded ? "\(request.origin)\(path)" : path
        var headers = request.headers
        for name in ["Content-Length", "Host", "Transfer-Encoding"] { headers.remove(name: name) }
        headers.add(name: "Host", value: request.authority)
        if sending.body == .empty {
            if request.body.mostBytes > 0 || request.method == .POST || request.method == .PUT {
                headers.add(name: "Content-Length", value: "0")
            }
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
        let others = headers.replaceTexts(with: sending.fields)
        if isForwarded, let field = connection.persistence.withLock({ $0.due }),
            !headers.contains(name: field.name.rawName)
        {
            headers.add(name: field.name.rawName, value: field.value)
        }
        return (HTTPRequestHead(version: .http1_1, method: request.method, uri: target, headers: headers), others)
    }
}

extension FlowLoss.Progress {
    /// Whether no byte of a response has come.
    fileprivate var isUnanswered: Bool {
        switch self {
        case .nothingSent, .bodyHeld, .unanswered: true
        case .answered, .headUnread, .brokenOff: false
        }
    }
}

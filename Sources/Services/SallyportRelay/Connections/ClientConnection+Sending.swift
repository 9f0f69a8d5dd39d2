internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import Logging
internal import NIOCore
internal import Sallyport
internal import SallyportNIO

extension ClientConnection {
    /// Begins to carry a request.
    func start(_ exchange: Exchange) {
        let pool = exchange.pool
        // Elsewhere a driver is made when the parent asks.
        let needsDrive =
            exchange.answersServer || pool.answersInAdvance
            || exchange.head.hasBody && !pool.isOpen(to: exchange.destination)
        guard needsDrive || exchange.beginsWithDrive else { return lease(exchange, isFresh: false) }
        take(makeDrive(exchange).begin(), exchange)
    }

    /// Waits for the token of a request, and starts it then. A request for which no token comes does not go out.
    func prepare(_ exchange: Exchange, _ authenticator: Authenticator) {
        deadline = loop.now + loop.limits.asking
        let (request, route, eventLoop) = (exchange.outgoing(), exchange.route, loop.eventLoop)
        let bound = NIOLoopBound((self, exchange), eventLoop: eventLoop)
        exchange.isPreparing = true
        exchange.asking = Task {
            let result: Result<Void, any Error>
            do { result = .success(try await authenticator.prepare(request, by: route)) } catch {
                result = .failure(error)
            }
            eventLoop.execute {
                let (client, exchange) = bound.value
                client.prepared(result, exchange)
            }
        }
    }

    private func prepared(_ result: Result<Void, any Error>, _ exchange: Exchange) {
        guard self.exchange === exchange else { return }
        deadline = .distantFuture
        (exchange.asking, exchange.isPreparing) = (nil, false)
        if case .failure(let error) = result { return refuse(.asking("\(error)")) }
        exchange.beginAnew(at: exchange.pool, by: accounts.current.handler)
        answerServer(exchange)
        start(exchange)
    }

    func makeDrive(_ exchange: Exchange) -> Drive {
        let (request, route, handler) = (exchange.outgoing(), exchange.route, exchange.handler)
        let drive =
            exchange.answersServer
            ? Drive(handler.authentication(of: request, by: route))
            : Drive(handler.proxyAuthentication(of: request, by: route))
        exchange.drive = drive
        return drive
    }

    /// Does what the driver says, where no response is under way.
    func take(_ step: RequestStep, _ exchange: Exchange) {
        switch step {
        case .send(let next): send(next, exchange)
        case .wait(let ticket): wait(for: ticket, exchange)
        case .needs: refuse(.needsSupply)
        case .deliver(.withheld(let refusal, .origin))
        where exchange.drive?.challenge == nil || !mayAsk(exchange, refusal):
            refuse(.withheldFromServer(refusal))
        case .deliver(.withheld(let refusal, .origin)): withheld(refusal, nil, exchange, by: .origin)
        case .deliver(.withheld(let refusal, _)): withheld(refusal, nil, exchange)
        case .deliver: refuse(.needsSupply)
        }
    }

    private func send(_ next: RequestSending, _ exchange: Exchange) {
        exchange.next = next
        if let upstream = exchange.upstream, next.connection != .new { return send(on: upstream, exchange) }
        guard next.connection != .same else { return refuse(.closed(exchange.pool.origin)) }
        dropUpstream()
        lease(exchange, isFresh: next.connection == .new || exchange.wasChallengedWhenBound)
    }

    func lease(_ exchange: Exchange, isFresh: Bool) {
        exchange.gate = .held
        if exchange.pool.isDirect {
            // The pool of a server is forgotten with its last connection.
            guard let pool = loop.pool(for: exchange.destination, by: exchange.pool.way) else {
                return refuse(.waitedTooLong)
            }
            exchange.pool = pool
        }
        if ownOrigin != nil, takeOwnUpstream(exchange, isFresh: isFresh) { return }
        exchange.pool.lease(self, exchange, isFresh: isFresh || exchange.isClientsLogOn)
    }

    /// Sends the request on the connection that the client has authenticated itself, if it belongs there.
    private func takeOwnUpstream(_ exchange: Exchange, isFresh: Bool) -> Bool {
        guard let own = ownUpstream.take() else { return false }
        guard !isFresh, own.isUsable, own.pool === exchange.pool, own.key == exchange.key, speaksForItself(exchange)
        else {
            own.close()
            return false
        }
        leased(own, isReused: true, for: exchange)
        return true
    }

    /// The connection could not be opened: another way is tried, if one is left. A password was not sent on it.
    func notConnected(_ refusal: RelayRefusal, _ exchange: Exchange) {
        let way = exchange.pool.way
        if let parent = way.parent { loop.core.notReached(parent, refusal) }
        exchange.unreached.insert(way)
        let next = loop.core.health.choice(at: .now(), among: exchange.ways, without: exchange.unreached)
        guard !exchange.hasSentBody, let next, let pool = loop.pool(for: exchange.destination, by: next) else {
            return refuse(refusal)
        }
        loop.counters.failovers += 1
        exchange.take(pool)
        start(exchange)
    }

    /// Whether the request still waits for a connection.
    func waits(for exchange: Exchange) -> Bool {
        self.exchange === exchange && exchange.upstream == nil && phase.isExchanging
    }

    /// Whether the present request waits for something that may take long and has sent nothing: for a person, or for a free
    /// connection. A client that closes its side then has probably gone away, so its request is dropped. Any other one goes on: it
    /// is sent within seconds, and the client may only have no more to say.
    var waitsLong: Bool { exchange.map { $0.asking != nil && !$0.isPreparing || $0.isQueued } ?? false }

    /// Whether a long wait may begin: not for a client that may be gone, and whose request changes something.
    func mayWaitLong(_ exchange: Exchange) -> Bool {
        !inputIsClosed || exchange.head.mayBeRepeated || exchange.head.method == .connect
    }

    func leased(_ upstream: UpstreamConnection, isReused: Bool, for exchange: Exchange) {
        exchange.upstream = upstream
        exchange.isQueued = false
        exchange.isReused = isReused
        if !isReused, let parent = exchange.pool.way.parent { loop.core.reached(parent) }
        if exchange.isClientsLogOn { upstream.isOfClient = true }
        if exchange.askedForTunnel, let parent = exchange.pool.tunnelParent {
            exchange.askedForTunnel = false
            tellAccepted(exchange, [:], by: .connect(to: parent))
        }
        if exchange.pool.isDirect, exchange.head.method == .connect {
            upstream.begin(self, .connect)
            noteLatency(of: exchange)
            writeEstablished()
            return openTunnel(upstream)
        }
        if upstream.isBound {
            if !exchange.answersServer || exchange.pool.isDirect {
                // The connection is authenticated, perhaps since the request was challenged on another one: nothing has to be
                // answered, and no body has to wait.
                exchange.next = nil
                exchange.drive = nil
            } else if exchange.drive?.isBinding == true, exchange.next?.fields.isEmpty == false {
                // It may be authenticated for one of the two parties only. A handshake cannot begin on it at all servers.
                exchange.upstream = nil
                exchange.pool.release(upstream)
                return exchange.pool.lease(self, exchange, isFresh: true)
            }
        } else if !isReused {
            beginHandshake(on: upstream, exchange)
        }
        send(on: upstream, exchange)
    }

    private func send(on upstream: UpstreamConnection, _ exchange: Exchange) {
        let next = exchange.next.take()
        exchange.sending = next
        let isWhole = next?.body != .empty
        let expects =
            isWhole && exchange.head.hasBody && (exchange.head.expectsContinue || next?.expectsContinue == true)
        let bytes = exchange.sent { out in
            for field in next?.fields ?? [] { RequestFields.write(field, to: &out) }
            if !isWhole {
                if exchange.head.hasBody { out.writeStaticString("Content-Length: 0\r\n") }
            } else {
                switch exchange.head.framing {
                case .chunked: out.writeStaticString("Transfer-Encoding: chunked\r\n")
                case .length(let length)
                where length > 0 || exchange.head.fields.length != nil && exchange.head.method != .connect:
                    RequestFields.writeLength(length, to: &out)
                default: break
                }
            }
            if expects { out.writeStaticString("Expect: 100-continue\r\n") }
            if exchange.head.wantsWebSocket { out.writeStaticString("Connection: Upgrade\r\nUpgrade: websocket\r\n") }
            out.writeInteger(UInt16(0x0D0A))
        }
        upstream.begin(self, exchange.head.method)
        upstream.write(bytes)
        upstream.flush()
        guard isWhole, exchange.head.hasBody else { return }
        if expects { waitForContinue(exchange) } else { openGate(exchange) }
    }

    private func waitForContinue(_ exchange: Exchange) {
        exchange.gate = .held
        exchange.continueTimer?.cancel()
        exchange.continueTimer = loop.eventLoop.assumeIsolated().scheduleTask(in: loop.limits.continuing) {
            // RFC 9110 section 10.1.1: a party that does not know the expectation does not answer it.
            self.openGate(exchange)
        }
    }

    func openGate(_ exchange: Exchange) {
        exchange.continueTimer?.cancel()
        guard self.exchange === exchange, let upstream = exchange.upstream, case .held = exchange.gate else { return }
        exchange.gate = .open
        // What another send has passed already.
        if let kept = exchange.keptBody { upstream.write(kept) }
        process()
        exchange.upstream?.flush()
        resumeReads()
    }

    private func wait(for ticket: AttemptTicket, _ exchange: Exchange) {
        giveBackUpstream(exchange)
        deadline = loop.now + loop.limits.waiting
        exchange.ticketWait = TicketWait(ticket, on: loop.eventLoop) { [weak self, unowned exchange] in
            guard let self, self.exchange === exchange, let drive = exchange.drive else { return }
            deadline = .distantFuture
            take(drive.resume(), exchange)
        }
    }

    /// A request that waits holds no connection: otherwise attempts could wait for connections that wait for attempts.
    func giveBackUpstream(_ exchange: Exchange) {
        guard let upstream = exchange.upstream else { return }
        exchange.upstream = nil
        if upstream.mayBeReused, !upstream.isOfClient { exchange.pool.release(upstream) } else { upstream.close() }
    }

    /// The party gets no answer: somebody may know a password, otherwise the client learns why.
    ///
    /// - Parameter route: how the request reaches the party; `nil` for the route of the exchange.
    func withheld(
        _ refusal: Refusal,
        _ fields: HTTPFields?,
        _ exchange: Exchange,
        by party: ChallengedParty = .proxy,
        on route: RequestRoute? = nil
    ) {
        let place = party == .origin ? exchange.destination.origin : exchange.pool.proxy ?? exchange.pool.origin
        if case .credentialsRefused(let account) = refusal { noteBadLogOn(account, at: place) }
        let challenge = fields ?? exchange.drive?.challenge
        guard let authenticator = accounts.authenticator, let challenge,
            !exchange.hasSentBody
        else { return refuse(party == .origin ? .withheldFromServer(refusal) : .withheld(refusal)) }
        guard mayWaitLong(exchange) else { return refuse(.clientLeft) }
        giveBackUpstream(exchange)
        deadline = loop.now + loop.limits.asking
        let request = exchange.outgoing()
        let (route, handler) = (route ?? exchange.route, exchange.handler)
        let repetitions = exchange.repetitions
        let bound = NIOLoopBound((self, exchange), eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        exchange.asking = Task {
            let advice: Result<AuthenticatorAdvice, any Error>
            do {
                let found = try await authenticator.advice(
                    after: .withheld(refusal, by: party),
                    of: request,
                    by: route,
                    fields: challenge,
                    with: handler,
                    repetitions: repetitions
                )
                advice = .success(found)
            } catch {
                advice = .failure(error)
            }
            eventLoop.execute {
                let (client, exchange) = bound.value
                client.advised(advice, after: refusal, by: party, exchange)
            }
        }
    }

    private func advised(
        _ advice: Result<AuthenticatorAdvice, any Error>,
        after refusal: Refusal,
        by party: ChallengedParty,
        _ exchange: Exchange
    ) {
        guard self.exchange === exchange else { return }
        deadline = .distantFuture
        exchange.asking = nil
        switch advice {
        case .success(.repeatRequest):
            exchange.repetitions += 1
            exchange.beginAnew(at: exchange.pool, by: accounts.current.handler)
            exchange.beginsWithDrive = true
            start(exchange)
        case .success(.deliver): refuse(party == .origin ? .withheldFromServer(refusal) : .withheld(refusal))
        case .failure(let error): refuse(.asking("\(error)"))
        }
    }

    /// Whether a password for the server may be asked for: at a listener that stands for it, and only if one would help.
    func mayAsk(_ exchange: Exchange, _ refusal: Refusal) -> Bool {
        guard exchange.rewriting != nil, accounts.authenticator != nil else { return false }
        switch refusal {
        case .noCredential, .credentialsRefused, .tokenRefused, .budgetSpent, .accountPaused: return true
        default: return false
        }
    }

    /// The tunnel to the server could not be opened. A password for the parent may be asked for.
    func tunnelRefused(_ error: any Error, _ exchange: Exchange) {
        guard let parent = exchange.pool.tunnelParent else { return refuse(.closed(exchange.pool.origin)) }
        if case ProxyTunnelError.refused(_, let fields, .withheld(let refusal, .proxy)) = error {
            exchange.askedForTunnel = true
            return withheld(refusal, fields, exchange, by: .proxy, on: .connect(to: parent))
        }
        refuse(.failed(parent, reason: "\(parent): \(error)"))
    }

    func noteBadLogOn(_ account: String, at origin: Origin) {
        loop.counters.badLogOns += 1
        loop.core.logger.warning("a password was refused", metadata: ["by": "\(origin)", "account": "\(account)"])
    }

    /// Answers the client with a response of the relay itself, and ends its connection.
    func refuse(_ refusal: RelayRefusal) {
        loop.counters.refusals += 1
        loop.core.logger.debug("refused", metadata: ["status": "\(refusal.status)", "reason": "\(refusal)"])
        let isHead = (exchange?.head ?? choosing?.request.head)?.method == .head
        let hasBegun = exchange?.responseHasBegun == true
        dropUpstream()
        choosing?.task.cancel()
        choosing = nil
        exchange?.cancel()
        exchange = nil
        received = loop.noBytes
        if hasBegun { return abort() }
        write(ByteBuffer(string: refusal.response(isHead: isHead)))
        closeLingering()
    }
}

extension ClientConnection.Phase {
    var isExchanging: Bool { if case .exchanging = self { true } else { false } }
}

/// Writes fields byte for byte.
enum RequestFields {
    /// `Content-Length`, without a string in between.
    static func writeLength(_ length: Int, to buffer: inout ByteBuffer) {
        buffer.writeStaticString("Content-Length: ")
        var divisor = 1
        while length / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            buffer.writeInteger(UInt8(ascii: "0") + UInt8(length / divisor % 10))
            divisor /= 10
        }
        buffer.writeInteger(UInt16(0x0D0A))
    }

    static func write(_ field: HTTPField, to buffer: inout ByteBuffer) {
        buffer.writeString(field.name.rawName)
        buffer.writeStaticString(": ")
        // In bounds: the buffer is the field's own.
        unsafe field.withUnsafeBytesOfValue { value in _ = unsafe buffer.writeBytes(value) }
        buffer.writeInteger(UInt16(0x0D0A))
    }
}

internal import HTTPTypes
internal import NIOCore
internal import Sallyport
internal import SallyportNIO

extension ClientConnection {
    /// Begins to carry a request.
    func start(_ exchange: Exchange) {
        exchange.handler = loop.core.current.handler
        let pool = loop.pool
        // Elsewhere a driver is made when the parent asks.
        let needsDrive = exchange.head.hasBody && !pool.isOpenToAll || pool.answersInAdvance
        guard needsDrive || exchange.beginsWithDrive else { return lease(exchange, isFresh: false) }
        take(makeDrive(exchange).begin(), exchange)
    }

    func makeDrive(_ exchange: Exchange) -> Drive {
        let handler = exchange.handler ?? loop.core.current.handler
        let drive = Drive(
            handler.proxyAuthentication(of: exchange.outgoing(), by: exchange.route(by: loop.core.settings.parent))
        )
        exchange.drive = drive
        return drive
    }

    /// Does what the driver says, where no response is under way.
    func take(_ step: RequestStep, _ exchange: Exchange) {
        switch step {
        case .send(let next): send(next, exchange)
        case .wait(let ticket): wait(for: ticket, exchange)
        case .needs: refuse(.needsSupply)
        case .deliver(.withheld(let refusal, _)): withheld(refusal, nil, exchange)
        case .deliver: refuse(.needsSupply)
        }
    }

    private func send(_ next: RequestSending, _ exchange: Exchange) {
        exchange.next = next
        if let parent = exchange.parent, next.connection != .new { return send(on: parent, exchange) }
        guard next.connection != .same else { return refuse(.closed(loop.core.settings.parent)) }
        dropParent()
        lease(exchange, isFresh: next.connection == .new)
    }

    func lease(_ exchange: Exchange, isFresh: Bool) {
        exchange.gate = .held
        loop.pool.lease(self, exchange, isFresh: isFresh)
    }

    /// Whether the request still waits for a connection.
    func waits(for exchange: Exchange) -> Bool {
        self.exchange === exchange && exchange.parent == nil && phase.isExchanging
    }

    func leased(_ parent: ParentConnection, isReused: Bool, for exchange: Exchange) {
        exchange.parent = parent
        exchange.isReused = isReused
        if parent.isBound, !exchange.hasSeenChallenge, exchange.next?.fields.isEmpty ?? true {
            // The connection is authenticated: nothing has to be answered, and no body has to wait.
            exchange.next = nil
            exchange.drive = nil
        }
        send(on: parent, exchange)
    }

    private func send(on parent: ParentConnection, _ exchange: Exchange) {
        let head = exchange.head
        let next = exchange.next.take()
        exchange.sending = next
        var out = exchange.prefix
        for field in next?.fields ?? [] { RequestFields.write(field, to: &out) }
        let isWhole = next?.body != .empty
        if !isWhole {
            if head.hasBody { out.writeStaticString("Content-Length: 0\r\n") }
        } else {
            switch head.framing {
            case .chunked: out.writeStaticString("Transfer-Encoding: chunked\r\n")
            case .length(let length) where length > 0 || head.fields.length != nil && head.method != .connect:
                out.writeString("Content-Length: \(length)\r\n")
            default: break
            }
        }
        let expects = isWhole && head.hasBody && (head.expectsContinue || next?.expectsContinue == true)
        if expects { out.writeStaticString("Expect: 100-continue\r\n") }
        if head.wantsWebSocket { out.writeStaticString("Connection: Upgrade\r\nUpgrade: websocket\r\n") }
        out.writeInteger(UInt16(0x0D0A))
        parent.begin(self, head.method)
        parent.write(out)
        parent.flush()
        guard isWhole, head.hasBody else { return }
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
        guard self.exchange === exchange, exchange.parent != nil else { return }
        exchange.gate = .open
        process()
        exchange.parent?.flush()
        resumeReads()
    }

    private func wait(for ticket: AttemptTicket, _ exchange: Exchange) {
        giveBackParent(exchange)
        deadline = loop.now + loop.limits.waiting
        exchange.ticketWait = TicketWait(ticket, on: loop.eventLoop) { [weak self, unowned exchange] in
            guard let self, self.exchange === exchange, let drive = exchange.drive else { return }
            deadline = .distantFuture
            take(drive.resume(), exchange)
        }
    }

    /// A request that waits holds no connection: otherwise attempts could wait for connections that wait for attempts.
    func giveBackParent(_ exchange: Exchange) {
        guard let parent = exchange.parent else { return }
        exchange.parent = nil
        if parent.mayBeReused { loop.pool.release(parent) } else { parent.close() }
    }

    /// The party gets no answer: somebody may know a password, otherwise the client learns why.
    func withheld(_ refusal: Refusal, _ fields: HTTPFields?, _ exchange: Exchange) {
        if case .credentialsRefused = refusal { loop.counters.badLogOns += 1 }
        let challenge = fields ?? exchange.drive?.challenge
        guard let authenticator = loop.core.authenticator, let handler = exchange.handler, let challenge,
            !exchange.hasSentBody
        else { return refuse(.withheld(refusal)) }
        giveBackParent(exchange)
        deadline = loop.now + loop.limits.asking
        let request = exchange.outgoing()
        let route = exchange.route(by: loop.core.settings.parent)
        let repetitions = exchange.repetitions
        let bound = NIOLoopBound((self, exchange), eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        exchange.asking = Task {
            let advice: Result<AuthenticatorAdvice, any Error>
            do {
                let found = try await authenticator.advice(
                    after: .withheld(refusal, by: .proxy),
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
                client.advised(advice, after: refusal, exchange)
            }
        }
    }

    private func advised(
        _ advice: Result<AuthenticatorAdvice, any Error>,
        after refusal: Refusal,
        _ exchange: Exchange
    ) {
        guard self.exchange === exchange else { return }
        deadline = .distantFuture
        exchange.asking = nil
        switch advice {
        case .success(.repeatRequest):
            exchange.repetitions += 1
            exchange.drive = nil
            exchange.beginsWithDrive = true
            exchange.hasSeenChallenge = false
            start(exchange)
        case .success(.deliver): refuse(.withheld(refusal))
        case .failure(let error): refuse(.asking("\(error)"))
        }
    }

    /// Answers the client with a response of the relay itself, and ends its connection.
    func refuse(_ refusal: RelayRefusal) {
        loop.counters.refusals += 1
        let isHead = exchange?.head.method == .head
        let hasBegun = exchange?.responseHasBegun == true
        dropParent()
        exchange?.cancel()
        exchange = nil
        received = ByteBuffer()
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
    static func write(_ field: HTTPField, to buffer: inout ByteBuffer) {
        buffer.writeString(field.name.rawName)
        buffer.writeStaticString(": ")
        // In bounds: the buffer is the field's own.
        unsafe field.withUnsafeBytesOfValue { value in _ = unsafe buffer.writeBytes(value) }
        buffer.writeInteger(UInt16(0x0D0A))
    }
}

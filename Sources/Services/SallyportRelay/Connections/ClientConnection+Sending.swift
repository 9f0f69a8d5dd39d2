internal import HTTP1
internal import HTTPAuthentication
internal import NIOCore
internal import RequestFlow
internal import Sallyport
internal import SallyportNIO

/// Sends the request, as its flow says.
extension ClientConnection {
    /// Begins to carry a request.
    func start(_ exchange: Exchange) {
        let pool = exchange.pool
        // Elsewhere a flow is made when the parent asks, or when a connection is lost.
        let needsFlow =
            exchange.answersServer || pool.answersInAdvance
            || exchange.head.hasBody && !pool.isOpen(to: exchange.destination)
        guard needsFlow else { return lease(exchange, isFresh: false) }
        follow(makeFlow(exchange).report { $0.begin() }, exchange)
    }

    func makeFlow(_ exchange: Exchange) -> RunningFlow {
        let flow = RunningFlow(
            RequestFlow(
                exchange.handler,
                exchange.outgoing(),
                by: exchange.route,
                exchange.facts(loop.limits)
            )
        )
        exchange.flow = flow
        return flow
    }

    /// The flow of a request that is on its way, with no answer in it.
    func flow(of exchange: Exchange) -> RunningFlow {
        if let flow = exchange.flow { return flow }
        let flow = makeFlow(exchange)
        flow.beginSent()
        return flow
    }

    /// Does what the flow says, where no response is under way that the client may get.
    func follow(_ command: FlowCommand, _ exchange: Exchange) {
        switch command {
        case .send(let next):
            exchange.next = next
            if let upstream = exchange.upstream { return send(on: upstream, exchange) }
            lease(exchange, isFresh: next.connection == .new || exchange.challenged.isWhenBound)
        case .wait(let ticket): wait(for: ticket, exchange)
        case .deliver(.withheld(.bodySpent, by: _)): refuse(.bodySpent)
        case .deliver(.withheld(let refusal, by: let party)),
            .fail(.handshakeLost(.withheld(let refusal, by: let party))):
            if party == .origin, exchange.flow?.challenge == nil || !mayAsk(exchange, refusal) {
                refuse(.withheldFromServer(refusal))
            } else {
                withheld(refusal, nil, exchange, by: party)
            }
        case .fail(let failure): refuse(refusal(after: failure, exchange))
        case .deliver, .drop: refuse(.closed(exchange.pool.origin))
        }
    }

    /// Why a request has no response.
    private func refusal(after failure: FlowFailure, _ exchange: Exchange) -> RelayRefusal {
        let party = exchange.pool.origin
        switch failure {
        case .connectionLost, .handshakeLost: return .closed(party)
        case .refusalTooLong:
            let isOfServer = exchange.flow?.challenge?.status == ServerStatus.challenge
            let place = isOfServer ? exchange.destination.origin : party
            return .failed(place, reason: "\(place): \(FlowFailure.refusalTooLong(beyond: loop.limits.drainedBytes))")
        case .bodyUnseen:
            return .failed(party, reason: "\(party): success before the body was sent, twice: ask who runs it")
        case .needNotMet: return .needsSupply
        case .notProven(let refusal, by: .origin): return .withheldFromServer(refusal)
        case .notProven(let refusal, by: .proxy): return .withheld(refusal)
        }
    }

    func send(on upstream: UpstreamConnection, _ exchange: Exchange) {
        let next = exchange.next.take()
        exchange.sending = next
        let isWhole = next?.body != .empty
        let hasBody = isWhole && exchange.head.hasBody
        let expects = hasBody && (exchange.head.expectsContinue || next?.expectsContinue == true)
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
            if !exchange.pool.isDirect, let field = upstream.persistence.due {
                RequestFields.write(field, to: &out)
            }
            if exchange.head.wantsWebSocket { out.writeStaticString("Connection: Upgrade\r\nUpgrade: websocket\r\n") }
            out.writeInteger(UInt16(0x0D0A))
        }
        upstream.begin(self, exchange.head.method)
        exchange.flow?.sendHasBegun()
        upstream.write(bytes)
        upstream.flush()
        hurry()
        guard hasBody else { return }
        let holds = next?.holdsBody == true && !exchange.keepsBody(upTo: loop.limits.keptBody)
        if expects || holds { waitForContinue(exchange) } else { openGate(exchange) }
    }

    private func waitForContinue(_ exchange: Exchange) {
        exchange.gate = .held
        exchange.continueTimer?.cancel()
        exchange.continueTimer = loop.eventLoop.assumeIsolated().scheduleTask(in: loop.limits.continuing) {
            // RFC 9110 section 10.1.1: a party that does not know the expectation does not answer it.
            guard self.exchange === exchange else { return }
            self.passContinue(exchange)
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

    func wait(for ticket: AttemptTicket, _ exchange: Exchange) {
        giveBackUpstream(exchange)
        deadline = loop.now + loop.limits.waiting
        let wait = TicketWait(ticket, on: loop.eventLoop) { [weak self, unowned exchange] in
            guard let self, self.exchange === exchange, let flow = exchange.flow else { return }
            deadline = .distantFuture
            exchange.stage = .underWay
            // The connection was given back.
            follow(flow.report { $0.resumed(keepsConnection: false) }, exchange)
        }
        exchange.stage = .waiting(wait)
    }
}

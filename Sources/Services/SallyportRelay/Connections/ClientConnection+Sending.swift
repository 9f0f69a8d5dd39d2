internal import HTTP1
internal import HTTPAuthentication
internal import NIOCore
internal import Sallyport
internal import SallyportNIO

/// Sends the request, as its driver says.
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

    func send(on upstream: UpstreamConnection, _ exchange: Exchange) {
        let next = exchange.next.take()
        exchange.sending = next
        let isWhole = next?.body != .empty
        let expects =
            isWhole && exchange.head.hasBody
            && (exchange.head.expectsContinue || exchange.mayExpect && next?.expectsContinue == true)
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

    private func wait(for ticket: AttemptTicket, _ exchange: Exchange) {
        giveBackUpstream(exchange)
        deadline = loop.now + loop.limits.waiting
        exchange.ticketWait = TicketWait(ticket, on: loop.eventLoop) { [weak self, unowned exchange] in
            guard let self, self.exchange === exchange, let drive = exchange.drive else { return }
            deadline = .distantFuture
            exchange.ticketWait = nil
            take(drive.resume(), exchange)
        }
    }
}

internal import HTTPAuthentication
internal import HTTPTypes
internal import NIOCore
internal import Sallyport

extension ClientConnection {
    /// Whether the client knows no chunks.
    var needsPlainBody: Bool { exchange?.head.isHTTP10 == true }

    /// Takes an interim response.
    func receivedInterim(_ head: ResponseHead, _ bytes: ByteBuffer) {
        guard let exchange else { return }
        if head.status == 100 {
            let isAsked = exchange.head.expectsContinue && !exchange.passedContinue
            if isAsked {
                exchange.passedContinue = true
                write(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"))
                flush()
            }
            if case .held = exchange.gate, exchange.sending?.body != .empty { openGate(exchange) }
        } else if !exchange.head.isHTTP10 {
            write(ResponseWriter.head(head, bytes, isToHTTP10: exchange.head.isHTTP10, closes: false, loop))
            flush()
        }
    }

    /// Takes the head of a response.
    func received(_ head: ResponseHead, _ bytes: ByteBuffer, on upstream: UpstreamConnection) {
        guard let exchange, exchange.upstream === upstream else { return upstream.close() }
        exchange.continueTimer?.cancel()
        let isOfServer = exchange.answersServer && head.status == ServerStatus.challenge
        if isOfServer || head.status == ParentStatus.challenge && !exchange.pool.isDirect {
            return challenged(head, bytes, on: upstream, exchange)
        }
        if let drive = exchange.drive {
            guard passed(head, bytes, drive, upstream, exchange) else { return }
        } else if !upstream.isBound {
            exchange.pool.noteOpen(to: exchange.destination)
            exchange.pool.handshake = nil
        }
        if exchange.sending?.body == .empty, exchange.head.hasBody, (200..<300).contains(head.status),
            !exchange.hasBegunAnew
        {
            // The parent asks no more, and has not seen the body: send all of it.
            exchange.hasBegunAnew = true
            exchange.drive = nil
            exchange.sending = nil
            dropUpstream()
            return lease(exchange, isFresh: true)
        }
        deliver(head, bytes, on: upstream, exchange)
    }

    /// Tells the driver that the party has let the request pass.
    ///
    /// - Returns: whether the response is the client's. One of a party that should have proved itself and did not is refused.
    private func passed(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        _ drive: Drive,
        _ upstream: UpstreamConnection,
        _ exchange: Exchange
    ) -> Bool {
        let wasBinding = drive.isBinding
        let offers = drive.firstOffers
        let step = drive.received(
            status: head.status,
            head.allFields(of: bytes),
            on: upstream.traits,
            bodyWasSent: exchange.hasSentBody
        )
        guard case .deliver(let outcome) = step else { return true }
        switch outcome {
        case .withheld(let refusal, let party) where outcome.isUnproven(status: head.status):
            refuse(party == .origin ? .withheldFromServer(refusal) : .withheld(refusal))
            return false
        // The parent lets the request pass before the last message of a handshake, so it has seen no password.
        case .accepted where exchange.sending?.body == .empty && !exchange.answersServer:
            exchange.pool.handshake = nil
            if !upstream.isBound { exchange.pool.noteOpen(to: exchange.destination) }
        case .accepted:
            if wasBinding { upstream.isBound = true }
            if !exchange.answersServer {
                exchange.pool.answersInAdvance = !wasBinding
                exchange.pool.handshake = wasBinding ? offers : nil
                exchange.pool.noteChallenge()
            }
            if exchange.hasSeenChallenge { tellAccepted(exchange, head.allFields(of: bytes)) }
        case .notChallenged: if !upstream.isBound { exchange.pool.noteOpen(to: exchange.destination) }
        case .withheld: break
        }
        return true
    }

    /// A store may keep the password, now that it is known to be right.
    func tellAccepted(_ exchange: Exchange, _ fields: HTTPFields, by route: RequestRoute? = nil) {
        guard let authenticator = accounts.authenticator, authenticator.awaitsAcceptance else { return }
        let request = exchange.outgoing()
        let (route, handler) = (route ?? exchange.route, exchange.handler)
        let repetitions = exchange.repetitions
        loop.core.tasks.run {
            // The request has succeeded; what a store says about its file is for the person who asked it to keep the password.
            _ = try? await authenticator.advice(
                after: .accepted,
                of: request,
                by: route,
                fields: fields,
                with: handler,
                repetitions: repetitions
            )
        }
    }

    // MARK: Challenges

    private func challenged(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        on upstream: UpstreamConnection,
        _ exchange: Exchange
    ) {
        exchange.hasSeenChallenge = true
        let isOfServer = head.status == ServerStatus.challenge
        if !isOfServer { exchange.pool.noteChallenge() }
        let wasBound = upstream.isBound
        var fields = head.allFields(of: bytes)
        let isWhole = exchange.sending?.body != .empty
        // A body that was announced and not sent would be taken from the next request; and a handshake cannot begin at all
        // servers on a connection that is authenticated already.
        let mustClose = upstream.isBound || isWhole && exchange.owesBody
        if mustClose { fields[.connection] = "close" }
        if wasBound { exchange.wasChallengedWhenBound = true }
        upstream.isBound = false
        var step: RequestStep
        if let drive = exchange.drive {
            drive.noteChallenge(head.status, fields)
            step = drive.received(
                status: head.status,
                fields,
                on: upstream.traits,
                bodyWasSent: exchange.hasSentBody
            )
        } else {
            let drive = makeDrive(exchange)
            drive.noteChallenge(head.status, fields)
            step = drive.begin()
            if case .send(let next) = step, next.fields.isEmpty {
                step = drive.received(
                    status: head.status,
                    fields,
                    on: upstream.traits,
                    bodyWasSent: exchange.hasSentBody
                )
            }
        }
        let mayContinue = head.isKeptAlive && !mustClose
        switch step {
        case .send(let next):
            guard !exchange.hasSentBody else {
                upstream.isBound = wasBound
                return isOfServer ? deliver(head, bytes, on: upstream, exchange) : refuse(.bodySpent)
            }
            after(.send(next), on: upstream, mayContinue: mayContinue && next.connection != .new, exchange)
        case .wait(let ticket): after(.wait(ticket), on: upstream, mayContinue: mayContinue, exchange)
        case .deliver(.withheld(let refusal, .origin)) where isOfServer && mayAsk(exchange, refusal):
            after(.ask(refusal, fields, .origin), on: upstream, mayContinue: mayContinue, exchange)
        case .deliver where isOfServer, .needs where isOfServer:
            // The client may know an answer; the connection is as it was.
            if case .deliver(.withheld(.credentialsRefused(let account), _)) = step {
                noteBadLogOn(account, at: exchange.destination.origin)
            }
            if case .deliver(.withheld(let refusal, _)) = step { renewToken(after: refusal, fields, exchange) }
            upstream.isBound = wasBound
            deliver(head, bytes, on: upstream, exchange)
        case .deliver(.withheld(.bodySpent, _)): refuse(.bodySpent)
        case .deliver(.withheld(let refusal, _)):
            after(.ask(refusal, fields, .proxy), on: upstream, mayContinue: mayContinue, exchange)
        case .needs: refuse(.needsSupply)
        case .deliver: refuse(.withheld(.malformedChallenge(nil)))
        }
    }

    /// Lets the next request have another token than the one that a server has refused; the response is the client's.
    private func renewToken(after refusal: Refusal, _ fields: HTTPFields, _ exchange: Exchange) {
        guard let authenticator = accounts.authenticator, authenticator.hasTokenSources else { return }
        let (request, route, handler) = (exchange.outgoing(), exchange.route, exchange.handler)
        loop.core.tasks.run {
            // The next request says why there is none.
            try? await authenticator.renewToken(after: refusal, of: request, by: route, fields: fields, with: handler)
        }
    }

    private func after(
        _ step: Exchange.AfterDrain,
        on upstream: UpstreamConnection,
        mayContinue: Bool,
        _ exchange: Exchange
    ) {
        exchange.gate = .held
        exchange.afterDrain = step
        if mayContinue { return upstream.drain() }
        dropUpstream()
        goOn(exchange)
    }

    /// The refused response is read to its end.
    func refusedResponseEnded(_ upstream: UpstreamConnection) {
        guard let exchange, exchange.upstream === upstream else { return upstream.close() }
        if !upstream.mayBeReused { dropUpstream() }
        goOn(exchange)
    }

    private func goOn(_ exchange: Exchange) {
        switch exchange.afterDrain.take() {
        case .send(let next):
            if next.connection == .same, exchange.upstream == nil { return handshakeLost(exchange) }
            take(.send(next), exchange)
        case .wait(let ticket): take(.wait(ticket), exchange)
        case .ask(let refusal, let fields, let party): withheld(refusal, fields, exchange, by: party)
        case nil: refuse(.closed(exchange.pool.origin))
        }
    }

    /// The handshake begins anew on another connection, once: none of its lost messages has proved or refused a password.
    private func handshakeLost(_ exchange: Exchange) {
        guard let step = exchange.drive?.lost() else { return refuse(.closed(exchange.pool.origin)) }
        take(step, exchange)
    }

    // MARK: Lost connections

    /// The client is gone. If the response will tell whether a password is right, its connection waits for it: after an unknown result
    /// all clients would have to wait before the next attempt.
    func leaveUpstream() {
        // The first message of a handshake has no proof of a password.
        guard let exchange, let upstream = exchange.upstream, let drive = exchange.drive, let sent = exchange.sending,
            exchange.hasSeenChallenge, exchange.afterDrain == nil, !exchange.responseHasBegun, !sent.fields.isEmpty,
            sent.connection == .same || !drive.isBinding
        else { return dropUpstream() }
        exchange.upstream = nil
        upstream.settleAlone { [self] head, bytes, traits in
            let fields = head.allFields(of: bytes)
            let step = drive.received(
                status: head.status,
                fields,
                on: traits,
                bodyWasSent: exchange.hasSentBody
            )
            guard case .deliver(.withheld(.credentialsRefused(let account), let party)) = step else { return }
            noteBadLogOn(account, at: party == .origin ? exchange.destination.origin : exchange.pool.origin)
        }
    }

    func upstreamLost(_ upstream: UpstreamConnection) {
        guard let exchange, exchange.upstream === upstream else { return }
        exchange.upstream = nil
        exchange.continueTimer?.cancel()
        if exchange.responseHasBegun { return abort() }
        if let failure = upstream.failure {
            let refusal = RelayRefusal.failed(exchange.pool.origin, failure)
            // Another parent gets the request only if this one has seen no part of it.
            let isUnused = !upstream.hasReceivedBytes && exchange.sending?.fields.isEmpty ?? true
            return isUnused ? notConnected(refusal, exchange) : refuse(refusal)
        }
        if exchange.afterDrain != nil { return goOn(exchange) }
        if let sending = exchange.sending, sending.body == .empty { return handshakeLost(exchange) }
        let hasPassword = exchange.sending.map { !$0.fields.isEmpty } == true && exchange.drive?.isBinding == true
        guard exchange.isReused, !upstream.hasReceivedBytes, !hasPassword, !exchange.hasSentBody, !exchange.hasRetried,
            exchange.head.mayBeRepeated || exchange.head.method == .connect
        else { return refuse(.closed(exchange.pool.origin)) }
        // The parent closed an idle connection at the moment of the request.
        exchange.hasRetried = true
        exchange.drive = nil
        exchange.sending = nil
        lease(exchange, isFresh: true)
    }

    func upstreamFailed(_ upstream: UpstreamConnection, _ defect: HeadDefect) {
        guard let exchange, exchange.upstream === upstream else { return upstream.close() }
        if exchange.responseHasBegun { return abort() }
        refuse(
            exchange.afterDrain == nil
                ? .malformed(defect, exchange.pool.origin) : .refusalTooLong(exchange.pool.origin)
        )
    }

    func upstreamStalled(_ upstream: UpstreamConnection) {
        if isInTunnel { return abort() }
        guard let exchange, exchange.upstream === upstream else { return upstream.close() }
        refuse(.stalled(exchange.pool.origin))
    }

    // MARK: Responses

    private func deliver(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        on upstream: UpstreamConnection,
        _ exchange: Exchange
    ) {
        noteLatency(of: exchange)
        if exchange.head.method == .connect, (200..<300).contains(head.status) {
            writeEstablished()
            return openTunnel(upstream)
        }
        if head.status == 101 {
            guard exchange.head.wantsWebSocket else {
                return refuse(.malformed(.statusLine, exchange.pool.origin))
            }
            write(ResponseWriter.head(head, bytes, isToHTTP10: exchange.head.isHTTP10, closes: false, loop))
            return openTunnel(upstream)
        }
        exchange.responseHasBegun = true
        exchange.closesClient = closes(head, exchange)
        writeHead(
            ResponseWriter.head(
                head,
                bytes,
                isToHTTP10: exchange.head.isHTTP10,
                closes: exchange.closesClient,
                rewriting: exchange.rewriting,
                proof: logOn?.proof,
                loop
            )
        )
    }

    /// Tells the client that its tunnel is open.
    func writeEstablished() {
        var out = ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n")
        for field in logOn?.proof ?? [:] { RequestFields.write(field, to: &out) }
        out.writeInteger(UInt16(0x0D0A))
        write(out)
    }

    func noteLatency(of exchange: Exchange) {
        let time = (NIODeadline.now() - exchange.begin).nanoseconds
        loop.latencies.record(microseconds: UInt64(max(0, time)) / 1_000)
    }

    /// Whether the client's connection ends with this response.
    private func closes(_ head: ResponseHead, _ exchange: Exchange) -> Bool {
        exchange.head.closes || head.framing == .untilClose || exchange.head.method == .connect || loop.isEnding
            // The rest of the body may still come, or never.
            || !exchange.body.isAtEnd && exchange.sending?.expectsContinue == true && !exchange.hasSentBody
    }

    /// Keeps a connection for the client that has authenticated it.
    private func keepOwn(_ upstream: UpstreamConnection) {
        upstream.park()
        ownUpstream = upstream
    }

    func writeBody(_ bytes: ByteBuffer) { write(bytes) }

    func responseEnded(_ upstream: UpstreamConnection) {
        guard let exchange, exchange.upstream === upstream else { return upstream.close() }
        let isWhole = exchange.body.isAtEnd
        exchange.upstream = nil
        exchange.cancel()
        self.exchange = nil
        if !exchange.owesBody, upstream.mayBeReused {
            if upstream.isOfClient { keepOwn(upstream) } else { exchange.pool.release(upstream) }
        } else {
            upstream.close()
        }
        guard isWhole, !exchange.closesClient, !inputIsClosed || received.readableBytes > 0, !loop.isEnding else {
            received = loop.noBytes
            return isWhole ? close() : closeLingering()
        }
        phase = .idle
        process()
        flush()
        resumeReads()
    }
}

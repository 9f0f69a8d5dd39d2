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
            write(ResponseWriter.head(head, bytes, to: exchange.head, closes: false, loop))
            flush()
        }
    }

    /// Takes the head of a response.
    func received(_ head: ResponseHead, _ bytes: ByteBuffer, on parent: ParentConnection) {
        guard let exchange, exchange.parent === parent else { return parent.close() }
        exchange.continueTimer?.cancel()
        if head.status == ParentStatus.challenge { return challenged(head, bytes, on: parent, exchange) }
        if let drive = exchange.drive {
            passed(head, bytes, drive, parent, exchange)
        } else if !parent.isBound {
            loop.pool.isOpenToAll = true
        }
        if exchange.sending?.body == .empty, exchange.head.hasBody, (200..<300).contains(head.status),
            !exchange.hasBegunAnew
        {
            // The parent asks no more, and has not seen the body: send all of it.
            exchange.hasBegunAnew = true
            exchange.drive = nil
            exchange.sending = nil
            dropParent()
            return lease(exchange, isFresh: true)
        }
        deliver(head, bytes, on: parent, exchange)
    }

    /// Tells the driver that the parent has let the request pass.
    private func passed(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        _ drive: Drive,
        _ parent: ParentConnection,
        _ exchange: Exchange
    ) {
        let wasBinding = drive.isBinding
        let step = drive.received(
            status: head.status,
            head.allFields(of: bytes),
            on: parent.traits,
            bodyWasSent: exchange.hasSentBody
        )
        guard case .deliver(let outcome) = step else { return }
        switch outcome {
        case .accepted:
            if wasBinding { parent.isBound = true }
            loop.pool.answersInAdvance = !wasBinding
            loop.pool.isOpenToAll = false
            if exchange.hasSeenChallenge { tellAccepted(exchange, head.allFields(of: bytes)) }
        case .notChallenged: if !parent.isBound { loop.pool.isOpenToAll = true }
        case .withheld: break
        }
    }

    /// A store may keep the password, now that it is known to be right.
    private func tellAccepted(_ exchange: Exchange, _ fields: HTTPFields) {
        guard let authenticator = loop.core.authenticator, let handler = exchange.handler else { return }
        let request = exchange.outgoing()
        let route = exchange.route(by: loop.core.settings.parent)
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
        on parent: ParentConnection,
        _ exchange: Exchange
    ) {
        exchange.hasSeenChallenge = true
        loop.pool.isOpenToAll = false
        var fields = head.allFields(of: bytes)
        let isWhole = exchange.sending?.body != .empty
        // A body that was announced and not sent would be taken from the next request; and a handshake cannot begin at all
        // servers on a connection that is authenticated already.
        let mustClose = parent.isBound || isWhole && exchange.head.hasBody && !exchange.body.isAtEnd
        if mustClose { fields[.connection] = "close" }
        parent.isBound = false
        var step: RequestStep
        if let drive = exchange.drive {
            step = drive.received(
                status: head.status,
                fields,
                on: parent.traits,
                bodyWasSent: exchange.hasSentBody
            )
        } else {
            let drive = makeDrive(exchange)
            step = drive.begin()
            if case .send(let next) = step, next.fields.isEmpty {
                step = drive.received(
                    status: head.status,
                    fields,
                    on: parent.traits,
                    bodyWasSent: exchange.hasSentBody
                )
            }
        }
        let mayContinue = head.isKeptAlive && !mustClose
        switch step {
        case .send(let next):
            guard !exchange.hasSentBody else { return refuse(.bodySpent) }
            after(.send(next), on: parent, mayContinue: mayContinue && next.connection != .new, exchange)
        case .wait(let ticket): after(.wait(ticket), on: parent, mayContinue: mayContinue, exchange)
        case .deliver(.withheld(.bodySpent, _)): refuse(.bodySpent)
        case .deliver(.withheld(let refusal, _)):
            after(.ask(refusal, fields), on: parent, mayContinue: mayContinue, exchange)
        case .needs: refuse(.needsSupply)
        case .deliver: refuse(.withheld(.malformedChallenge(nil)))
        }
    }

    private func after(
        _ step: Exchange.AfterDrain,
        on parent: ParentConnection,
        mayContinue: Bool,
        _ exchange: Exchange
    ) {
        exchange.gate = .held
        exchange.afterDrain = step
        if mayContinue { return parent.drain() }
        dropParent()
        goOn(exchange)
    }

    /// The refused response is read to its end.
    func refusedResponseEnded(_ parent: ParentConnection) {
        guard let exchange, exchange.parent === parent else { return parent.close() }
        if !parent.mayBeReused { dropParent() }
        goOn(exchange)
    }

    private func goOn(_ exchange: Exchange) {
        switch exchange.afterDrain.take() {
        case .send(let next):
            if next.connection == .same, exchange.parent == nil { return handshakeLost(exchange) }
            take(.send(next), exchange)
        case .wait(let ticket): take(.wait(ticket), exchange)
        case .ask(let refusal, let fields): withheld(refusal, fields, exchange)
        case nil: refuse(.closed(loop.core.settings.parent))
        }
    }

    /// The handshake begins anew on another connection, once: none of its lost messages has proved or refused a password.
    private func handshakeLost(_ exchange: Exchange) {
        guard let step = exchange.drive?.lost() else { return refuse(.closed(loop.core.settings.parent)) }
        take(step, exchange)
    }

    // MARK: Lost connections

    func parentLost(_ parent: ParentConnection) {
        guard let exchange, exchange.parent === parent else { return }
        exchange.parent = nil
        exchange.continueTimer?.cancel()
        if exchange.responseHasBegun { return abort() }
        if let failure = parent.failure { return refuse(.failed(loop.core.settings.parent, reason: "\(failure)")) }
        if exchange.afterDrain != nil { return goOn(exchange) }
        if let sending = exchange.sending, sending.body == .empty { return handshakeLost(exchange) }
        let hasPassword = exchange.sending.map { !$0.fields.isEmpty } == true && exchange.drive?.isBinding == true
        guard exchange.isReused, !parent.hasReceivedBytes, !hasPassword, !exchange.hasSentBody, !exchange.hasRetried,
            exchange.head.mayBeRepeated || exchange.head.method == .connect
        else { return refuse(.closed(loop.core.settings.parent)) }
        // The parent closed an idle connection at the moment of the request.
        exchange.hasRetried = true
        exchange.drive = nil
        exchange.sending = nil
        lease(exchange, isFresh: true)
    }

    func parentFailed(_ parent: ParentConnection, _ defect: HeadDefect) {
        guard let exchange, exchange.parent === parent else { return parent.close() }
        if exchange.responseHasBegun { return abort() }
        refuse(
            exchange.afterDrain == nil
                ? .malformed(defect, loop.core.settings.parent) : .refusalTooLong(loop.core.settings.parent)
        )
    }

    func parentStalled(_ parent: ParentConnection) {
        if isInTunnel { return abort() }
        guard let exchange, exchange.parent === parent else { return parent.close() }
        refuse(.stalled(loop.core.settings.parent))
    }

    // MARK: Responses

    private func deliver(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        on parent: ParentConnection,
        _ exchange: Exchange
    ) {
        if exchange.head.method == .connect, (200..<300).contains(head.status) {
            write(ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n"))
            return openTunnel(parent)
        }
        if head.status == 101 {
            guard exchange.head.wantsWebSocket else {
                return refuse(.malformed(.statusLine, loop.core.settings.parent))
            }
            write(ResponseWriter.head(head, bytes, to: exchange.head, closes: false, loop))
            return openTunnel(parent)
        }
        exchange.responseHasBegun = true
        exchange.closesClient = closes(head, exchange)
        write(ResponseWriter.head(head, bytes, to: exchange.head, closes: exchange.closesClient, loop))
    }

    /// Whether the client's connection ends with this response.
    private func closes(_ head: ResponseHead, _ exchange: Exchange) -> Bool {
        exchange.head.closes || head.framing == .untilClose || exchange.head.method == .connect || loop.isEnding
            // The rest of the body may still come, or never.
            || !exchange.body.isAtEnd && exchange.sending?.expectsContinue == true && !exchange.hasSentBody
    }

    func writeBody(_ bytes: ByteBuffer) { write(bytes) }

    func responseEnded(_ parent: ParentConnection) {
        guard let exchange, exchange.parent === parent else { return parent.close() }
        let isWhole = exchange.body.isAtEnd
        exchange.parent = nil
        exchange.cancel()
        self.exchange = nil
        if isWhole, parent.mayBeReused { loop.pool.release(parent) } else { parent.close() }
        guard isWhole, !exchange.closesClient, !inputIsClosed || received.readableBytes > 0, !loop.isEnding else {
            received = ByteBuffer()
            return isWhole ? close() : closeLingering()
        }
        phase = .idle
        process()
        flush()
        resumeReads()
    }
}

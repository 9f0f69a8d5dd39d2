internal import HTTP1
internal import HTTPAuthentication
internal import NIOCore
internal import RequestFlow
internal import Sallyport
internal import SallyportNIO

/// Sends the request, as its flow says.
extension RelayedRequest {
    /// Begins to carry the request.
    func start() {
        // Elsewhere a flow is made when the parent asks, or when a connection is lost.
        let needsFlow =
            answersServer || placesToken || pool.answersInAdvance || head.hasBody && !pool.isOpen(to: destination)
        guard needsFlow else { return lease(isFresh: false) }
        if let answer = answerInAdvance() {
            (answering, next) = (.inAdvance(answer), answer.sending)
            return lease(isFresh: false)
        }
        beginWithFlow()
    }

    /// Begins with a flow.
    func beginWithFlow() {
        let flow = makeFlow()
        answering = .flow(flow)
        follow(flow.report { $0.begin() })
    }

    func makeFlow() -> RunningFlow { RunningFlow(RequestFlow(handler, outgoing(), by: route, facts)) }

    /// The flow of a request that is on its way. One that had none until now takes over the answer that went along, if there was one.
    func runningFlow() -> RunningFlow { answering.runningFlow { makeFlow() } }

    /// The same, for a request with an answer; `nil` for one without.
    func flowOfAnswer() -> RunningFlow? { answering.isNothing ? nil : runningFlow() }

    /// Does what the flow says, where no response is under way that the client may get.
    func follow(_ command: FlowCommand) {
        switch command {
        case .send(let sending):
            next = sending
            if let upstream { return send(on: upstream) }
            lease(isFresh: sending.connection == .new || challenged.isWhenBound)
        case .wait(let turn): wait(for: turn)
        case .deliver(.withheld(.bodySpent, by: _)): refuse(.bodySpent)
        case .deliver(.withheld(let refusal, by: let party)),
            .fail(.handshakeLost(.withheld(let refusal, by: let party))):
            if party == .origin, flow?.challenge == nil || !mayAsk(refusal) {
                refuse(.withheldFromServer(refusal))
            } else {
                withheld(refusal, nil, by: party)
            }
        case .fail(let failure): refuse(refusal(after: failure))
        case .deliver, .drop: refuse(.closed(pool.origin))
        }
    }

    /// Why a request has no response.
    private func refusal(after failure: FlowFailure) -> RelayRefusal {
        let party = pool.origin
        switch failure {
        case .connectionLost, .handshakeLost: return .closed(party)
        case .refusalTooLong:
            let isOfServer = flow?.challenge?.status == ServerStatus.challenge
            let place = isOfServer ? destination.origin : party
            return .failed(place, reason: "\(place): \(FlowFailure.refusalTooLong(beyond: loop.limits.drainedBytes))")
        case .bodyUnseen:
            return .failed(party, reason: "\(party): success before the body was sent, twice: ask who runs it")
        case .needNotMet: return .needsSupply
        case .notProven(let refusal, by: .origin): return .withheldFromServer(refusal)
        case .notProven(let refusal, by: .proxy): return .withheld(refusal)
        }
    }

    func send(on upstream: UpstreamConnection) {
        let next = takeNext()
        let isWhole = !leftBodyOut
        let hasBody = isWhole && head.hasBody
        let expects = hasBody && (head.expectsContinue || next?.expectsContinue == true)
        func write(to out: inout ByteBuffer) {
            if let line = next?.readyLine {
                out.writeBytes(line)
            } else {
                next?.forEachField { RequestFields.write($0, to: &out) }
            }
            if !isWhole {
                if head.hasBody { out.writeStaticString("Content-Length: 0\r\n") }
            } else {
                switch head.framing {
                case .chunked: out.writeStaticString("Transfer-Encoding: chunked\r\n")
                case .length(let length) where length > 0 || head.fields.length != nil && head.method != .connect:
                    RequestFields.writeLength(length, to: &out)
                default: break
                }
            }
            if expects { out.writeStaticString("Expect: 100-continue\r\n") }
            if !pool.isDirect, let field = upstream.persistence.due { RequestFields.write(field, to: &out) }
            if head.wantsWebSocket { out.writeStaticString("Connection: Upgrade\r\nUpgrade: websocket\r\n") }
            out.writeInteger(UInt16(0x0D0A))
        }
        let bytes =
            if let next, next.addsToken { text.sent(as: next, write(to:)) } else { text.sent(write(to:)) }
        upstream.begin(self, head.method)
        answering.sendHasBegun()
        upstream.write(bytes)
        upstream.flush()
        hurry()
        guard hasBody else { return }
        let holds = next?.holdsBody == true && !keepsBody
        if expects || holds { waitForContinue() } else { openGate() }
    }

    /// The first message of a handshake holds up the others while its password is unproven, so it does not wait long if the client may be gone.
    func hurry() {
        guard client.inputIsClosed, !stage.isDelivering, leftBodyOut, flow?.awaitsVerdict == false else {
            return
        }
        upstream?.hurry()
    }

    func wait(for turn: AttemptTurn) {
        giveBackUpstream()
        client.deadline = loop.now + loop.limits.waiting
        let wait = TurnWait(turn, on: loop.eventLoop) { [weak self] in
            guard let self, isCurrent, let flow else { return }
            client.deadline = .distantFuture
            stage = .underWay
            // The connection was given back.
            follow(flow.report { $0.resumed(keepsConnection: false) })
        }
        stage = .waiting(wait)
    }

    // MARK: The body

    private func waitForContinue() {
        body.gate = .held
        stopContinueTimer()
        continueTimer = loop.eventLoop.assumeIsolated().scheduleTask(in: loop.limits.continuing) { [self] in
            // RFC 9110 section 10.1.1: a party that does not know the expectation does not answer it.
            guard isCurrent else { return }
            passContinue()
            openGate()
        }
    }

    /// Lets a client that waits for the word send its body.
    func passContinue() {
        guard body.expectation == .waits else { return }
        body.expectation = .told
        client.write(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"))
        client.flush()
    }

    func openGate() {
        stopContinueTimer()
        guard isCurrent, let upstream, !body.isOpen else { return }
        body.gate = .open
        // What another send has passed already.
        if let kept = body.kept { upstream.write(kept) }
        client.process()
        self.upstream?.flush()
        client.resumeReads()
    }

    /// Keeps a part of the body that passes, as long as there is room.
    ///
    /// Each step is one short access to the body, so the compiler knows that accesses do not overlap, and checks none of them.
    private func keep(_ part: ByteBuffer) {
        guard !body.isGone else { return }
        var kept = body.takeKept()
        guard kept.readableBytes + part.readableBytes <= mostKept else { return body.hasPassed(nil) }
        kept.writeImmutableBuffer(part)
        body.hasPassed(kept)
    }

    /// Passes on what has come of the body.
    func passBody() {
        guard body.isOpen, let upstream, !body.isAtEnd else { return }
        guard client.received.readableBytes > 0 else {
            if client.inputIsClosed { client.abort() }
            return
        }
        do throws(HeadDefect) {
            let whole = client.received
            var reader = body.reader
            let count = try reader.advance(over: whole.readableBytesUInt8Span)
            body.reader = reader
            var all = whole
            guard count > 0, let part = all.readSlice(length: count) else { return }
            client.received = all.readableBytes > 0 ? all : loop.noBytes
            keep(part)
            upstream.write(part)
            upstream.touch()
            if body.isAtEnd || !upstream.isWritable { upstream.flush() }
            // The rest will not come.
            if client.inputIsClosed, !body.isAtEnd { client.abort() }
        } catch {
            // The parent has a part of the request: its connection carries nothing else.
            leaveUpstream()
            if stage.isDelivering { client.abort() } else { refuse(.defect(error)) }
        }
    }
}

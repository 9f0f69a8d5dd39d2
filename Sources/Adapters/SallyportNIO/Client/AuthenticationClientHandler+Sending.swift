internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import RequestFlow
internal import Sallyport

extension AuthenticationClientHandler {
    /// Reports an event to the flow of the request at work, and does what it says.
    ///
    /// - Parameter isUsable: whether the connection can carry the next send.
    func follow(_ request: PipelinedRequest, isUsable: Bool, _ event: (inout RequestFlow) -> FlowCommand) {
        guard let handler = request.handler else { return fail(.connectionClosed) }
        let running = request.answering.runningFlow { lateFlow(of: request, handler) }
        switch running.report(event) {
        case .send(let next): isUsable ? send(next, request) : handOver(request, .send(next))
        case .drop: drain(request)
        case .wait(let turn):
            if isUsable || hasResponse { wait(for: turn) } else { handOver(request, .wait(turn)) }
        case .deliver(let outcome):
            noteEnd(outcome, request) ? ask(about: outcome, request) : deliver(outcome, request)
        case .fail(.connectionLost):
            drop(.connectionClosed)
            context?.close(promise: nil)
        case .fail(.handshakeLost(let outcome)): fail(.handshakeLost(outcome))
        case .fail(.refusalTooLong): fail(.responseTooLong(bound: options.mostDrainedBytes))
        case .fail(.bodyUnseen): fail(.answeredBeforeBody)
        case .fail(.needNotMet(let need)): fail(.needNotMet(need))
        case .fail(.notProven(let refusal, by: let party)): fail(.notProven(refusal, by: party))
        }
    }

    /// Whether a response of the request at work has begun.
    private var hasResponse: Bool { current?.heldResponse.head != nil }

    /// Drops the rest of a refused response, and waits until the refused request has been sent.
    private func drain(_ request: PipelinedRequest) {
        request.heldResponse = HeldResponse()
        phase = .draining
        if refusedBytes > options.mostDrainedBytes { return dropped(.tooLong) }
        if !responseHasEnded { schedule(after: options.drainTime) { [unowned self] in dropped(.tooLong) } }
        goOnWithBody()
        releaseRead()
        proceedIfReady()
    }

    /// Sends again once the refused response and the refused request have ended.
    func proceedIfReady() {
        guard case .draining = phase, responseHasEnded, let current else { return }
        guard sending?.body == .empty || current.body.isSent else { return }
        dropped(isLast ? .unusable : .reusable)
    }

    /// The refused response was dropped.
    func dropped(_ end: DropEnd) {
        guard let current else { return }
        cancelTimer()
        follow(current, isUsable: end == .reusable) { $0.dropped(end) }
    }

    /// Writes the request with its answers.
    func send(_ next: RequestSending, _ request: PipelinedRequest) {
        guard let context else { return }
        cancelTimer()
        guard next.body == .empty || request.body.isWhole else {
            return fail(.bodyNotKept(bound: options.mostRepeatableBytes))
        }
        if sending == nil { carried += 1 }
        request.heldResponse = HeldResponse()
        request.body.rewind()
        phase = .awaiting(hasHeard: false)
        (sending, responseHasEnded, refusedBytes) = (next, false, 0)
        gate = next.holdsBody && request.head.version == .http1_1 ? .held : .open
        let head: NIOAny
        do throws(UnsendableField) { head = try self.head(of: request, next) } catch { return fail(.unsendable(error)) }
        request.answering.sendHasBegun()
        context.write(head, promise: request.takeHeadPromise())
        if next.body == .empty { context.write(wrapOutboundOut(.end(nil)), promise: nil) }
        if gate == .held {
            schedule(after: options.continueTime) { [unowned self] in
                releaseBody()
                self.context?.flush()
            }
        }
        pump()
        context.flush()
    }

    /// The head with answers, and with what the body of this send needs.
    private func head(of request: PipelinedRequest, _ next: RequestSending) throws(UnsendableField) -> NIOAny {
        let asks = gate == .held && next.expectsContinue && !request.expectsContinue
        let field = persistence?.due
        // Without an array of fields, because most requests need none.
        let hasNone = !next.hasAnswer && next.placed == nil && field == nil
        let referer = authenticator?.hasTokenSources == true ? self.referer(of: request) : nil
        let isPlain = referer == nil && hasNone && next.body == .whole && !asks
        if isPlain, let written = request.writtenHead { return written }
        var head = request.head
        head.uri = next.target(head.uri)
        if let referer { head.headers.replaceOrAdd(name: "Referer", value: referer) }
        try head.headers.replace(with: next)
        if let field, !head.headers.contains(name: field.name.rawName) {
            head.headers.add(name: field.name.rawName, value: field.value)
        }
        if next.body == .empty {
            for name in ["Expect", "Transfer-Encoding", "Trailer"] { head.headers.remove(name: name) }
            if request.hasBody { head.headers.replaceOrAdd(name: "Content-Length", value: "0") }
        } else if asks {
            head.headers.add(name: "Expect", value: "100-continue")
        }
        return wrapOutboundOut(.head(head))
    }

    /// Sends the body that waited for `100 Continue`.
    func releaseBody() {
        guard gate == .held else { return }
        gate = .open
        cancelTimer()
        if let current, current.body.unsentBytes > options.mostRepeatableBytes { current.body.stopKeeping() }
        pump()
    }

    /// Writes the parts that may be sent.
    func pump() {
        guard let current, let context, sending?.body == .whole, gate.letsPass, !current.isAbandoned else { return }
        while let part = current.body.next() {
            context.write(part.data, promise: part.promise)
        }
    }

    /// Sends what was written while the response was held.
    func goOnWithBody() {
        guard let current, current.body.hasUnsentParts else { return }
        pump()
        context?.flush()
    }

    /// Waits for another request's attempt.
    private func wait(for turn: AttemptTurn) {
        guard let context else { return }
        phase = hasResponse ? .holding(turn) : .waiting(turn)
        wait = TurnWait(turn, on: context.eventLoop) { [unowned self] in
            guard mode == .working, let current else { return }
            defer { readEventHasEnded() }
            // A response of another connection needs no end here.
            let isOnConnection = hasResponse && sending != nil
            follow(current, isUsable: !isOnConnection) {
                $0.resumed(keepsConnection: isOnConnection || !hasResponse)
            }
        }
    }

    /// Passes on a read that waited for a decision.
    func releaseRead() {
        guard hasHeldRead else { return }
        hasHeldRead = false
        context?.read()
    }

    /// Sends the request of another connection.
    func goOnWithContinued() {
        guard mode == .working, let (request, next, behind) = continued?.take() else { return }
        continued = nil
        // What was written to this channel comes after them.
        var later = behind
        if let current { later.append(current) }
        later.append(contentsOf: queue)
        (current, queue) = (request, later)
        responseHasEnded = hasResponse
        switch next {
        case .begin: if isReady(request) { begin(request) } else { phase = .gathering }
        case .send(let sending): send(sending, request)
        case .wait(let turn): wait(for: turn)
        case .ask(let question, let outcome): wait(for: question, about: outcome, request)
        }
    }
}

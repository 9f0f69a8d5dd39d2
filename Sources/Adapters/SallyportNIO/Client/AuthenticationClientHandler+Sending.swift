internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import Sallyport

extension AuthenticationClientHandler {
    /// Does what the driver says.
    func take(_ step: RequestStep, _ request: PipelinedRequest) {
        switch step {
        case .send(let next): prepare(next, request)
        case .wait(let ticket): wait(for: ticket)
        case .needs(let need): fail(.needNotMet(need))
        case .deliver(let outcome): deliver(outcome, request)
        }
    }

    /// Whether a response of the request at work has begun.
    private var hasResponse: Bool { current?.heldResponse.head != nil }

    /// Sends now, or after the refused response and the refused request have ended, or on another connection.
    private func prepare(_ next: RequestSending, _ request: PipelinedRequest) {
        // The response of another connection needs no end here.
        guard hasResponse, sending != nil else {
            request.heldResponse = HeldResponse()
            return send(next, request)
        }
        if next.body == .whole, !request.body.isWhole {
            return deliver(.withheld(.bodySpent, by: request.authentication?.challenger ?? .origin), request)
        }
        request.heldResponse = HeldResponse()
        let isIncomplete = sending?.body == .whole && !request.body.isSent
        // After a final response the rest of the body may not be sent, or is not expected.
        let isCut = isIncomplete && (sending?.expectsContinue == true || request.expectsContinue)
        let mustMove = next.connection == .new || responseCloses || outputIsClosed || isCut
        if mustMove { return move(next, request) }
        phase = .draining(next)
        if refusedBytes > options.mostDrainedBytes { return move(next, request) }
        if !responseHasEnded {
            schedule(after: options.drainTime) { [unowned self] in move(next, request) }
        }
        releaseRead()
        proceedIfReady()
    }

    /// Sends again once the refused response and the refused request have ended.
    func proceedIfReady() {
        guard case .draining(let next) = phase, responseHasEnded, let current else { return }
        guard sending?.body == .empty || current.body.isSent else { return }
        guard next.body == .empty || current.body.isWhole else {
            return fail(.bodyNotKept(bound: options.mostRepeatableBytes))
        }
        send(next, current)
    }

    /// Writes the request with its answers.
    private func send(_ next: RequestSending, _ request: PipelinedRequest) {
        guard let context else { return }
        cancelTimer()
        request.body.rewind()
        phase = .awaiting
        (sending, responseHasEnded, responseCloses, refusedBytes) = (next, false, false, 0)
        holdsBody = next.expectsContinue && next.body == .whole && request.head.version == .http1_1
        let head: NIOAny
        do throws(UnsendableField) { head = try self.head(of: request, next) } catch { return fail(.unsendable(error)) }
        context.write(head, promise: request.takeHeadPromise())
        if next.body == .empty { context.write(wrapOutboundOut(.end(nil)), promise: nil) }
        if holdsBody {
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
        let asks = holdsBody && !request.expectsContinue
        let field = persistence?.due
        // Without an array of fields, because most requests need none.
        let hasNone = next.authorization == nil && next.proxyAuthorization == nil && field == nil
        let isPlain = hasNone && next.body == .whole && !asks
        if isPlain, let written = request.writtenHead { return written }
        var head = request.head
        try head.headers.replace(with: next.fields)
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
        holdsBody = false
        cancelTimer()
        if let current, current.body.unsentBytes > options.mostRepeatableBytes { current.body.stopKeeping() }
        pump()
    }

    /// Writes the parts that may be sent.
    func pump() {
        guard let current, let context, sending?.body == .whole, !holdsBody, !current.isAbandoned else { return }
        while let part = current.body.next() {
            context.write(part.data, promise: part.promise)
        }
    }

    /// Waits for another request's attempt.
    private func wait(for ticket: AttemptTicket) {
        guard let context else { return }
        phase = hasResponse ? .holding(ticket) : .waiting(ticket)
        wait = TicketWait(ticket, on: context.eventLoop) { [unowned self] in
            guard mode == .working, let current, let step = current.authentication?.resume() else { return }
            take(step, current)
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
        guard mode == .working, let (request, next) = continued?.take() else { return }
        continued = nil
        if let current { queue.prepend(current) }
        current = request
        responseHasEnded = hasResponse
        switch next {
        case .begin: begin(request)
        case .send(let sending): prepare(sending, request)
        case .wait(let ticket): wait(for: ticket)
        }
    }
}

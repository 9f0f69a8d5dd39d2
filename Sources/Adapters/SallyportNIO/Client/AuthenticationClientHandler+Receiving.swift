internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import RequestFlow
internal import Sallyport

extension AuthenticationClientHandler {
    /// Takes a part of a response.
    func received(_ part: HTTPClientResponsePart, _ data: NIOAny) {
        guard let request = current else {
            context?.fireChannelRead(data)
            return
        }
        switch (phase, part) {
        case (.awaiting, .head(let head)):
            received(head, data, request)
        case (.draining, _):
            hasSwallowed = true
            drained(part)
        case (.holding, _), (.asking(.some), _):
            hasSwallowed = true
            hold(part, data, request)
        default:
            pass(data, isEnd: part.isEnd, request)
        }
    }

    private func received(_ head: HTTPResponseHead, _ data: NIOAny, _ request: PipelinedRequest) {
        let code = Int(head.status.code)
        if (100..<200).contains(code), code != 101 { return receivedInterim(head, data, request) }
        cancelTimer()
        hasSwallowed = true
        persistence?.answered(inHTTP10: head.version == .http1_0)
        guard code != 101 || request.head.headers.contains(name: "Upgrade") else { return fail(.unaskedUpgrade) }
        request.heldResponse = HeldResponse(head, data)
        if closes(head, to: request) { isLast = true }
        let isChallenge = ChallengedParty(challengingWith: code) != nil
        if isChallenge, request.key == nil, let handler = request.handler {
            request.key = key(of: request, handler)
        }
        let fields = HTTPFields(proofIn: head.headers)
        if !isChallenge, let outcome = request.answering.outcome(of: code, fields: fields, isPassedOn: false) {
            return noteEnd(outcome, request) ? ask(about: outcome, request) : deliver(outcome, request)
        }
        let response = FlowResponse(
            status: code,
            // Of other responses only the proof of the server counts.
            fields: isChallenge ? HTTPFields(head.headers) : fields,
            on: ConnectionTraits(id: connection, security: isChallenge ? security ?? .init(of: context, to: hop) : nil),
            keepsConnection: !isLast && !cuts(request),
            length: isChallenge && request.head.method != .HEAD
                ? head.headers.first(name: "Content-Length").flatMap { Int64($0) } : nil,
            bodyIsSpent: request.isBodySpent
        )
        follow(request, isUsable: false) { $0.received(response) }
    }

    /// Whether the final response has come before the body that the head has announced: the rest may not be sent, or is not expected.
    private func cuts(_ request: PipelinedRequest) -> Bool {
        sending?.body == .whole && !request.body.isSent && (sending?.holdsBody == true || request.expectsContinue)
    }

    /// Whether the connection ends with this response.
    private func closes(_ head: HTTPResponseHead, to request: PipelinedRequest) -> Bool {
        if !head.isKeepAlive { return true }
        if request.head.method == .HEAD || [101, 204, 304].contains(head.status.code) { return false }
        return !head.headers.contains(name: "Content-Length") && !head.headers.contains(name: "Transfer-Encoding")
    }

    private func receivedInterim(_ head: HTTPResponseHead, _ data: NIOAny, _ request: PipelinedRequest) {
        let isAsked = head.status == .continue && sending?.expectsContinue == true && !request.expectsContinue
        phase = .awaiting(hasHeard: true)
        if isAsked { hasSwallowed = true } else { fire(data) }
        if head.status == .continue, gate == .held {
            releaseBody()
            context?.flush()
        }
    }

    private func drained(_ part: HTTPClientResponsePart) {
        switch part {
        case _ where responseHasEnded, .head: dropped(.unusable)
        case .body(let bytes):
            refusedBytes += bytes.readableBytes
            if refusedBytes > options.mostDrainedBytes { dropped(.tooLong) }
        case .end: responseHasEnded = true
        }
    }

    private func hold(_ part: HTTPClientResponsePart, _ data: NIOAny, _ request: PipelinedRequest) {
        if case .body(let bytes) = part { refusedBytes += bytes.readableBytes }
        guard refusedBytes <= options.mostDrainedBytes else {
            return fail(.responseTooLong(bound: options.mostDrainedBytes))
        }
        request.heldResponse.append(data)
        if part.isEnd { responseHasEnded = true }
    }

    /// Passes the response to the user.
    func deliver(_ outcome: RequestOutcome, _ request: PipelinedRequest) {
        guard let head = request.heldResponse.head else { return fail(.connectionClosed) }
        cancelTimer()
        phase = .delivering
        let held = request.heldResponse.take()
        // All that is held after the head has come before its end.
        let hasEnded = responseHasEnded
        noteBinding(of: request)
        let sentBytes = sending?.body == .whole && gate == .open ? request.mostBytes : 0
        if FlowFacts.leavesBodyUnread(Int(head.status.code), bodyBytes: sentBytes) { gate = .unread }
        if sending?.body == .whole ? gate == .held : request.hasBody { abandonBody(of: request) }
        goOnWithBody()
        context?.fireUserInboundEventTriggered(AuthenticationOutcome.event(outcome))
        if let first = held.first, mode == .working {
            fire(gate == .unread ? wrapInboundOut(.head(head.closing)) : first)
        }
        for (index, part) in held.rest.enumerated() where mode == .working {
            pass(part, isEnd: hasEnded && index == held.rest.count - 1, request)
        }
        if head.status == .switchingProtocols, mode == .working {
            drop(.connectionClosed)
            mode = .passing
        }
        releaseRead()
    }

    /// Keeps the key of a connection that a scheme has authenticated. Also after a refusal: what the server keeps is not known.
    private func noteBinding(of request: PipelinedRequest) {
        guard boundKey == nil, request.key != nil, let running = request.answering.flow else { return }
        if running.bindsConnection { boundKey = request.key }
    }

    /// The server has answered before the body, so the body is not sent. If the head has announced it, the connection cannot
    /// carry another request.
    private func abandonBody(of request: PipelinedRequest) {
        if gate == .held { gate = .cut }
        request.isAbandoned = true
        request.fail(AuthenticationError.answeredBeforeBody)
    }

    private func pass(_ data: NIOAny, isEnd: Bool, _ request: PipelinedRequest) {
        fire(data)
        guard case .delivering = phase, isEnd else { return }
        responseHasEnded = true
        finishIfReady()
    }

    private func fire(_ data: NIOAny) {
        hasSwallowed = false
        context?.fireChannelRead(data)
    }

    /// After what was passed on when no bytes came: handlers such as that of `NIOAsyncChannel` keep all parts until a read event ends.
    func readEventHasEnded() { context?.fireChannelReadComplete() }

    /// Begins the next request after the response, and the request that it answers, have ended.
    func finishIfReady() {
        guard case .delivering = phase, responseHasEnded, let request = current else { return }
        if gate == .cut {
            if let next = queue.popFirst() {
                request.fail(AuthenticationError.answeredBeforeBody)
                return handOver(next, .begin)
            }
            drop(.answeredBeforeBody)
            context?.close(promise: nil)
            return
        }
        // After a send without body there is nothing left to send.
        let isWhole = sending?.body == .whole && !request.isAbandoned
        guard isWhole ? request.body.isSent : request.body.isEnded else { return }
        for promise in request.body.takePromises() { promise.succeed() }
        current = nil
        request.end()
        spare = request
        phase = .gathering
        sending = nil
        guard let next = queue.popFirst() else { return }
        // Nothing of it has left.
        guard !isLast, gate != .unread else { return handOver(next, .begin) }
        current = next
        if isReady(next) { begin(next) }
    }
}

extension HTTPFields {
    /// The fields with which a party that accepts may prove itself: `WWW-Authenticate`, `Authentication-Info`, and a proxy's.
    fileprivate init(proofIn headers: HTTPHeaders) {
        guard headers.contains(where: Self.mayProve) else {
            // An empty value has memory of its own.
            self = Self.none
            return
        }
        self.init(pairs: headers.lazy.filter(Self.mayProve).map { (name: $0.name, value: $0.value) })
    }

    private static let none = HTTPFields()

    private static func mayProve(_ name: String, _ value: String) -> Bool {
        name.utf8.count >= 16 && name.lowercased().contains("authenticat")
    }
}

extension HTTPResponseHead {
    /// The same, saying that nothing follows it on its connection.
    fileprivate var closing: HTTPResponseHead {
        var head = self
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        return head
    }
}

extension HTTPClientResponsePart {
    fileprivate var isEnd: Bool {
        if case .end = self { return true }
        return false
    }
}

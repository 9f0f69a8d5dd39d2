internal import HTTP1
internal import HTTPTypes
internal import NIOCore
internal import RequestFlow
internal import Sallyport

extension ProxyTunnelHandler {
    /// Begins, or goes on with the tunnel of another connection.
    func start() {
        guard case .idle = phase else { return }
        if let (running, next) = continued?.take() {
            self.running = running
            switch next {
            case .send(let sending): send(sending)
            case .wait(let turn): wait(for: turn, challenge: nil)
            }
            return
        }
        running = RunningFlow(
            RequestFlow(
                handlers.handler,
                OutgoingRequest(origin: origin),
                by: .connect(to: proxy),
                FlowFacts(
                    answersInAdvance: options.answersInAdvance,
                    mayBeRepeated: true,
                    bodyBytes: 0,
                    mostDroppedBytes: Int64(options.mostDrainedBytes)
                )
            )
        )
        followFlow(on: true) { $0.begin() }
    }

    /// Reports an event to the flow, and does what it says.
    ///
    /// - Parameters:
    ///   - isUsable: whether the connection can carry the next send.
    ///   - response: the response that may be the result.
    func followFlow(
        on isUsable: Bool,
        _ response: Response? = nil,
        _ event: (inout RequestFlow) -> FlowCommand
    ) {
        guard let running else { return fail(.connectionClosed) }
        switch running.report(event) {
        case .send(let next): if isUsable { send(next) } else { move(.send(next)) }
        case .drop: drain()
        case .wait(let turn):
            if isUsable || response != nil { wait(for: turn, challenge: response) } else { move(.wait(turn)) }
        case .deliver(let outcome): deliver(outcome, response)
        case .fail(.notProven(let refusal, by: let party)): deliver(.withheld(refusal, by: party), response)
        // CONNECT has no body.
        case .fail(.connectionLost), .fail(.bodyUnseen): fail(.connectionClosed)
        case .fail(.handshakeLost(let outcome)), .fail(.refusalTooLong(let outcome)): fail(.handshakeLost(outcome))
        case .fail(.needNotMet(let need)): fail(.needNotMet(need))
        }
    }

    private func send(_ next: RequestSending) {
        guard let context else { return }
        guard reader.rest.readableBytes == 0 else { return fail(.malformed(.unaskedBytes)) }
        let request: ConnectRequest
        do { request = try ConnectRequest(to: origin, fields: fields) } catch { return fail(error) }
        phase = .awaiting
        reader.begin(.connect)
        let bytes = request.bytes(with: next.fields, persistence, in: context.channel.allocator)
        running?.sendHasBegun()
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
        context.read()
    }

    private func wait(for turn: AttemptTurn, challenge: Response?) {
        guard let context else { return }
        phase = .waiting(turn, challenge: challenge)
        wait = TurnWait(turn, on: context.eventLoop) { [unowned self] in
            guard case .waiting(_, let response) = phase else { return }
            followFlow(on: response == nil, response) { $0.resumed(keepsConnection: response != nil) }
        }
    }

    /// Reads what has come, as far as the phase allows.
    func process() {
        do throws(HeadDefect) {
            while true {
                switch phase {
                case .awaiting:
                    guard let part = try reader.next() else { return }
                    if case .head(let head, let bytes) = part { took(head, head.allFields(of: bytes), bytes) }
                case .draining:
                    let part = try reader.next()
                    guard reader.bodyBytes <= options.mostDrainedBytes else {
                        return dropped(.tooLong)
                    }
                    guard let part else { return }
                    if case .end = part { dropped(.reusable) }
                case .waiting, .opening:
                    guard reader.rest.readableBytes <= options.mostHeldBytes else {
                        return fail(.tooMuchWaits(bound: options.mostHeldBytes))
                    }
                    return
                case .idle: throw .unaskedBytes
                case .open, .closed: return
                }
            }
        } catch {
            // The flow learns what the status says of the password.
            if case .awaiting = phase { _ = running?.report { [loss] in $0.lost(loss) } }
            fail(.malformed(ResponseDefect(error, options.mostHeadBytes, options.mostInterimResponses)))
        }
    }

    private func took(_ head: ResponseHead, _ fields: HTTPFields, _ bytes: ByteBuffer) {
        persistence.answered(inHTTP10: head.isHTTP10)
        var length: Int64?
        if case .length(let count) = head.framing { length = Int64(count) }
        let response = FlowResponse(
            status: head.status,
            fields: fields,
            on: ConnectionTraits(id: connection, security: security ?? .init(of: context, to: proxy)),
            keepsConnection: head.isKeptAlive,
            length: length
        )
        let reason = (200..<300).contains(head.status) ? "" : head.reason(in: bytes)
        followFlow(on: false, (head, fields, reason)) { $0.received(response) }
    }

    private func drain() {
        phase = .draining
        drainTimer = context?.eventLoop.assumeIsolated().scheduleTask(in: options.drainTime) { [unowned self] in
            dropped(.tooLong)
        }
        context?.read()
        process()
    }

    /// The refused response was dropped.
    func dropped(_ end: DropEnd) {
        guard case .draining = phase else { return }
        drainTimer?.cancel()
        followFlow(on: end == .reusable) { $0.dropped(end) }
    }

    private func deliver(_ outcome: RequestOutcome, _ response: Response?) {
        // A proxy that accepts the answer and does not prove itself gets no tunnel.
        if case .withheld = outcome {
        } else if let response, (200..<300).contains(response.head.status) {
            return open()
        }
        // Without a response, it came on the connection before this one.
        let challenge = running?.challenge
        let status = response?.head.status ?? challenge?.status ?? ChallengedParty.proxy.status
        let fields = response?.fields ?? challenge?.fields ?? [:]
        fail(.refused(status: status, reason: response?.reason ?? "", fields: fields, outcome: outcome))
    }

    private func open() {
        guard let context else { return }
        guard let configure else { return opened(context) }
        phase = .opening
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        configure(context.channel).hop(to: context.eventLoop).whenComplete { result in
            bound.value.configured(result)
        }
    }

    private func configured(_ result: Result<Void, any Error>) {
        guard case .opening = phase, let context else { return }
        switch result {
        case .success: opened(context)
        case .failure(let error):
            drop(error)
            context.close(promise: nil)
        }
    }

    private func opened(_ context: ChannelHandlerContext) {
        phase = .open
        deadline?.cancel()
        // First, so that handlers that a callback adds get the early bytes.
        opened.take()?.succeed()
        if reader.rest.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(reader.rest))
            context.fireChannelReadComplete()
        }
        reader = ResponseReader()
        writes.release(to: context)
        if hasHeldRead { context.read() }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}

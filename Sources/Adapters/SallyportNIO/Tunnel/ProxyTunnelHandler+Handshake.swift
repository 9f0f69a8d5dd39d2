internal import HTTPTypes
internal import NIOCore
internal import Sallyport

extension ProxyTunnelHandler {
    /// Begins, or goes on with the tunnel of another connection.
    func start() {
        guard case .idle = phase else { return }
        if let (authentication, next) = continued?.take() {
            self.authentication = authentication
            switch next {
            case .send(let sending): send(sending)
            case .wait(let ticket): wait(for: ticket, challenge: nil)
            }
            return
        }
        let authentication = RunningAuthentication(
            handlers.handler.authentication(
                of: OutgoingRequest(origin: origin),
                by: .connect(to: proxy),
                answersInAdvance: options.answersInAdvance
            )
        )
        self.authentication = authentication
        take(authentication.begin(), head: nil)
    }

    /// Does what the driver says.
    private func take(_ step: RequestStep, head: ResponseHead?) {
        switch step {
        case .send(let next): if let head { prepare(next, after: head) } else { send(next) }
        case .wait(let ticket): wait(for: ticket, challenge: head)
        case .needs(let need): fail(.needNotMet(need))
        case .deliver(let outcome): deliver(outcome, head)
        }
    }

    private func send(_ next: RequestSending) {
        guard let context else { return }
        guard received.readableBytes == 0 else { return fail(.malformed(.unaskedBytes)) }
        let request: ConnectRequest
        do { request = try ConnectRequest(to: origin, fields: fields) } catch { return fail(error) }
        phase = .awaiting(next)
        interimResponses = 0
        let bytes = request.bytes(with: next.fields, persistence, in: context.channel.allocator)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
        context.read()
    }

    private func wait(for ticket: AttemptTicket, challenge: ResponseHead?) {
        guard let context else { return }
        phase = .waiting(ticket, challenge: challenge)
        wait = TicketWait(ticket, on: context.eventLoop) { [unowned self] in
            guard case .waiting(_, let head) = phase, let authentication else { return }
            take(authentication.resume(), head: head)
        }
    }

    /// Reads what has come, as far as the phase allows.
    func process() {
        do throws(ResponseDefect) {
            while true {
                switch phase {
                case .awaiting:
                    guard let head = try reader.read(&received) else { return }
                    try took(head)
                case .draining(let next, var body):
                    guard try body.drain(&received) else {
                        phase = .draining(next, body)
                        return
                    }
                    send(next)
                case .waiting, .opening:
                    guard received.readableBytes <= options.mostHeldBytes else {
                        return fail(.tooMuchWaits(bound: options.mostHeldBytes))
                    }
                    return
                case .idle: throw .unaskedBytes
                case .open, .closed: return
                }
            }
        } catch { fail(.malformed(error)) }
    }

    private func took(_ head: ResponseHead) throws(ResponseDefect) {
        if (100..<200).contains(head.status), head.status != 101 {
            interimResponses += 1
            guard interimResponses <= options.mostInterimResponses else {
                throw .tooManyInterimResponses(bound: options.mostInterimResponses)
            }
            return
        }
        persistence.answered(inHTTP10: head.isHTTP10)
        guard let authentication else { return }
        var fields = head.fields
        // The driver reads the field; the other reasons to close it cannot know.
        if !head.isKeptAlive { fields[.connection] = "close" }
        let traits = ConnectionTraits(id: connection, security: security ?? .init(of: context, to: proxy))
        take(authentication.received(status: head.status, fields: fields, on: traits), head: head)
    }

    /// Sends after the refused response, or on another connection.
    private func prepare(_ next: RequestSending, after head: ResponseHead) {
        guard next.connection != .new, head.isKeptAlive else { return move(next) }
        do throws(ResponseDefect) {
            phase = .draining(next, try ResponseBodyReader(head.framing, bound: options.mostDrainedBytes))
        } catch { return move(next) }
        context?.read()
        process()
    }

    private func deliver(_ outcome: RequestOutcome, _ head: ResponseHead?) {
        // A proxy that accepts the answer and does not prove itself gets no tunnel.
        if case .withheld = outcome {} else if let head, (200..<300).contains(head.status) { return open() }
        // Without a head, the response came on the connection before this one.
        let status = head?.status ?? authentication?.challenge?.status ?? ChallengedParty.proxy.status
        let fields = head?.fields ?? authentication?.challenge?.fields ?? [:]
        fail(.refused(status: status, fields: fields, outcome: outcome))
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
        if received.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(received))
            context.fireChannelReadComplete()
        }
        received = ByteBuffer()
        writes.release(to: context)
        if hasHeldRead { context.read() }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}

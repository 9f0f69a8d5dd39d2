internal import HTTP1
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
        take(authentication.begin(), nil)
    }

    /// Does what the driver says.
    private func take(_ step: RequestStep, _ response: Response?) {
        switch step {
        case .send(let next): if let response { prepare(next, after: response.head) } else { send(next) }
        case .wait(let ticket): wait(for: ticket, challenge: response)
        case .needs(let need): fail(.needNotMet(need))
        case .deliver(let outcome): deliver(outcome, response)
        }
    }

    private func send(_ next: RequestSending) {
        guard let context else { return }
        guard reader.rest.readableBytes == 0 else { return fail(.malformed(.unaskedBytes)) }
        let request: ConnectRequest
        do { request = try ConnectRequest(to: origin, fields: fields) } catch { return fail(error) }
        phase = .awaiting(next)
        reader.begin(.connect)
        let bytes = request.bytes(with: next.fields, persistence, in: context.channel.allocator)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
        context.read()
    }

    private func wait(for ticket: AttemptTicket, challenge: Response?) {
        guard let context else { return }
        phase = .waiting(ticket, challenge: challenge)
        wait = TicketWait(ticket, on: context.eventLoop) { [unowned self] in
            guard case .waiting(_, let response) = phase, let authentication else { return }
            take(authentication.resume(), response)
        }
    }

    /// Reads what has come, as far as the phase allows.
    func process() {
        do throws(HeadDefect) {
            while true {
                switch phase {
                case .awaiting:
                    guard let part = try reader.next() else { return }
                    if case .head(let head, let bytes) = part { took(head, head.allFields(of: bytes)) }
                case .draining(let next):
                    let part = try reader.next()
                    guard reader.bodyBytes <= options.mostDrainedBytes else { return move(next) }
                    guard let part else { return }
                    if case .end = part { send(next) }
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
            fail(.malformed(ResponseDefect(error, options.mostHeadBytes, options.mostInterimResponses)))
        }
    }

    private func took(_ head: ResponseHead, _ fields: HTTPFields) {
        persistence.answered(inHTTP10: head.isHTTP10)
        guard let authentication else { return }
        let traits = ConnectionTraits(id: connection, security: security ?? .init(of: context, to: proxy))
        take(authentication.received(status: head.status, fields: fields, on: traits), (head, fields))
    }

    /// Sends after the refused response, or on another connection.
    private func prepare(_ next: RequestSending, after head: ResponseHead) {
        guard next.connection != .new, head.isKeptAlive else { return move(next) }
        if case .length(let length) = head.framing, length > options.mostDrainedBytes { return move(next) }
        phase = .draining(next)
        context?.read()
        process()
    }

    private func deliver(_ outcome: RequestOutcome, _ response: Response?) {
        // A proxy that accepts the answer and does not prove itself gets no tunnel.
        if case .withheld = outcome {
        } else if let response, (200..<300).contains(response.head.status) {
            return open()
        }
        // Without a response, it came on the connection before this one.
        let status = response?.head.status ?? authentication?.challenge?.status ?? ChallengedParty.proxy.status
        let fields = response?.fields ?? authentication?.challenge?.fields ?? [:]
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

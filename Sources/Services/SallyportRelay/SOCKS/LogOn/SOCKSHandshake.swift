internal import Hostnames
internal import NIOCore

/// The client's side of SOCKS5 on a new connection; at its end the handlers of the server take its place.
final class SOCKSHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = IOData

    private enum State {
        case method
        /// A password is looked for.
        case asking
        case logOn
        case reply
        case done
    }

    private let loop: LoopContext
    private let server: Origin
    private let logOn: SOCKSLogOn
    private let promise: EventLoopPromise<Void>
    private let addHandlers: (ChannelPipeline.SynchronousOperations) throws -> Void
    private var state = State.method
    private var received = ByteBuffer()
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    private var hasSentPassword = false

    /// - Parameter addHandlers: adds those that take over the connection to the server.
    init(
        _ loop: LoopContext,
        to server: Origin,
        _ logOn: SOCKSLogOn,
        _ promise: EventLoopPromise<Void>,
        _ addHandlers: @escaping (ChannelPipeline.SynchronousOperations) throws -> Void
    ) {
        (self.loop, self.server, self.logOn, self.promise) = (loop, server, logOn, promise)
        self.addHandlers = addHandlers
    }

    private var limits: RelayLimits { loop.limits }

    /// Whether a person or a store is asked.
    var isAsking: Bool { logOn.isAsking }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        write(SOCKSMessages.greeting, context)
        limitTime(limits.handshake)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        // A server may speak first, but only after the reply.
        guard state != .asking || received.readableBytes <= SOCKSLimits.replyBytes else { return fail(.notSOCKS) }
        pump()
    }

    private func pump() {
        do throws(SOCKSError) {
            while true {
                switch state {
                case .method:
                    guard let method = try SOCKSMessages.takeMethod(&received) else { return }
                    if method == .none { connect() } else { askForPassword() }
                case .logOn:
                    guard let isRight = try SOCKSMessages.takeLogOn(&received) else { return }
                    guard isRight else { return refused() }
                    logOn.accepted()
                    connect()
                case .reply:
                    guard try SOCKSMessages.takeReply(&received) else { return }
                    return finish()
                case .asking, .done: return
                }
            }
        } catch {
            fail(error)
        }
    }

    private func connect() {
        guard let context else { return }
        state = .reply
        write(SOCKSMessages.connect(to: server), context)
        limitTime(limits.handshake)
    }

    private func askForPassword() {
        state = .asking
        limitTime(limits.asking)
        logOn.find { [weak self] result in self?.found(result) }
    }

    private func found(_ result: Result<SOCKSLogOn.Answer, RelayRefusal>) {
        guard state == .asking else { return }
        guard let context else {
            // The proxy did not wait for it.
            if case .failure(let refusal) = result { return fail(refusal) }
            return logOn.mayBeginAgain() ? end(SOCKSAgain()) : fail(.closed)
        }
        switch result {
        case .success(let answer):
            guard let message = SOCKSMessages.logOn(user: answer.user, password: answer.password) else {
                return fail(.unsendable)
            }
            state = .logOn
            hasSentPassword = true
            write(message, context)
            limitTime(limits.handshake)
            pump()
        case .failure(let refusal): fail(refusal)
        }
    }

    /// RFC 1929 section 2: the connection ends after a refusal. The next attempt needs another one.
    private func refused() {
        state = .asking
        limitTime(limits.asking)
        logOn.refused { [weak self] failure in
            guard let self, state == .asking else { return }
            if let failure { fail(failure) } else { end(SOCKSAgain()) }
        }
    }

    private func finish() {
        guard let context else { return }
        state = .done
        timer?.cancel()
        do {
            try addHandlers(context.pipeline.syncOperations)
        } catch {
            return end(error)
        }
        promise.succeed()
        // A server may have spoken already.
        if received.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(received)) }
        received = ByteBuffer()
        context.fireChannelReadComplete()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    typealias InboundOut = ByteBuffer

    // MARK: The end

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        if state == .done { context.fireUserInboundEventTriggered(event) } else { closed() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        closed()
        context.fireChannelInactive()
    }

    /// A proxy may close while a person is asked: what is found serves the next connection.
    private func closed() {
        switch state {
        case .asking where hasSentPassword: break
        case .asking: context = nil
        default: fail(.closed)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if state == .done { return context.fireErrorCaught(error) }
        // Such as a reset.
        if state == .asking { closed() } else { fail(.closed) }
    }

    /// The proxy cannot be reached.
    func notConnected(_ error: any Error) { end(error) }

    private func fail(_ error: SOCKSError) {
        end(failure(.socks(logOn.parent, error), error.isOfProxy))
    }

    /// Gives the handshake up.
    func fail(_ refusal: RelayRefusal) { end(failure(refusal, false)) }

    /// - Parameter isOfProxy: whether the proxy fails for every client and destination.
    private func failure(_ refusal: RelayRefusal, _ isOfProxy: Bool) -> SOCKSFailure {
        SOCKSFailure(refusal: refusal, mayTryAnother: isOfProxy && !hasSentPassword)
    }

    private func end(_ error: any Error) {
        guard state != .done else { return }
        state = .done
        timer?.cancel()
        if !(error is SOCKSAgain) { logOn.cancel() }
        context?.close(promise: nil)
        promise.fail(error)
    }

    private func limitTime(_ limit: TimeAmount) {
        timer?.cancel()
        timer = loop.eventLoop.assumeIsolated().scheduleTask(in: limit) { [weak self] in
            guard let self else { return }
            guard isAsking else { return fail(.stalled) }
            fail(.unanswered(isOpen: logOn.leaveQuestionOpen()))
        }
    }

    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer(bytes: bytes))), promise: nil)
    }
}

/// A SOCKS proxy leads to no connection.
struct SOCKSFailure: Error {
    let refusal: RelayRefusal
    /// Whether another way may be tried.
    let mayTryAnother: Bool
}

/// A password was refused, and there is another one.
struct SOCKSAgain: Error {}

@available(*, unavailable)
extension SOCKSHandshake: Sendable {}

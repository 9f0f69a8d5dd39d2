internal import HTTP1
internal import Logging
internal import NIOCore
internal import NIOTLS
internal import RequestFlow
internal import Sallyport

/// The end of the connection: by the client, by the relay, or in time.
extension ClientConnection {
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { secured() }
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        inputIsClosed = true
        switch phase {
        case .tunnel: tunnel?.finishWriting()
        case .idle, .dropping: close()
        case .admitting: break
        case .closing: context.close(promise: nil)
        case .exchanging:
            // A client may close its side after its request, and still wait for the response.
            if lacksBody { return abort() }
            if waitsLong { return refuse(.clientLeft) }
            hurry()
        }
    }

    /// The first message of a handshake holds up the others while its password is unproven, so it does not wait long if the client may be gone.
    func hurry() {
        guard inputIsClosed, let exchange, !exchange.responseHasBegun, exchange.sending?.body == .empty,
            exchange.flow?.awaitsVerdict == false
        else { return }
        exchange.upstream?.hurry()
    }

    /// Whether a part of the request's body has not come, so that it never will once the client has closed its side.
    private var lacksBody: Bool {
        guard var body = exchange?.body, !body.isAtEnd else { return false }
        let bytes = received
        // A body that is malformed is refused where it is passed on.
        do { _ = try body.take(bytes.readableBytesUInt8Span) } catch { return false }
        return !body.isAtEnd
    }

    func channelInactive(context: ChannelHandlerContext) {
        inputIsClosed = true
        release()
        loop.remove(self)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Drops what the connection holds.
    func release() {
        phase = .closing
        tunnel?.close()
        tunnel = nil
        ownUpstream?.close()
        ownUpstream = nil
        logOn?.admission?.call.cancel()
        logOn = nil
        leaveUpstream()
        choosing?.task.cancel()
        choosing = nil
        exchange?.cancel()
        exchange = nil
        received = loop.noBytes
        holdHead(0)
        waitingHead = loop.noBytes
    }

    /// Answers the client with a response of the relay itself, and ends its connection.
    func refuse(_ refusal: RelayRefusal) {
        loop.counters.refusals += 1
        loop.core.refused?(refusal)
        loop.core.logger.log(
            level: loop.core.refusals.isNews(refusal, at: loop.now) ? .warning : .debug,
            "refused",
            metadata: ["status": "\(refusal.status)", "reason": "\(refusal)"]
        )
        let isHead = (exchange?.head ?? choosing?.request.head)?.method == .head
        let hasBegun = exchange?.responseHasBegun == true
        dropUpstream()
        choosing?.task.cancel()
        choosing = nil
        exchange?.cancel()
        exchange = nil
        received = loop.noBytes
        holdHead(0)
        if hasBegun { return abort() }
        write(refusal.answer(isHead: isHead))
        closeLingering()
    }

    /// Ends a connection whose response has begun and will not come to its end: the client must not take it for whole.
    func cutOff(_ refusal: RelayRefusal) {
        loop.core.logger.log(
            level: loop.core.refusals.isNews(refusal, at: loop.now) ? .warning : .debug,
            "cut off",
            metadata: ["reason": "\(refusal)"]
        )
        sendAll()
        abort()
    }

    /// Closes the connection to the parent, of which the present request was a part.
    func dropUpstream() {
        guard let exchange, let upstream = exchange.upstream else { return }
        exchange.upstream = nil
        upstream.close()
    }

    /// Ends the connection after what is written.
    func close() {
        guard let context else { return }
        phase = .closing
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        passHead()
        _ = pace.takeFlush()
        deadline = loop.now + loop.limits.lingering
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: written)
    }

    /// Ends the connection after what is written, and reads until the client has seen it: otherwise the system could drop the
    /// response together with what the client still sends.
    func closeLingering() {
        guard let context, !inputIsClosed else { return close() }
        phase = .closing
        deadline = loop.now + loop.limits.lingering
        sendAll()
        context.close(mode: .output, promise: nil)
        resumeReads()
    }

    /// Ends the connection at once: a response that stops in its middle must not look complete.
    func abort() {
        guard let context else { return }
        release()
        ResetOnClose.apply(to: context.channel)
        context.close(promise: nil)
    }

    /// Ends what would not end by itself: the relay takes no more requests.
    func endSoon() {
        switch phase {
        case .idle: if received.readableBytes == 0 { close() }
        // A person may never answer.
        case .exchanging: if exchange?.isAsking == true || choosing != nil { refuse(.ending) }
        case .admitting, .dropping, .tunnel, .closing: return
        }
    }

    func sweep() {
        guard deadline <= loop.now else { return }
        switch phase {
        case .closing: context?.close(promise: nil)
        case .idle: if !endHandshake() { close() }
        case .dropping: giveUpBody()
        case .admitting: if let logOn { replied(nil, to: logOn.questionNumber) }
        case .exchanging:
            if choosing != nil {
                return refuse(.notChosen(reason: "the choice of a proxy takes too long: repeat the request"))
            }
            switch exchange?.stage {
            case .waiting: refuse(.attemptUnanswered)
            case .preparing, .asking: endAsking()
            case .underWay, .queued, .draining, .delivering, nil: refuse(.waitedTooLong)
            }
        case .tunnel: return
        }
    }
}

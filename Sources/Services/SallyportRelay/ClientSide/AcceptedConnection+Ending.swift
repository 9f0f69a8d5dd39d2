internal import HTTP1
internal import Logging
internal import NIOCore
internal import NIOTLS

/// The end of requests and of the connection: by the client, by the relay, or in time.
extension AcceptedConnection {
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { secured() }
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        inputIsClosed = true
        switch phase {
        case .tunnel: tunnel?.finishWriting()
        case .idle, .dropping, .greeting: close()
        case .admitting: break
        case .closing: context.close(promise: nil)
        case .exchanging:
            // A client may close its side after its request, and still wait for the response.
            guard let exchange else { return }
            if exchange.body.lacks(after: received) { return abort() }
            if exchange.stage.waitsLong { return refuse(.clientLeft) }
            exchange.hurry()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        inputIsClosed = true
        release()
        leaveTable()
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
        logOn?.cancel()
        logOn = nil
        exchange?.leaveUpstream()
        forgetRequest()
        waitingHead = loop.noBytes
    }

    /// Forgets the present request, and what has come of it and after it.
    private func forgetRequest() {
        choosing?.task.cancel()
        choosing = nil
        exchange?.cancel()
        exchange = nil
        received = loop.noBytes
        holdHead(0)
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
        let hasBegun = exchange?.stage.isDelivering == true
        exchange?.dropUpstream()
        forgetRequest()
        if hasBegun { return abort() }
        // The protocol has no error message, so a reset tells the client that the server did not answer.
        guard let answer = answer(to: refusal, isHead: isHead) else { return abort() }
        write(answer)
        closeLingering()
    }

    /// Answers a client that is not let in: at once, or after the body that it sends.
    func turnAway(_ refused: DroppedBody, hasBody: Bool, closes: Bool) {
        if hasBody, !closes {
            dropped = refused
            phase = .dropping
            deadline = loop.now + loop.limits.dropping
            return
        }
        write(ByteBuffer(string: refused.response(closes: closes)))
        guard closes else { return flush() }
        received = loop.noBytes
        closeLingering()
    }

    /// Drops what has come of a refused request's body, then sends the response.
    func dropBody() {
        guard let dropped else { return close() }
        do throws(HeadDefect) {
            var all = takeReceived()
            let count = try dropped.body.advance(over: all.readableBytesUInt8Span)
            all.moveReaderIndex(forwardBy: count)
            received = all
            dropped.bytes += count
            guard dropped.bytes <= loop.limits.drainedBytes else { return refuse(.bodyTooLong) }
            guard dropped.body.isAtEnd else {
                if inputIsClosed { close() }
                return
            }
            self.dropped = nil
            deadline = .distantFuture
            phase = .idle
            write(ByteBuffer(string: dropped.response(closes: false)))
            flush()
        } catch { refuse(.defect(error)) }
    }

    /// Answers a client that does not come to the end of a refused body.
    private func giveUpBody() {
        guard let dropped = dropped.take() else { return close() }
        write(ByteBuffer(string: dropped.response(closes: true)))
        received = loop.noBytes
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

    /// The response is sent, and its connection is free again.
    ///
    /// - Parameters:
    ///   - isWhole: whether the whole request has come.
    ///   - closes: whether the response says that the connection ends.
    func exchangeEnded(isWhole: Bool, closes: Bool) {
        guard isWhole, !closes, !inputIsClosed || received.readableBytes > 0, !loop.isEnding else {
            received = loop.noBytes
            return isWhole ? close() : closeLingering()
        }
        phase = .idle
        process()
        flush()
        resumeReads()
    }

    /// Keeps a connection for the client that has authenticated it.
    func keepOwn(_ upstream: UpstreamConnection) {
        upstream.park()
        ownUpstream = upstream
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
        case .greeting: close()
        // A person may never answer.
        case .exchanging: if exchange?.stage.isAsking == true || choosing != nil { refuse(.ending) }
        case .admitting, .dropping, .tunnel, .closing: return
        }
    }

    func sweep() {
        guard deadline <= loop.now else { return }
        switch phase {
        case .closing: context?.close(promise: nil)
        case .idle: if !endHandshake() { close() }
        case .greeting: refuse(.socksClient(.stalled))
        case .dropping: giveUpBody()
        case .admitting: logOn?.giveUpQuestion()
        case .exchanging:
            if choosing != nil {
                return refuse(.notChosen(reason: "the choice of a proxy takes too long: repeat the request"))
            }
            switch exchange?.stage {
            case .waiting: refuse(.attemptUnanswered)
            case .preparing, .asking: exchange?.endAsking()
            case .underWay, .queued, .draining, .delivering, nil: refuse(.waitedTooLong)
            }
        case .tunnel: return
        }
    }
}

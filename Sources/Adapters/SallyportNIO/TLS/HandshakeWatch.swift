internal import NIOCore
internal import NIOSSL
internal import NIOTLS
internal import WireFormat

/// Follows a NIOSSL handler until the first bytes of the server: it bounds the time of the handshake and says in one
/// error why it failed.
final class HandshakeWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private enum State {
        case waiting
        case secured
        case failed
    }

    private var state = State.waiting
    private let handshake: Handshake
    private let limit: TimeAmount
    private let outcome: EventLoopPromise<Void>?
    private var timer: Scheduled<Void>?

    /// - Parameter outcome: completed at the end of the handshake.
    init(_ handshake: Handshake, limit: TimeAmount, outcome: EventLoopPromise<Void>?) {
        self.handshake = handshake
        self.limit = limit
        self.outcome = outcome
    }

    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { startTimer(context) } }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func channelActive(context: ChannelHandlerContext) {
        startTimer(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // With TLS inside of TLS the event of the outer one comes here too.
        if case .handshakeCompleted = event as? TLSUserEvent, case .waiting = state, handshake.isVerified {
            state = .secured
            timer?.cancel()
            handshake.endFlight()
            outcome?.succeed()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch state {
        case .waiting: fail(context, Self.explain(error, handshake))
        // NIOSSL tells of its end in several errors.
        case .failed: break
        // With TLS 1.3 the server looks at our certificate after our handshake has ended.
        case .secured: context.fireErrorCaught(Self.identityError(error, handshake) ?? error)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(data)
        if case .secured = state { context.pipeline.syncOperations.removeHandler(self, promise: nil) }
    }

    private func startTimer(_ context: ChannelHandlerContext) {
        guard timer == nil, case .waiting = state else { return }
        let watch = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: limit) {
            let (watch, context) = watch.value
            guard case .waiting = watch.state else { return }
            watch.fail(context, TLSError.handshakeTimedOut(watch.handshake.origin, limit: watch.limit))
        }
    }

    private func fail(_ context: ChannelHandlerContext, _ error: TLSError) {
        state = .failed
        leave(error)
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    private func leave(_ error: TLSError? = nil) {
        timer?.cancel()
        handshake.abandon()
        handshake.endFlight()
        outcome?.fail(error ?? TLSError.handshakeFailed(handshake.origin, reason: TLSReason.closed))
    }
}

// MARK: - The text of errors

extension HandshakeWatch {
    /// What an error of NIOSSL means for this handshake.
    private static func explain(_ error: any Error, _ handshake: Handshake) -> TLSError {
        if let error = error as? TLSError { return error }
        if let error = handshake.failure ?? identityError(error, handshake) { return error }
        let reason = error is ChannelError ? TLSReason.closed : TLSReason.text(error) ?? VisibleText.quoted("\(error)")
        return .handshakeFailed(handshake.origin, reason: reason)
    }

    /// The error about our certificate, if the server asked for one and ended the connection because of it.
    private static func identityError(_ error: any Error, _ handshake: Handshake) -> TLSError? {
        let code = TLSReason.code(error)
        guard let decision = handshake.identity, let code, code.contains("_ALERT_") else { return nil }
        let isAboutIt = ["CERTIFICATE", "UNKNOWN_CA", "ACCESS_DENIED", "HANDSHAKE_FAILURE"].contains(
            where: code.contains
        )
        return isAboutIt ? .identityNotAccepted(handshake.origin, decision, alert: code) : nil
    }
}

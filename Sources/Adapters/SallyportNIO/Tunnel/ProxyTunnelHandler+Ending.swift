internal import HTTP1
internal import NIOCore
internal import RequestFlow
internal import Sallyport

extension ProxyTunnelHandler {
    /// Ends the tunnel with an error.
    func fail(_ error: ProxyTunnelError) {
        let isSilent = opened != nil
        drop(error)
        if !isSilent { context?.fireErrorCaught(error) }
        context?.close(promise: nil)
    }

    /// Fails what waits, without an event.
    func drop(_ error: any Error) {
        phase = .closed
        deadline?.cancel()
        drainTimer?.cancel()
        wait?.cancel()
        reader = ResponseReader()
        opened.take()?.fail(error)
        writes.fail(error)
    }

    /// Goes on with another connection.
    func move(_ next: ContinuedTunnel.Next) {
        guard let running else { return fail(.connectionClosed) }
        fail(.connectionNeeded(ContinuedTunnel(running, next)))
    }

    /// What has come of a response that does not go on.
    var loss: FlowLoss {
        if let status = reader.unreadStatus { return FlowLoss(isReused: false, .headUnread(status: status)) }
        return FlowLoss(isReused: false, reader.hasBegun ? .answered : .unanswered)
    }

    /// The proxy sends no more.
    func closedByPeer() {
        switch phase {
        case .open, .closed: return
        case .waiting(let turn, _): move(.wait(turn))
        case .draining: dropped(.unusable)
        case .awaiting:
            followFlow(on: false) { [loss] in $0.lost(loss) }
        case .idle, .opening: fail(.connectionClosed)
        }
    }
}

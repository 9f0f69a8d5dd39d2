internal import HTTP1
internal import NIOCore
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
        wait?.cancel()
        reader = ResponseReader()
        opened.take()?.fail(error)
        writes.fail(error)
    }

    /// Goes on with another connection.
    func move(_ next: RequestSending) {
        guard let authentication else { return fail(.connectionClosed) }
        // A message that belongs to this connection is useless on another one.
        if authentication.belongsToConnection(next) { return lose() }
        fail(.connectionNeeded(ContinuedTunnel(authentication, .send(next))))
    }

    /// Begins the handshake anew on another connection.
    private func lose() {
        guard let authentication else { return fail(.connectionClosed) }
        switch authentication.lost() {
        case .send(let next)?: fail(.connectionNeeded(ContinuedTunnel(authentication, .send(next))))
        case .wait(let ticket)?: fail(.connectionNeeded(ContinuedTunnel(authentication, .wait(ticket))))
        case .deliver(let outcome)?: fail(.handshakeLost(outcome))
        case .needs(let need)?: fail(.needNotMet(need))
        case nil: fail(.connectionClosed)
        }
    }

    /// The proxy sends no more.
    func closedByPeer() {
        switch phase {
        case .open, .closed: return
        case .waiting(let ticket, _):
            guard let authentication else { return fail(.connectionClosed) }
            fail(.connectionNeeded(ContinuedTunnel(authentication, .wait(ticket))))
        case .draining(let next): move(next)
        case .awaiting(let sending) where sending.body == .empty: lose()
        case .idle, .awaiting, .opening: fail(.connectionClosed)
        }
    }
}

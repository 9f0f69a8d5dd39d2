internal import NIOCore
internal import Sallyport

extension AuthenticationClientHandler {
    /// Ends everything with one error.
    func fail(_ error: AuthenticationError) {
        drop(error)
        context?.fireErrorCaught(error)
        context?.close(promise: nil)
    }

    /// Ends all requests without an event.
    func drop(_ error: AuthenticationError) {
        mode = .closed
        cancelTimer()
        let requests = [current].compactMap { $0 } + queue
        current = nil
        queue = []
        for request in requests { request.fail(error) }
        releaseRead()
    }

    /// Gives the request to a new connection.
    func handOver(_ request: PipelinedRequest, _ next: ContinuedRequest.Next) {
        current = nil
        drop(.connectionClosed)
        context?.fireErrorCaught(AuthenticationError.connectionNeeded(ContinuedRequest(request, next)))
        context?.close(promise: nil)
    }

    /// Goes on with another connection.
    func move(_ next: RequestSending, _ request: PipelinedRequest) {
        // A message that belongs to this connection is useless on another one.
        if request.authentication?.belongsToConnection(next) == true {
            lose(request)
        } else {
            handOver(request, .send(next))
        }
    }

    /// Begins the handshake anew on another connection.
    private func lose(_ request: PipelinedRequest) {
        switch request.authentication?.lost() {
        case .send(let next)?: handOver(request, .send(next))
        case .wait(let ticket)?: handOver(request, .wait(ticket))
        case .deliver(let outcome)?: fail(.handshakeLost(outcome))
        case .needs(let need)?: fail(.needNotMet(need))
        case nil: fail(.connectionClosed)
        }
    }

    /// The peer sends no more.
    func inputClosed() {
        guard isInHandshake else { return }
        closed()
    }

    /// The channel has closed.
    func closed() {
        guard let current else { return drop(.connectionClosed) }
        switch phase {
        case .waiting(let ticket): handOver(current, .wait(ticket))
        case .holding(let ticket):
            // A response that has not ended cannot be delivered later.
            if responseHasEnded { handOver(current, .wait(ticket)) } else { fail(.connectionClosed) }
        case .draining(let next): move(next, current)
        case .awaiting where sending?.body == .empty: lose(current)
        case .awaiting:
            drop(current.authentication?.closedInHandshake.map { .handshakeLost($0) } ?? .connectionClosed)
        case .gathering, .delivering: drop(.connectionClosed)
        }
    }
}

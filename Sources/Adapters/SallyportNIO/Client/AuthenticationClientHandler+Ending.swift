internal import NIOCore
internal import RequestFlow
internal import Sallyport

extension AuthenticationClientHandler {
    /// Whether the user waits for a response that the handler works for.
    var isInHandshake: Bool {
        if case .awaiting = phase { waitsForPeer && sending?.body == .empty } else { waitsForPeer }
    }

    /// Whether a request has left, or is to leave, and the user has nothing of its response.
    var waitsForPeer: Bool {
        guard current != nil else { return false }
        return switch phase {
        case .gathering, .delivering: false
        case .awaiting, .waiting, .asking, .holding, .draining: true
        }
    }

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

    /// Gives the request and those behind it to a new connection.
    func handOver(_ request: PipelinedRequest, _ next: ContinuedRequest.Next) {
        let continued = ContinuedRequest(request, next, queue)
        current = nil
        queue = []
        drop(.connectionClosed)
        context?.fireErrorCaught(AuthenticationError.connectionNeeded(continued))
        context?.close(promise: nil)
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
        case .waiting(let turn): handOver(current, .wait(turn))
        case .asking(nil): handOver(current, .begin)
        case .asking(let outcome?):
            // A response that has not ended cannot be delivered later.
            guard responseHasEnded, let asking else { return fail(.connectionClosed) }
            handOver(current, .ask(asking, outcome))
        case .holding(let turn):
            // A response that has not ended cannot be delivered later.
            if responseHasEnded { handOver(current, .wait(turn)) } else { fail(.connectionClosed) }
        case .draining: dropped(.unusable)
        case .awaiting(let hasHeard):
            let loss = FlowLoss(
                isReused: carried > 1,
                hasHeard ? .answered : gate == .held ? .bodyHeld : .unanswered,
                bodyIsSpent: current.isBodySpent || !current.body.isWhole
            )
            follow(current, isUsable: false) { $0.lost(loss) }
        case .gathering, .delivering: drop(.connectionClosed)
        }
    }
}

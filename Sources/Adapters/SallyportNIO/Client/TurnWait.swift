package import NIOCore
package import Sallyport

/// A wait on an event loop for another request's attempt: calls once, when the turn is ready or its time is over.
package final class TurnWait {
    private var body: (() -> Void)?
    private var timer: Scheduled<Void>?

    package init(_ turn: AttemptTurn, on loop: any EventLoop, _ body: @escaping () -> Void) {
        self.body = body
        timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(turn.timeLeft)) { self.call() }
        let wait = NIOLoopBound(self, eventLoop: loop)
        // Not at once: the thread that ends the attempt may hold the caller's state.
        turn.whenReady { loop.execute { wait.value.call() } }
    }

    /// Ends the wait without a call.
    package func cancel() {
        body = nil
        timer?.cancel()
        timer = nil
    }

    private func call() {
        let body = body
        cancel()
        body?()
    }
}

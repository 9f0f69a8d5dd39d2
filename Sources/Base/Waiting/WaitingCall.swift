internal import Synchronization

/// A call that a thread of the worker makes, and for which a task waits.
protocol WaitingCall: AnyObject, Sendable {
    /// When the task stops waiting.
    var deadline: ContinuousClock.Instant { get }
    /// Makes the call, unless no task waits any more, and answers.
    func perform()
    /// Answers with an error, unless the call is answered already.
    func fail(_ error: any Error)
}

/// A call with a result. It is answered once: by its end, its deadline or the cancellation of its task, whichever comes first. A result
/// that comes later is dropped.
final class ResultCall<Value: Sendable>: WaitingCall {
    private enum State {
        case new
        case waiting(CheckedContinuation<Value, any Error>)
        case answered
    }

    let deadline: ContinuousClock.Instant
    private let body: @Sendable () throws -> Value
    private let state = Mutex(State.new)

    init(deadline: ContinuousClock.Instant, _ body: @escaping @Sendable () throws -> Value) {
        self.deadline = deadline
        self.body = body
    }

    /// Lets a task wait. Returns whether it does; if the call was answered before, the task goes on with `CancellationError`.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        let waits = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !waits { continuation.resume(throwing: CancellationError()) }
        return waits
    }

    func perform() {
        let isOpen = state.withLock { state in
            if case .waiting = state { return true }
            return false
        }
        guard isOpen else { return }
        let outcome: Result<Value, any Error>
        do { outcome = .success(try body()) } catch { outcome = .failure(error) }
        take()?.resume(with: outcome)
    }

    func fail(_ error: any Error) { take()?.resume(throwing: error) }

    private func take() -> CheckedContinuation<Value, any Error>? {
        state.withLock { state in
            defer { state = .answered }
            guard case .waiting(let continuation) = state else { return nil }
            return continuation
        }
    }
}

/// A call without a waiting caller.
final class LastCall: WaitingCall {
    let deadline: ContinuousClock.Instant
    private let body: @Sendable () -> Void

    init(deadline: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
        (self.deadline, self.body) = (deadline, body)
    }

    func perform() { body() }
    func fail(_: any Error) {}
}

internal import Dispatch
internal import Synchronization

/// Runs the calls to one card in turn, on a thread of its own that may wait.
///
/// A module that does not return holds this thread for ever, because no system call ends it. The tasks that wait go on after their
/// limit.
final class CardWorker: Sendable {
    private let queue = DispatchQueue(label: "sallyport.card")
    private let waiting = Mutex(0)

    /// Calls `body` on the thread.
    ///
    /// If the task is cancelled or the limit passes before the turn of `body`, it is not called; during its call, its result is dropped.
    ///
    /// - Throws: `CancellationError`, or a ``SmartCardError`` at `place`.
    func run<Value: Sendable>(
        at place: String,
        within limit: Duration,
        _ body: @escaping @Sendable () throws(SmartCardError) -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let isFull = waiting.withLock { waiting in
            guard waiting < SmartCardLimits.waitingRequests else { return true }
            waiting += 1
            return false
        }
        guard !isFull else { throw SmartCardError(place: place, problem: .busy) }
        let job = Job<Value>()
        queue.async { [self] in
            defer { waiting.withLock { $0 -= 1 } }
            guard job.isWanted else { return }
            do throws(SmartCardError) {
                job.end(.success(try body()))
            } catch {
                job.end(.failure(error))
            }
        }
        return try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await job.value }
            group.addTask {
                try await Task.sleep(for: limit)
                throw SmartCardError(place: place, problem: .timedOut(milliseconds: limit.milliseconds))
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }

    /// Calls `body` on the thread after all others.
    func runLast(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// A result that one task waits for. It ends once: with the result, or because the task is cancelled.
    private final class Job<Value: Sendable>: Sendable {
        private enum State {
            case new
            case waiting(CheckedContinuation<Value, any Error>)
            case ended(Result<Value, any Error>)
        }

        private let state = Mutex(State.new)

        var isWanted: Bool { state.withLock { if case .ended = $0 { false } else { true } } }

        var value: Value {
            get async throws {
                try await withTaskCancellationHandler {
                    try await withCheckedThrowingContinuation { continuation in
                        let ended: Result<Value, any Error>? = state.withLock { state in
                            if case .ended(let result) = state { return result }
                            state = .waiting(continuation)
                            return nil
                        }
                        if let ended { continuation.resume(with: ended) }
                    }
                } onCancel: {
                    end(.failure(CancellationError()))
                }
            }
        }

        func end(_ result: Result<Value, any Error>) {
            let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
                switch state {
                case .new:
                    state = .ended(result)
                    return nil
                case .waiting(let continuation):
                    state = .ended(result)
                    return continuation
                case .ended: return nil
                }
            }
            continuation?.resume(with: result)
        }
    }
}

extension Duration {
    /// The milliseconds, rounded down.
    fileprivate var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}

internal import Synchronization

/// Lets a few callers at a time in, in the order in which they came. Those who wait do so as tasks, and hold no thread.
package final class Turns: Sendable {
    private struct State {
        var running = 0
        var lastNumber: UInt64 = 0
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let state = Mutex(State())
    private let most: Int
    private let mostWaiting: Int

    /// - Parameters:
    ///   - most: how many have a turn at a time.
    ///   - waiting: how many wait; more are refused at once.
    package init(atATime most: Int = 1, waiting: Int = .max) { (self.most, mostWaiting) = (most, waiting) }

    /// Runs `body` when it is its turn.
    package func withTurn<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await wait()
        defer { leave() }
        return try await body()
    }

    /// Waits for a turn, which ``leave()`` ends.
    ///
    /// - Throws: `CancellationError`, or ``WaitingError``: too many wait, or the limit has passed.
    package func wait(within limit: Duration? = nil) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    // The task may have been cancelled before it waits; its handler has found nothing then.
                    guard !Task.isCancelled else { return .failure(CancellationError()) }
                    guard state.running >= most else {
                        state.running += 1
                        return .success(())
                    }
                    guard state.waiting.count < mostWaiting else { return .failure(WaitingError.tooMany) }
                    state.waiting.append((number, continuation))
                    return nil
                }
                guard let result else {
                    // After it waits, because a timer that finds nothing would end in vain.
                    timer = limit.map { limit in
                        Task {
                            try await Task.sleep(for: limit)
                            giveUp(number, WaitingError.timedOut)
                        }
                    }
                    return
                }
                continuation.resume(with: result)
            }
        } onCancel: {
            giveUp(number, CancellationError())
        }
    }

    /// Ends a turn.
    package func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            // The turn passes on without becoming free.
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.running -= 1
            return nil
        }
        next?.resume()
    }

    private func giveUp(_ number: UInt64, _ error: any Error) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
        }
        waiter?.resume(throwing: error)
    }
}

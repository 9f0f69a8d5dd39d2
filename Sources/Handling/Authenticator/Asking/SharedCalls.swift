internal import ChallengeHandling
internal import Synchronization

/// For each key one call at a time: calls that come while it runs wait for its end and share its result.
///
/// A caller that is cancelled gets `CancellationError` at once. The call itself is cancelled with its last caller.
package final class SharedCalls<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value, any Error>

    private struct Running {
        let number: UInt64
        var task: Task<Void, Never>?
        var waiters: [UInt64: Waiter] = [:]
    }

    private struct State {
        var lastNumber: UInt64 = 0
        var running: [Key: Running] = [:]

        mutating func takeNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of callers that wait for a call. For tests.
    package var waiterCount: Int { state.withLock { $0.running.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Runs `body`, or joins the call for `key` that runs.
    package func run(
        for key: Key,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let waiter = state.withLock { $0.takeNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in join(key, waiter, continuation, body) }
        } onCancel: {
            leave(key, waiter)
        }
    }

    /// Cancels all calls. Their callers get `CancellationError` at once.
    package func cancelAll() {
        let running = state.withLock { state in
            defer { state.running = [:] }
            return state.running
        }
        for call in running.values {
            call.task?.cancel()
            for waiter in call.waiters.values { waiter.resume(throwing: CancellationError()) }
        }
    }

    private func join(
        _ key: Key,
        _ number: UInt64,
        _ waiter: Waiter,
        _ body: @escaping @Sendable () async throws -> Value
    ) {
        // A cancellation before this line found no waiter; one after it finds this one.
        let joined = state.withLock { state in
            guard !Task.isCancelled else { return false }
            if state.running[key] == nil { state.running[key] = start(key, state.takeNumber(), body) }
            state.running[key]?.waiters[number] = waiter
            return true
        }
        if !joined { waiter.resume(throwing: CancellationError()) }
    }

    private func start(
        _ key: Key,
        _ number: UInt64,
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Running {
        // The task ends after the lock is free, because its end takes the lock.
        let task = Task {
            do {
                let value = try await body()
                end(key, number, .success(value))
            } catch {
                end(key, number, .failure(error))
            }
        }
        return Running(number: number, task: task)
    }

    private func end(_ key: Key, _ number: UInt64, _ result: Result<Value, any Error>) {
        let waiters = state.withLock { state in
            guard let running = state.running[key], running.number == number else { return [:] as [UInt64: Waiter] }
            state.running[key] = nil
            return running.waiters
        }
        for waiter in waiters.values { waiter.resume(with: result) }
    }

    private func leave(_ key: Key, _ number: UInt64) {
        let (waiter, task) = state.withLock { state in
            let waiter = state.running[key]?.waiters.removeValue(forKey: number)
            guard waiter != nil, state.running[key]?.waiters.isEmpty == true else {
                return (waiter, nil as Task<Void, Never>?)
            }
            defer { state.running[key] = nil }
            return (waiter, state.running[key]?.task)
        }
        task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }
}

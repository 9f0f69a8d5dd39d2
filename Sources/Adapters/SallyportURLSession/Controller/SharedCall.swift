internal import Synchronization

/// One call at a time: calls that come while it runs wait for its end and share its result.
///
/// A caller that is cancelled gets `CancellationError` at once. The call itself is cancelled with its last caller.
final class SharedCall: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct Running {
        let number: UInt64
        var task: Task<Void, Never>?
        var waiters: [UInt64: Waiter] = [:]
    }

    private struct State {
        var lastNumber: UInt64 = 0
        var running: Running?

        mutating func takeNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state = Mutex(State())

    /// Runs `body`, or joins the call that runs.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let waiter = state.withLock { $0.takeNumber() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in join(waiter, continuation, body) }
        } onCancel: {
            leave(waiter)
        }
    }

    private func join(_ number: UInt64, _ waiter: Waiter, _ body: @escaping @Sendable () async throws -> Void) {
        // A cancellation before this line found no waiter; one after it finds this one.
        let joined = state.withLock { state in
            guard !Task.isCancelled else { return false }
            if state.running == nil { state.running = start(state.takeNumber(), body) }
            state.running?.waiters[number] = waiter
            return true
        }
        if !joined { waiter.resume(throwing: CancellationError()) }
    }

    private func start(_ number: UInt64, _ body: @escaping @Sendable () async throws -> Void) -> Running {
        // The task ends after the lock is free, because its end takes the lock.
        let task = Task {
            do {
                try await body()
                end(number, .success(()))
            } catch {
                end(number, .failure(error))
            }
        }
        return Running(number: number, task: task)
    }

    private func end(_ number: UInt64, _ result: Result<Void, any Error>) {
        let waiters = state.withLock { state in
            guard let running = state.running, running.number == number else { return [:] as [UInt64: Waiter] }
            state.running = nil
            return running.waiters
        }
        for waiter in waiters.values { waiter.resume(with: result) }
    }

    private func leave(_ number: UInt64) {
        let (waiter, task) = state.withLock { state in
            let waiter = state.running?.waiters.removeValue(forKey: number)
            guard waiter != nil, state.running?.waiters.isEmpty == true else {
                return (waiter, nil as Task<Void, Never>?)
            }
            defer { state.running = nil }
            return (waiter, state.running?.task)
        }
        task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }
}

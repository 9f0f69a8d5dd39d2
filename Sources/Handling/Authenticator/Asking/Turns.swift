internal import ChallengeHandling
internal import Synchronization

/// Lets one caller at a time in, in the order in which they came.
final class Turns: Sendable {
    private struct State {
        var isTaken = false
        var lastNumber: UInt64 = 0
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let state = Mutex(State())

    /// Waits for its turn and runs `body`.
    ///
    /// - Parameter patience: how long `body` may take. After it the next caller gets its turn, also if `body` ignores that it is
    ///   cancelled.
    /// - Throws: `CancellationError` while it waits, ``AuthenticatorError/noReply`` after `patience`, or what `body` throws.
    func take<Value: Sendable>(
        patience: Duration,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await wait()
        defer { end() }
        return try await Patience.run(patience, body)
    }

    private func wait() async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    guard !Task.isCancelled else { return .failure(CancellationError()) }
                    guard state.isTaken else {
                        state.isTaken = true
                        return .success(())
                    }
                    state.waiting.append((number, continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func end() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil as CheckedContinuation<Void, any Error>?
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume()
    }
}

/// A bound on how long a source may take.
enum Patience {
    /// Runs `body`; after `limit`, or if the caller is cancelled, it is cancelled and no longer waited for.
    static func run<Value: Sendable>(
        _ limit: Duration,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let race = Race<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let work = Task { race.end(await Result { try await body() }) }
                let timer = Task {
                    do { try await Task.sleep(for: limit) } catch { return }
                    race.end(.failure(AuthenticatorError.noReply))
                }
                race.begin(continuation, [work, timer])
            }
        } onCancel: {
            race.end(.failure(CancellationError()))
        }
    }

    /// The first result counts, and cancels the rest.
    private final class Race<Value: Sendable>: Sendable {
        private struct State {
            var result: Result<Value, any Error>?
            var continuation: CheckedContinuation<Value, any Error>?
            var tasks: [Task<Void, Never>] = []
        }

        private let state = Mutex(State())

        func begin(_ continuation: CheckedContinuation<Value, any Error>, _ tasks: [Task<Void, Never>]) {
            let result = state.withLock { state in
                if state.result == nil { (state.continuation, state.tasks) = (continuation, tasks) }
                return state.result
            }
            guard let result else { return }
            for task in tasks { task.cancel() }
            continuation.resume(with: result)
        }

        func end(_ result: Result<Value, any Error>) {
            let (continuation, tasks) = state.withLock { state in
                guard state.result == nil else {
                    return (nil as CheckedContinuation<Value, any Error>?, [Task<Void, Never>]())
                }
                state.result = result
                defer { (state.continuation, state.tasks) = (nil, []) }
                return (state.continuation, state.tasks)
            }
            for task in tasks { task.cancel() }
            continuation?.resume(with: result)
        }
    }
}

extension Result where Failure == any Error {
    /// What `body` returns or throws.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

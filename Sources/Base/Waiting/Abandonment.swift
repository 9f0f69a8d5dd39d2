internal import Synchronization

extension Deadline {
    /// Runs `body`; after `limit`, or if the caller is cancelled, it is cancelled and no longer waited for, because code of others may not
    /// hear of a cancellation.
    ///
    /// - Throws: `error` after the limit, `CancellationError`, or what `body` throws.
    package static func abandon<Value: Sendable>(
        after limit: Duration,
        orThrow error: any Error,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await race(body) { race in
            Task {
                do { try await Task.sleep(for: limit) } catch { return }
                race.end(.failure(error))
            }
        }
    }

    /// Runs `body`; if the caller is cancelled, it is cancelled and no longer waited for, because a read cannot be interrupted.
    ///
    /// - Throws: `CancellationError`, or what `body` throws.
    package static func abandonWhenCancelled<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value { try await race(body) { _ in nil } }

    private static func race<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value,
        _ timer: (Race<Value>) -> Task<Void, Never>?
    ) async throws -> Value {
        let race = Race<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let work = Task { race.end(await Result { try await body() }) }
                race.begin(continuation, [work, timer(race)].compactMap(\.self))
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

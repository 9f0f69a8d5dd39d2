/// The end of a time limit.
package struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    package init(after limit: Duration) { end = ContinuousClock.now.advanced(by: limit) }

    package var hasPassed: Bool { ContinuousClock.now >= end }

    /// What is left, in milliseconds and rounded up, as `poll` takes it; at most a minute, so that it never overflows.
    package var pollMilliseconds: Int32 {
        let left = ContinuousClock.now.duration(to: end)
        guard left > .zero else { return 0 }
        guard left < .seconds(60) else { return 60_000 }
        return Int32(left / .milliseconds(1)) + 1
    }

    /// Runs `body`, cancels it after `limit`, and waits for its end.
    ///
    /// - Throws: `error` after the limit, otherwise what `body` throws.
    package static func run<Value: Sendable>(
        within limit: Duration,
        orThrow error: @autoclosure () -> any Error,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                if limit > .zero { try await Task.sleep(for: limit) }
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            guard let result = first else { throw error() }
            return result
        }
    }
}

package import NIOCore

/// Work that ends at a point in time.
package enum Deadline {
    /// Runs `body`, and cancels it at `deadline`.
    ///
    /// - Throws: ``ClientError/deadlineExceeded`` after the deadline, otherwise what `body` throws.
    package static func run<Result: Sendable>(
        until deadline: NIODeadline,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard deadline != .distantFuture else { return try await body() }
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                let left = (deadline - .now()).nanoseconds
                if left > 0 { try await Task.sleep(for: .nanoseconds(left)) }
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            guard let result = first else { throw ClientError.deadlineExceeded }
            return result
        }
    }
}

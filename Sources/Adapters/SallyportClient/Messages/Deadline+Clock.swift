package import NIOCore
package import Waiting

extension Deadline {
    /// Runs `body`, and cancels it at `deadline`.
    ///
    /// - Throws: ``ClientError/deadlineExceeded`` after the deadline, otherwise what `body` throws.
    package static func run<Value: Sendable>(
        until deadline: NIODeadline,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard deadline != .distantFuture else { return try await body() }
        let left = Duration.nanoseconds((deadline - .now()).nanoseconds)
        return try await run(within: left, orThrow: ClientError.deadlineExceeded, body)
    }
}

internal import Threads

/// Runs work that waits on a thread of its own. The threads that Swift shares among all tasks must not wait.
package enum OwnThread {
    /// Calls `body` on a new thread, without a word to it if the task is cancelled.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await run { _ in try body() }
    }

    /// Calls `body` on a new thread, which receives no signals.
    ///
    /// - Parameter body: gets an interruption that comes when the task is cancelled; it should then end soon.
    /// - Throws: what `body` throws; `CancellationError` instead if the task was cancelled before or meanwhile.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable (Interruption) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let interruption = try Interruption()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let code = DetachedThread.start {
                    do {
                        continuation.resume(returning: try body(interruption))
                    } catch {
                        continuation.resume(throwing: interruption.hasCome ? CancellationError() : error)
                    }
                }
                if code != 0 { continuation.resume(throwing: SystemError(operation: "start a thread", code: code)) }
            }
        } onCancel: {
            interruption.interrupt()
        }
    }
}

/// Runs work that waits on a thread of its own. The threads that Swift shares among all tasks must not wait.
package enum OwnThread {
    /// The most threads at a time; more work waits for one of them to end.
    private static let most = 64
    private static let turns = Turns(atATime: most)

    /// Calls `body` on a new thread, which receives no signals, and waits for its end.
    ///
    /// - Parameters:
    ///   - limit: how long to wait for one of the threads.
    ///   - interrupt: called when the task is cancelled; `body` should end soon after it.
    /// - Throws: what `body` throws, ``WaitingError`` or `CancellationError`.
    package static func run<Value: Sendable>(
        waiting limit: Duration? = nil,
        interrupt: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await turns.wait(within: limit)
        defer { turns.leave() }
        try Task.checkCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let code = DetachedThread.start { continuation.resume(with: Result { try body() }) }
                if code != 0 { continuation.resume(throwing: WaitingError.noThread(code)) }
            }
        } onCancel: {
            interrupt()
        }
    }
}

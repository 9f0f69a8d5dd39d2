internal import Waiting

extension OwnThread {
    /// Calls `body` on a new thread, which receives no signals.
    ///
    /// - Parameters:
    ///   - limit: how long to wait for a thread, while others have theirs.
    ///   - body: gets an interruption that comes when the task is cancelled; it should then end soon.
    /// - Throws: what `body` throws; `CancellationError` instead if the task was cancelled before or meanwhile.
    static func run<Value: Sendable>(
        waiting limit: Duration? = nil,
        _ body: @escaping @Sendable (Interruption) throws -> Value
    ) async throws -> Value {
        let interruption = try Interruption()
        do {
            return try await run(waiting: limit, interrupt: { interruption.interrupt() }) { try body(interruption) }
        } catch WaitingError.noThread(let code) {
            throw SystemError(operation: "start a thread", code: code)
        } catch {
            throw interruption.hasCome ? CancellationError() : error
        }
    }
}

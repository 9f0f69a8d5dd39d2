internal import Waiting

/// Runs the calls to one card in turn, on a thread of its own that may wait.
///
/// A module that does not return holds this thread for ever, because no system call ends it. The tasks that wait go on after their
/// limit.
final class CardWorker: Sendable {
    /// One of the requests has the thread.
    private let calls = WorkerThreads(threads: 1, waiting: SmartCardLimits.waitingRequests - 1)
    /// How long the last call waits for the others.
    private static let longest = Duration.seconds(86_400)

    /// Calls `body` on the thread.
    ///
    /// If the task is cancelled or the limit passes before the turn of `body`, it is not called; during its call, its result is dropped.
    ///
    /// - Throws: `CancellationError`, or a ``SmartCardError`` at `place`.
    func run<Value: Sendable>(
        at place: String,
        within limit: Duration,
        _ body: @escaping @Sendable () throws(SmartCardError) -> Value
    ) async throws -> Value {
        do {
            return try await calls.run(within: limit, body)
        } catch let error as WaitingError {
            throw SmartCardError(place: place, problem: Self.problem(error, limit))
        }
    }

    /// Calls `body` on the thread after all others; at once if the system starts no thread for it.
    func runLast(_ body: @escaping @Sendable () -> Void) {
        if !calls.runLast(within: Self.longest, body) { body() }
    }

    private static func problem(_ error: WaitingError, _ limit: Duration) -> SmartCardError.Problem {
        switch error {
        case .timedOut: .timedOut(milliseconds: limit.milliseconds)
        case .noThread(let code): .noThread(code)
        case .tooMany, .stopped: .busy
        }
    }
}

extension Duration {
    /// The milliseconds, rounded down.
    fileprivate var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}

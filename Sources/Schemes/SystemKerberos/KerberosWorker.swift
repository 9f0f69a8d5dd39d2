internal import Waiting

/// Threads on which calls of the system's Kerberos wait for a KDC, for DNS or for a file.
///
/// A call cannot be interrupted. At its deadline, or when its task is cancelled, the caller goes on with an error; the thread finishes the
/// call and drops its result. Meanwhile the thread is busy, so a KDC that does not answer slows later calls, and never the event loops.
/// The threads end with the last reference to this value, once their calls have ended.
public final class KerberosWorker: Sendable {
    /// How many calls are made at a time.
    public let threads: Int
    /// How many calls wait for a thread; more are refused at once.
    public let maximumWaiting: Int
    /// How long a call may take, waiting for a thread included.
    public let timeLimit: Duration
    private let calls: WorkerThreads

    /// A worker whose threads start when they are needed.
    ///
    /// - Precondition: all three are positive.
    public init(threads: Int = 4, maximumWaiting: Int = 256, timeLimit: Duration = .seconds(10)) {
        precondition(threads > 0 && maximumWaiting > 0 && timeLimit > .zero, "a worker needs threads, room and time")
        self.threads = threads
        self.maximumWaiting = maximumWaiting
        self.timeLimit = timeLimit
        calls = WorkerThreads(threads: threads, waiting: maximumWaiting)
    }

    /// Makes a call on one of the threads.
    ///
    /// - Parameters:
    ///   - limit: another time limit than ``timeLimit``.
    ///   - body: the call.
    /// - Throws: what `body` throws; ``KerberosError`` with the reason `timedOut`, `overloaded` or `stopped`; `CancellationError`.
    /// - Complexity: two changes of threads, about 20 µs on an idle machine.
    public func run<Value: Sendable>(
        within limit: Duration? = nil,
        _ body: @escaping @Sendable () throws(KerberosError) -> Value
    ) async throws -> Value {
        do {
            return try await calls.run(within: limit ?? timeLimit, body)
        } catch let error as WaitingError {
            throw KerberosError(.wait, Self.reason(error))
        }
    }

    private static func reason(_ error: WaitingError) -> KerberosError.Reason {
        switch error {
        case .tooMany: .overloaded
        case .timedOut: .timedOut
        case .noThread, .stopped: .stopped
        }
    }
}

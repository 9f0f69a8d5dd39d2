/// A few threads on which calls wait that cannot be interrupted: for a KDC, for DNS, for a card.
///
/// At its deadline, or when its task is cancelled, the caller goes on with an error; the thread finishes the call and drops its result.
/// Meanwhile the thread is busy. A call whose turn has not come then is not made. The threads start when they are needed, and end with
/// the last reference to this value, once their calls have ended.
package final class WorkerThreads: Sendable {
    private let queue: WorkerQueue

    /// - Parameters:
    ///   - threads: how many calls are made at a time.
    ///   - waiting: how many calls wait for a thread; more are refused at once.
    package init(threads: Int, waiting: Int) {
        precondition(threads > 0 && waiting > 0, "threads and room for those that wait")
        queue = WorkerQueue(threads: threads, waiting: waiting)
    }

    deinit { queue.stop() }

    /// Makes a call on one of the threads.
    ///
    /// - Throws: what `body` throws, ``WaitingError`` or `CancellationError`.
    /// - Complexity: two changes of threads, about 20 µs on an idle machine.
    package func run<Value: Sendable>(
        within limit: Duration,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let call = ResultCall(deadline: .now.advanced(by: limit), body)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard call.wait(continuation) else { return }
                if let refusal = queue.add(call) { call.fail(refusal) }
            }
        } onCancel: {
            call.fail(CancellationError())
            queue.remove(call)
        }
    }

    /// Makes a call after all others, and returns at once.
    ///
    /// - Returns: whether it will be made; not if the system starts no thread for it.
    package func runLast(within limit: Duration, _ body: @escaping @Sendable () -> Void) -> Bool {
        queue.add(LastCall(deadline: .now.advanced(by: limit), body), isLast: true) == nil
    }
}

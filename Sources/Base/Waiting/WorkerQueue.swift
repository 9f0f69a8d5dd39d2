/// The threads of ``WorkerThreads``, the calls that wait for one, and a thread that answers calls at their deadlines.
///
/// Threads start when they are needed, and end with the worker. They refer to this value and not to the worker.
///
/// Sendable without a check, because what changes is read and written only under the lock of `signals`.
final class WorkerQueue: @unchecked Sendable {
    private let signals = ThreadSignals()
    private let maximumThreads: Int
    private let maximumWaiting: Int
    // What changes:
    private var waiting: [any WaitingCall] = []
    private var running: [any WaitingCall] = []
    private var threads = 0
    private var idle = 0
    private var hasWatch = false
    private var isStopped = false
    /// For which deadline the watch waits; `nil` if it waits for none.
    private var watched: ContinuousClock.Instant?

    init(threads: Int, waiting: Int) {
        maximumThreads = threads
        maximumWaiting = waiting
    }

    /// Lets a thread make the call. Returns the reason if none will.
    ///
    /// - Parameter isLast: whether the call is made however many wait.
    func add(_ call: any WaitingCall, isLast: Bool = false) -> WaitingError? {
        signals.lock()
        defer { signals.unlock() }
        guard !isStopped else { return .stopped }
        // Together with those on the threads, so that the bound does not depend on how soon a thread takes a call.
        let most = maximumWaiting + max(0, maximumThreads - running.count)
        guard isLast || waiting.count < most else { return .tooMany }
        if !hasWatch {
            // Without a watch the deadline would not be kept.
            let code = DetachedThread.start { self.watch() }
            guard code == 0 else { return .noThread(code) }
            hasWatch = true
        }
        if waiting.count >= idle, threads < maximumThreads {
            let code = DetachedThread.start { self.work() }
            if code == 0 { threads += 1 } else if threads == 0 { return .noThread(code) }
        }
        waiting.append(call)
        signals.signalWork()
        if watched.map({ call.deadline < $0 }) ?? true { signals.signalDeadline() }
        return nil
    }

    /// Forgets a call that still waits for a thread.
    func remove(_ call: any WaitingCall) {
        signals.lock()
        waiting.removeAll { $0 === call }
        signals.unlock()
    }

    /// Ends the threads: idle ones now, others after their call.
    func stop() {
        signals.lock()
        isStopped = true
        signals.signalAll()
        signals.unlock()
    }

    private func work() {
        while let call = nextCall() {
            call.perform()
            finish(call)
        }
    }

    // A call is never released under the lock, because its body may hold the last reference to the worker, whose end takes the lock.

    /// Waits for a call; `nil` when the thread is to end.
    private func nextCall() -> (any WaitingCall)? {
        signals.lock()
        defer { signals.unlock() }
        while waiting.isEmpty, !isStopped {
            idle += 1
            signals.waitForWork()
            idle -= 1
        }
        guard !waiting.isEmpty else {
            threads -= 1
            return nil
        }
        let call = waiting.removeFirst()
        running.append(call)
        return call
    }

    private func finish(_ call: any WaitingCall) {
        signals.lock()
        running.removeAll { $0 === call }
        signals.unlock()
    }

    private func watch() {
        while let late = lateCalls() {
            for call in late { call.fail(WaitingError.timedOut) }
        }
    }

    /// Waits for calls whose deadlines have passed, and forgets them; `nil` when the thread is to end.
    private func lateCalls() -> [any WaitingCall]? {
        signals.lock()
        defer { signals.unlock() }
        while !isStopped {
            let now = ContinuousClock.now
            let late = (waiting + running).filter { $0.deadline <= now }
            guard late.isEmpty else {
                waiting.removeAll { $0.deadline <= now }
                running.removeAll { $0.deadline <= now }
                return late
            }
            watched = (waiting + running).map(\.deadline).min()
            signals.waitForDeadline(watched.map { now.duration(to: $0) })
            watched = nil
        }
        return nil
    }
}

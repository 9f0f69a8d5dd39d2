/// The threads of ``WorkerThreads``, the calls that wait for one, and a thread that answers calls at their deadlines.
///
/// Threads start when they are needed, and end with the worker. They refer to this value and not to the worker.
final class WorkerQueue: @unchecked Sendable {
    private let signals = ThreadSignals()
    private let maximumThreads: Int
    private let maximumWaiting: Int
    // All below is used only under the lock of `signals`.
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
        guard isLast || waiting.count < maximumWaiting else { return .tooMany }
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
        signals.lock()
        while true {
            while waiting.isEmpty, !isStopped {
                idle += 1
                signals.waitForWork()
                idle -= 1
            }
            guard !waiting.isEmpty else { break }
            let call = waiting.removeFirst()
            running.append(call)
            signals.unlock()
            call.perform()
            signals.lock()
            running.removeAll { $0 === call }
        }
        threads -= 1
        signals.unlock()
    }

    private func watch() {
        signals.lock()
        while !isStopped {
            let now = ContinuousClock.now
            let late = (waiting + running).filter { $0.deadline <= now }
            waiting.removeAll { $0.deadline <= now }
            running.removeAll { $0.deadline <= now }
            guard late.isEmpty else {
                // Outside of the lock, because the waiting task may call this value.
                signals.unlock()
                for call in late { call.fail(WaitingError.timedOut) }
                signals.lock()
                continue
            }
            watched = (waiting + running).map(\.deadline).min()
            signals.waitForDeadline(watched.map { now.duration(to: $0) })
            watched = nil
        }
        signals.unlock()
    }
}

import Synchronization
import TestLimits
import Testing
import Waiting

@testable import SystemKerberos

/// The bounds of a worker, with calls that wait without a KDC.
@Suite(.inTurn) struct KerberosWorkerTests {
    /// A call that waits until it is told to end.
    private final class Gate: Sendable {
        private let signals = ThreadSignals()
        private let state = Mutex((isOpen: false, entered: 0))

        var entered: Int { state.withLock { $0.entered } }

        func wait() {
            state.withLock { $0.entered += 1 }
            signals.lock()
            while !state.withLock({ $0.isOpen }) { signals.waitForWork() }
            signals.unlock()
        }

        func open() {
            state.withLock { $0.isOpen = true }
            signals.lock()
            signals.signalAll()
            signals.unlock()
        }
    }

    /// How many calls are made at a time.
    private final class Tally: Sendable {
        private let state = Mutex((now: 0, most: 0))

        var most: Int { state.withLock { $0.most } }

        func enter() {
            state.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
            }
        }

        func leave() { state.withLock { $0.now -= 1 } }
    }

    @Test("A call returns its result, or its error")
    func results() async throws {
        let worker = KerberosWorker(threads: 2, timeLimit: .seconds(600))
        #expect(try await worker.run { () throws(KerberosError) in 7 } == 7)
        await #expect(throws: KerberosError(.initiate, .noTicket)) {
            try await worker.run { () throws(KerberosError) -> Int in throw KerberosError(.initiate, .noTicket) }
        }
    }

    @Test("A call whose time is over ends for the caller, and its late result is released")
    func deadline() async throws {
        final class Late: Sendable {}
        let worker = KerberosWorker(threads: 1, timeLimit: .milliseconds(50))
        let gate = Gate()
        weak let late: Late?
        do {
            let made = Late()
            late = made
            let box = Mutex<Late?>(made)
            await #expect(throws: KerberosError(.wait, .timedOut)) {
                try await worker.run { () throws(KerberosError) -> Late? in
                    gate.wait()
                    return box.withLock { $0.take() }
                }
            }
        }
        gate.open()
        try await eventually("the late result is released") { late == nil }
        // The thread works again.
        #expect(try await worker.run(within: .seconds(600)) { () throws(KerberosError) in 1 } == 1)
    }

    @Test("More calls than there is room for are refused at once, and waiting ones keep their deadline")
    func bound() async throws {
        let worker = KerberosWorker(threads: 1, maximumWaiting: 1, timeLimit: .seconds(600))
        let gate = Gate()
        let running = Task { try await worker.run { () throws(KerberosError) in gate.wait() } }
        try await eventually("the call has begun") { gate.entered > 0 }
        let clock = ContinuousClock.now
        await #expect(throws: KerberosError(.wait, .timedOut)) {
            try await worker.run(within: .milliseconds(30)) { () throws(KerberosError) in }
        }
        #expect(clock.duration(to: .now) < .seconds(300))
        // Either this call or the one below has the only place first; the one below gives it up soon.
        let waiting = Task {
            try await awaited("the call has the only place") { () -> Int? in
                do { return try await worker.run { () throws(KerberosError) in 2 } } catch let error as KerberosError {
                    try #require(error.reason == .overloaded)
                    return nil
                }
            }
        }
        try await eventually("a call is refused") {
            do { try await worker.run(within: .milliseconds(10)) { () throws(KerberosError) in } } catch {
                return error as? KerberosError == KerberosError(.wait, .overloaded)
            }
            return false
        }
        gate.open()
        try await running.value
        #expect(try await waiting.value == 2)
    }

    @Test("A cancelled task goes on at once, and its waiting call is not made")
    func cancellation() async throws {
        let worker = KerberosWorker(threads: 1, timeLimit: .seconds(600))
        let gate = Gate()
        let running = Task { try await worker.run { () throws(KerberosError) in gate.wait() } }
        try await eventually("the call has begun") { gate.entered > 0 }
        let made = Mutex(false)
        let waiting = Task {
            try await worker.run { () throws(KerberosError) in made.withLock { $0 = true } }
        }
        waiting.cancel()
        running.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await #expect(throws: CancellationError.self) { try await running.value }
        gate.open()
        #expect(try await worker.run { () throws(KerberosError) in made.withLock { $0 } } == false)
        let before = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await worker.run { () throws(KerberosError) in 1 }
        }
        await #expect(throws: CancellationError.self) { try await before.value }
    }

    @Test("A thousand calls at a time are all made, on no more threads than allowed")
    func many() async throws {
        let worker = KerberosWorker(threads: 3, maximumWaiting: 1_000, timeLimit: .seconds(600))
        let tally = Tally()
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    try await worker.run { () throws(KerberosError) in
                        tally.enter()
                        defer { tally.leave() }
                        return number
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 499_500)
        #expect((1...3).contains(tally.most))
    }
}

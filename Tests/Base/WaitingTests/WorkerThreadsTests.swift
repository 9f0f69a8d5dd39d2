import Synchronization
import TestLimits
import Testing
import Waiting

@Suite(.inTurn) struct WorkerThreadsTests {
    /// Holds a call until it is opened.
    private final class Gate: Sendable {
        private let signals = ThreadSignals()
        private let isOpen = Atomic(false)

        var hasOpened: Bool { isOpen.load(ordering: .sequentiallyConsistent) }

        func open() {
            signals.lock()
            isOpen.store(true, ordering: .sequentiallyConsistent)
            signals.signalAll()
            signals.unlock()
        }

        func wait() {
            signals.lock()
            while !hasOpened { signals.waitForWork() }
            signals.unlock()
        }
    }

    @Test("A call that holds the last reference to its threads ends them, and a last call is made before")
    func endsOnItsOwnThread() async throws {
        let (gate, last) = (Gate(), Gate())
        weak var left: WorkerThreads?
        do {
            let threads = WorkerThreads(threads: 1, waiting: 4)
            left = threads
            await #expect(throws: WaitingError.timedOut) {
                try await threads.run(within: .milliseconds(20)) { withExtendedLifetime(threads) { gate.wait() } }
            }
            #expect(threads.runLast(within: .seconds(600)) { last.open() })
        }
        gate.open()
        last.wait()
        try await eventually("the threads are left") { left == nil }
    }

    @Test("A call that is late before its turn is not made, and more than the room are refused at once")
    func room() async throws {
        let threads = WorkerThreads(threads: 1, waiting: 1)
        let (gate, begun) = (Gate(), Gate())
        let first = Task {
            try await threads.run(within: .seconds(600)) {
                begun.open()
                gate.wait()
            }
        }
        begun.wait()
        let late = Gate()
        await #expect(throws: WaitingError.timedOut) {
            try await threads.run(within: .milliseconds(20)) { late.open() }
        }
        // Of two, one waits, and the other one is refused before the thread is free.
        let ends = await withTaskGroup(of: Result<Int, any Error>.self) { group in
            for number in 1...2 {
                group.addTask {
                    do {
                        return .success(try await threads.run(within: .seconds(600)) { number })
                    } catch { return .failure(error) }
                }
            }
            var ends: [Result<Int, any Error>] = []
            for await end in group {
                if ends.isEmpty { gate.open() }
                ends.append(end)
            }
            return ends
        }
        try await first.value
        #expect(throws: WaitingError.tooMany) { try ends[0].get() }
        #expect(throws: Never.self) { try ends[1].get() }
        #expect(!late.hasOpened)
    }

    @Test("Work is abandoned after its limit, though it does not hear of its cancellation")
    func abandoned() async throws {
        let gate = Gate()
        await #expect(throws: WaitingError.timedOut) {
            try await Deadline.abandon(after: .milliseconds(20), orThrow: WaitingError.timedOut) {
                try await OwnThread.run { gate.wait() }
            }
        }
        gate.open()
        await #expect(throws: WaitingError.tooMany) {
            try await Deadline.abandon(after: .seconds(600), orThrow: WaitingError.timedOut) {
                throw WaitingError.tooMany
            }
        }
    }
}

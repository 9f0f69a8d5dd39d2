import Foundation
import LiveServers
import Sallyport
import Synchronization
import Testing

@testable import Authenticator
@testable import ChallengeHandling

@Suite(.inTurn) struct SharedCallsTests {
    private struct Failure: Error {}

    /// Opens once; who waits before that goes on then.
    private actor Gate {
        private var isOpen = false
        private var waiters: [CheckedContinuation<Void, Never>] = []

        func open() {
            isOpen = true
            for waiter in waiters { waiter.resume() }
            waiters = []
        }

        func wait() async {
            if !isOpen { await withCheckedContinuation { waiters.append($0) } }
        }
    }

    @Test("One body runs for calls that overlap, and the next call runs another")
    func shared() async throws {
        let call = SharedCalls<Int, Void>()
        let runs = Mutex(0)
        let (begun, gate) = (Gate(), Gate())
        let body: @Sendable () async throws -> Void = {
            runs.withLock { $0 += 1 }
            await begun.open()
            await gate.wait()
            throw Failure()
        }
        let first = Task { try await call.run(for: 0, body) }
        await begun.wait()
        let others = (0..<100).map { _ in Task { try await call.run(for: 0, body) } }
        // Each caller waits for the body that has begun; one that ran a body of its own would count there.
        try await eventually("all wait, or run") { call.waiterCount + runs.withLock { $0 } >= 1 + 101 }
        try #require(runs.withLock { $0 } == 1)
        await gate.open()
        for task in [first] + others { await #expect(throws: Failure.self) { try await task.value } }
        #expect(runs.withLock { $0 } == 1)
        await #expect(throws: Failure.self) { try await call.run(for: 0, body) }
        #expect(runs.withLock { $0 } == 2)
    }

    @Test("A caller that is cancelled leaves at once; the last one cancels the call")
    func cancellation() async throws {
        let call = SharedCalls<Int, Void>()
        let (begun, cancelled) = (Gate(), Gate())
        let body: @Sendable () async throws -> Void = {
            await begun.open()
            do { try await Task.sleep(for: .seconds(3600)) } catch { await cancelled.open() }
        }
        let callers = (0..<3).map { _ in Task { try await call.run(for: 0, body) } }
        await begun.wait()
        for caller in callers {
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
        await cancelled.wait()
        // The end of the cancelled call does not end this one.
        try await call.run(for: 0) {}
    }

    @Test("A caller that was cancelled before does not begin") func cancelledBefore() async {
        let runs = Mutex(0)
        let call = SharedCalls<Int, Void>()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await call.run(for: 0) { runs.withLock { $0 += 1 } }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(runs.withLock { $0 } == 0)
    }
}

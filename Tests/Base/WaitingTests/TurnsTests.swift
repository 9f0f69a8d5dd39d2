import Synchronization
import TestLimits
import Testing
import Waiting

@Suite(.inTurn) struct TurnsTests {
    private final class Counts: Sendable {
        let all = Mutex((now: 0, peak: 0, all: 0))
    }

    @Test("Whoever waits longer than the limit gives up, and the turn goes to the next")
    func limit() async throws {
        let turns = Turns(atATime: 3)
        for _ in 0..<3 { try await turns.wait(within: .seconds(600)) }
        await #expect(throws: WaitingError.timedOut) { try await turns.wait(within: .milliseconds(20)) }
        async let next: Void = turns.wait(within: .seconds(600))
        turns.leave()
        try await next
    }

    @Test("More than the room are refused at once")
    func room() async throws {
        let turns = Turns(waiting: 0)
        try await turns.wait()
        await #expect(throws: WaitingError.tooMany) { try await turns.wait() }
        turns.leave()
        try await turns.wait()
    }

    @Test("A cancelled task leaves the queue, before it waits and while it waits")
    func cancelled() async throws {
        let turns = Turns()
        try await turns.wait()
        let waiting = Task { try await turns.wait() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        turns.leave()
        try await turns.wait(within: .seconds(600))
    }

    @Test("No two have a turn at once, and each gets one", arguments: [1, 2, 5])
    func bound(most: Int) async throws {
        let turns = Turns(atATime: most)
        let counts = Counts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await turns.withTurn {
                        counts.all.withLock {
                            $0.now += 1
                            $0.peak = max($0.peak, $0.now)
                        }
                        await Task.yield()
                        counts.all.withLock {
                            $0.now -= 1
                            $0.all += 1
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let (now, peak, all) = counts.all.withLock { $0 }
        #expect(now == 0 && peak <= most && all == 200)
    }
}

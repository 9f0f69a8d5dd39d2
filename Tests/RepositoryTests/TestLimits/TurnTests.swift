import Foundation
import Synchronization
import TestLimits
import Testing

@Suite(.inTurn) struct TurnTests {
    @Test("A test that waits beyond its limit is cancelled, and fails") func limit() async throws {
        let wasCancelled = Mutex(false)
        await #expect(throws: TurnIsOver.self) {
            try await Turn.bounded("waits", limit: .milliseconds(20)) {
                do { try await Task.sleep(for: .seconds(3_600)) } catch { wasCancelled.withLock { $0 = true } }
            }
        }
        #expect(wasCancelled.withLock { $0 })
    }

    @Test("A test that does not heed its cancellation ends the run, which names it") func deaf() async throws {
        let run = try await #require(processExitsWith: .exitCode(EXIT_FAILURE), observing: [\.standardErrorContent]) {
            try await Turn.bounded("deaf", limit: .milliseconds(20), grace: .milliseconds(20)) {
                while true { await Task.yield() }
            }
        }
        let text = String(decoding: run.standardErrorContent, as: UTF8.self)
        #expect(text.contains("deaf has not ended 0.04 seconds after its turn began"), "\(text)")
    }

    @Test("The limit counts also while other tasks hold the shared pool") func heldPool() async throws {
        // In a process of its own, because it holds threads on which other tests run.
        await #expect(processExitsWith: .exitCode(EXIT_FAILURE)) {
            for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount { Task.detached { while true {} } }
            try await Turn.bounded("held", limit: .milliseconds(20), grace: .milliseconds(20)) {
                while true { await Task.yield() }
            }
        }
    }

    @Test("A test that ends in time has its own result") func ends() async throws {
        struct Own: Error {}
        try await Turn.bounded("ends") {}
        await #expect(throws: Own.self) { try await Turn.bounded("throws") { throw Own() } }
    }
}

@Suite(.inTurn) struct EventuallyTests {
    @Test("The wait ends with the event, and its value is returned") func happens() async throws {
        var looks = 0
        try await eventually("the third look") {
            looks += 1
            return looks == 3
        }
        let found = try await awaited("the sixth look") { () -> Int? in
            looks += 1
            return looks < 6 ? nil : looks
        }
        #expect(looks == 6 && found == 6)
        func blocking() throws {
            try blockUntil("the ninth look") {
                looks += 1
                return looks == 9
            }
        }
        try blocking()
    }

    @Test("What does not happen is named, with what there is at the end") func never() async throws {
        var looks = 0
        let error = await #expect(throws: NeverHappened.self) {
            try await eventually("more than \(looks) looks", within: .milliseconds(20)) {
                looks += 1
                return false
            }
        }
        #expect(looks > 1)
        #expect(error.map { "\($0)" } == "0.02 seconds have passed without this: more than \(looks) looks")
    }

    @Test("A test that is cancelled waits no longer") func cancelled() async {
        let task = Task { try await eventually("nothing") { false } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

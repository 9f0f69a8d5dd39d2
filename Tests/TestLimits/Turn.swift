internal import Foundation
internal import Synchronization
package import Testing

/// Runs a test in its turn: on threads of its own, with at most ``atOnce`` other tests of this kind at the same time, and
/// with a limit that counts from its turn.
///
/// Swift Testing begins all tests at once, on a pool of as many threads as the machine has processors. Tests that compute
/// hold these threads for minutes. A test that meets servers or processes, or that waits for events, would stop in the
/// middle of an exchange for that long, and a limit that counts from its begin would pass before it has run.
///
/// Every suite that waits has this trait. `TimeLimitTests` checks it.
package struct Turn: SuiteTrait, TestTrait, TestScoping {
    /// How many tests have a turn at the same time: most of them wait for others, so more than there are processors.
    package static let atOnce = 16
    /// How long a test may take once it has its turn; only a test that hangs takes so long.
    package static let limit: Duration = .seconds(1_800)
    /// How long a test may take to end once it is cancelled at ``limit``.
    package static let grace: Duration = .seconds(300)

    private static let queue = TurnQueue(free: atOnce)
    /// Whether this task has a turn: a suite and a test in it can both have the trait.
    @TaskLocal private static var isHeld = false
    /// `Task.sleep` goes on only on a thread of the shared pool, whatever executor its task prefers, and tests may hold
    /// all of them. A serial queue gets a thread of its own.
    private static let clock = DispatchQueue(label: "limits of tests")

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard !Self.isHeld else { return try await function() }
        await Self.queue.wait()
        defer { Self.queue.end() }
        try await Self.$isHeld.withValue(true) {
            try await withTaskExecutorPreference(ThreadPerJob.shared) {
                try await Self.bounded("\(test.id)", function)
            }
        }
    }

    /// Cancels `function` after `limit`, and then fails.
    ///
    /// A test that has not ended `grace` later does not heed its cancellation: it blocks on a socket, or on a process.
    /// Nothing in this process can end it, so the process ends, and says which test it was.
    package static func bounded(
        _ name: String,
        limit: Duration = limit,
        grace: Duration = grace,
        _ function: @Sendable () async throws -> Void
    ) async throws {
        let (isOver, over) = AsyncStream.makeStream(of: Void.self)
        let timers = [
            (limit, DispatchWorkItem { over.yield() }),
            (limit + grace, DispatchWorkItem { endRun(name, limit + grace) }),
        ]
        for (time, action) in timers { clock.asyncAfter(deadline: .now() + time / .seconds(1), execute: action) }
        defer { for (_, action) in timers { action.cancel() } }
        try await withoutActuallyEscaping(function) { function in
            try await withThrowingTaskGroup { group in
                group.addTask { try await function() }
                group.addTask { for await _ in isOver { throw TurnIsOver(limit: limit) } }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private static func endRun(_ name: String, _ time: Duration) {
        let text = "\(name) has not ended \(time) after its turn began, although it is cancelled: the run ends here\n"
        FileHandle.standardError.write(Data(text.utf8))
        // Without what runs at an ordinary end, which could wait for the test that hangs.
        _exit(EXIT_FAILURE)
    }
}

/// A test took longer than its limit.
package struct TurnIsOver: Error, CustomStringConvertible {
    let limit: Duration

    package var description: String { "the test has not ended \(limit) after its turn began" }
}

/// Lets a number of tests in; the others wait in the order in which they came.
private final class TurnQueue: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(free: Int) { state = Mutex(State(free: free)) }

    func wait() async {
        await withCheckedContinuation { continuation in
            let begins = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if begins { continuation.resume() }
        }
    }

    func end() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

extension Trait where Self == Turn {
    /// Runs each test in its turn, on threads of its own, with a limit.
    package static var inTurn: Turn { Turn() }
}

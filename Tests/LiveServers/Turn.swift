internal import Synchronization
package import Testing

/// Runs a test in its turn: on threads of its own, and with at most ``atOnce`` other tests of this kind at the same time.
///
/// Swift Testing begins all tests at once, on a pool of as many threads as the machine has processors. Tests that compute
/// hold these threads for minutes. A test that meets servers or processes, or that waits for events, would stop in the
/// middle of an exchange for that long, and its limits would pass.
package struct Turn: SuiteTrait, TestTrait, TestScoping {
    /// How many tests have a turn at the same time: most of them wait for others, so more than there are processors.
    package static let atOnce = 12
    /// How long a test may take once it has its turn; only a test that hangs takes so long.
    package static let limit: Duration = .seconds(1_800)

    private static let queue = TurnQueue(free: atOnce)
    /// Whether this task has a turn: a suite and a test in it can both have the trait.
    @TaskLocal private static var isHeld = false

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
            try await withTaskExecutorPreference(ThreadPerJob.shared) { try await Self.bounded(function) }
        }
    }

    /// Cancels `function` after ``limit``, and then fails.
    private static func bounded(_ function: @Sendable () async throws -> Void) async throws {
        try await withoutActuallyEscaping(function) { function in
            try await withThrowingTaskGroup { group in
                group.addTask { try await function() }
                group.addTask {
                    try await Task.sleep(for: limit)
                    throw TurnIsOver()
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }
}

/// A test took longer than ``Turn/limit``.
struct TurnIsOver: Error, CustomStringConvertible {
    var description: String { "the test has not ended \(Turn.limit) after its turn began" }
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
    /// Runs each test in its turn, on threads of its own.
    package static var inTurn: Turn { Turn() }
}

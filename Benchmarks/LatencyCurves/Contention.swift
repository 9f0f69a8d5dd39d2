internal import Foundation
package import Histogram
package import HotOperations
internal import PeerComparison
internal import Sallyport
internal import Synchronization

/// Decisions on several threads at once, while the handler that they share is replaced by another of the same profile.
package struct Contention: Sendable {
    /// The result.
    package struct Outcome: Sendable {
        package let threads: Int
        package let reloads: Int
        package let decisionsPerSecond: Double
        /// Decisions that differ from the profile; more than 0 means that a reload was not atomic.
        package let wrong: Int
        package let latencies: Histogram<UInt64>
    }

    private struct Tally: Sendable {
        var latencies = CallRecorder.empty
        var wrong = 0
        var reloads = 0
        var failure: String?
    }

    /// What the threads share.
    private final class Shared: Sendable {
        let current: CurrentHandler
        let tally = Mutex(Tally())
        let isOver = Atomic<Bool>(false)
        private let running = Atomic<Int>(0)

        init(_ handler: ChallengeHandler) { current = CurrentHandler(handler) }

        /// Starts a thread, because work that never waits would block a shared queue.
        func start(_ body: @escaping @Sendable (Shared) -> Void) {
            running.wrappingAdd(1, ordering: .sequentiallyConsistent)
            let thread = Thread { [self] in
                body(self)
                running.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            }
            thread.start()
        }

        func end() {
            isOver.store(true, ordering: .relaxed)
            while running.load(ordering: .sequentiallyConsistent) > 0 { Thread.sleep(forTimeInterval: 0.001) }
        }
    }

    /// A handler could not be made.
    package struct ReloadFailed: Error, CustomStringConvertible {
        package let description: String
    }

    private let decisions: RecordedDecisions
    private let recorder: CallRecorder

    package init() throws {
        decisions = try RecordedDecisions()
        recorder = CallRecorder()
    }

    /// Does `work` for `seconds`, on `threads` threads, with a reload every `milliseconds` or none at all.
    package func run(
        _ work: RecordedDecisions.Work = .mixed,
        threads: Int,
        seconds: Double,
        reloadEvery milliseconds: Double?
    ) throws -> Outcome {
        let shared = Shared(try decisions.makeHandler())
        let begin = Clock.monotonic()
        for number in 0..<threads {
            shared.start { [decisions, recorder] shared in
                var own = Tally()
                var call = number
                while !shared.isOver.load(ordering: .relaxed) {
                    let before = Clock.monotonic()
                    let isRight = decisions.decide(work, call, by: shared.current.handler)
                    recorder.record(Clock.monotonic() &- before, into: &own.latencies)
                    if !isRight { own.wrong += 1 }
                    call &+= 1
                }
                shared.tally.withLock { [own] tally in
                    tally.latencies.add(own.latencies)
                    tally.wrong += own.wrong
                }
            }
        }
        if let milliseconds {
            shared.start { [decisions] shared in
                while !shared.isOver.load(ordering: .relaxed) {
                    Thread.sleep(forTimeInterval: milliseconds / 1000)
                    do {
                        shared.current.replace(with: try decisions.compile())
                        shared.tally.withLock { $0.reloads += 1 }
                    } catch {
                        shared.tally.withLock { [text = "\(error)"] tally in tally.failure = text }
                    }
                }
            }
        }
        Thread.sleep(forTimeInterval: seconds)
        shared.end()
        let passed = Double(Clock.monotonic() &- begin) / 1e9
        let tally = shared.tally.withLock { $0 }
        if let failure = tally.failure { throw ReloadFailed(description: failure) }
        return Outcome(
            threads: threads,
            reloads: tally.reloads,
            decisionsPerSecond: Double(tally.latencies.totalCount) / passed,
            wrong: tally.wrong,
            latencies: tally.latencies
        )
    }
}

internal import Synchronization

/// A monotonic clock that tests and replays set.
package final class ManualClock: Sendable {
    private let nanoseconds: Atomic<Int64>

    package init(nanoseconds: Int64 = 0) {
        self.nanoseconds = Atomic(nanoseconds)
    }

    package var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds.load(ordering: .relaxed)) }

    package func set(_ time: MonotonicTime) { nanoseconds.store(time.nanoseconds, ordering: .relaxed) }

    package func advance(by duration: Duration) { nanoseconds.add(duration.nanoseconds, ordering: .relaxed) }
}

/// The end of a time limit.
struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    init(after limit: Duration) { end = ContinuousClock.now.advanced(by: limit) }

    var hasPassed: Bool { ContinuousClock.now >= end }

    /// What is left, in milliseconds and rounded up, as `poll` takes it; at most a minute, so that it never overflows.
    var pollMilliseconds: Int32 {
        let left = ContinuousClock.now.duration(to: end)
        guard left > .zero else { return 0 }
        guard left < .seconds(60) else { return 60_000 }
        return Int32(left / .milliseconds(1)) + 1
    }
}

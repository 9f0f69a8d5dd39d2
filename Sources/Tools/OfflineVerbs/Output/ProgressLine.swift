/// A counter in one line of standard error, shown only on a terminal and for work that takes more than a second.
package struct ProgressLine {
    private let total: Int?
    private let unit: String
    private let isTerminal: Bool
    private let clock = SuspendingClock()
    private let start: SuspendingClock.Instant
    private var nextUpdate: SuspendingClock.Instant
    private var done = 0
    private var isVisible = false

    /// - Parameter total: the final count, if it is known.
    package init(total: Int? = nil, unit: String) {
        self.total = total
        self.unit = unit
        isTerminal = StandardError.isTerminal
        start = clock.now
        nextUpdate = start + .seconds(1)
    }

    /// Counts one more; looks at the clock every 256th time.
    package mutating func advance() {
        done += 1
        if isTerminal, done & 255 == 0 { update() }
    }

    /// Counts `count` more and looks at the clock.
    package mutating func advance(by count: Int) {
        done += count
        if isTerminal { update() }
    }

    private mutating func update() {
        let now = clock.now
        guard now >= nextUpdate else { return }
        nextUpdate = now + .milliseconds(200)
        isVisible = true
        StandardError.replaceLine(
            with: "\(done)\(total.map { " of \($0)" } ?? "") \(unit), \((now - start).components.seconds) s"
        )
    }

    /// Removes the line.
    package mutating func finish() {
        if isVisible { StandardError.replaceLine(with: "") }
        isVisible = false
    }
}

internal import WireFormat

/// How many decisions one thread makes in a second.
package struct DecisionRate: Sendable {
    private var decisions = 0
    private var processorNanoseconds: Int64 = 0
    private var elapsed = Duration.zero

    /// Nothing is measured yet.
    package init() {}

    /// Makes the decisions of some passes, from the preparation of the handler to the last decision.
    package mutating func measure(_ replayer: Replayer, passes: Int) throws(ReplayError) {
        let (clock, begun) = (StageLatencies.clock, StageLatencies.clock.now)
        let used = SystemClock.processorNanoseconds
        for _ in 0..<passes { decisions += try replayer.decide() }
        processorNanoseconds += SystemClock.processorNanoseconds - used
        elapsed += clock.now - begun
    }

    /// By processor time, which other programs on the machine change little.
    package var perProcessorSecond: Double { Self.rate(decisions, Double(processorNanoseconds) / 1_000_000_000) }

    /// By elapsed time.
    package var perSecond: Double { Self.rate(decisions, elapsed / .seconds(1)) }

    private static func rate(_ decisions: Int, _ seconds: Double) -> Double {
        seconds > 0 ? Double(decisions) / seconds : 0
    }
}

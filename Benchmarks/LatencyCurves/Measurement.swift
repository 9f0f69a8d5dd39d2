internal import Histogram
package import PeerComparison

/// How the calls of an operation are measured.
package struct Measurement: Sendable {
    /// How many calls each loop makes, if time allows.
    package var calls: Int
    /// How many nanoseconds a loop may take.
    package var budget: UInt64
    /// The open loop's rate, as a share of the one that the closed loop reached.
    package var load: Double
    package var loops: Set<LatencyCurve.Loop>

    package init(calls: Int, budget: UInt64, load: Double, loops: Set<LatencyCurve.Loop>) {
        self.calls = calls
        self.budget = budget
        self.load = load
        self.loops = loops
    }

    /// Measures one operation: the closed loop first, because the open one's rate depends on it.
    package func entries(of implementation: MeasuredImplementation, _ recorder: CallRecorder) throws -> [LatencyRun
        .Entry]
    {
        let name = implementation.operation
        let closed = recorder.closedLoop(implementation, calls: calls, budget: budget)
        var entries: [LatencyRun.Entry] = []
        if loops.contains(.closed) {
            entries.append(
                try .init(operation: name, loop: .closed, text: PercentileDistribution.text(closed.latencies))
            )
        }
        if loops.contains(.open) {
            // The cycle includes the clock and the preparation of each call, because a call that arrives waits for them too.
            let interval = closed.cycle / load
            let open = recorder.openLoop(implementation, interval: interval, calls: calls, budget: budget)
            entries.append(
                try .init(
                    operation: name,
                    loop: .open,
                    rate: 1e9 / interval,
                    utilisation: closed.latencies.mean / interval,
                    text: PercentileDistribution.text(open)
                )
            )
        }
        return entries
    }
}

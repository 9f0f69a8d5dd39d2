internal import PeerComparison

extension LatencyRun {
    /// The percentiles of one loop as a table, in nanoseconds up to 10 µs; `nil` where nothing was measured in that loop.
    ///
    /// - Parameter wanted: how many calls were to be made; where time ran out before, their number is in the row.
    package func table(_ loop: LatencyCurve.Loop, wanted: Int) -> String? {
        var header = ["operation"] + LatencyCurve.percentiles.map(\.name) + ["max", "calls"]
        if loop == .open { header += ["arrivals a second", "utilisation"] }
        var table = TextTable(header)
        for entry in entries where entry.loop == loop {
            var row = [entry.operation]
            row += LatencyCurve.percentiles.map { entry.curve.nanoseconds(at: $0.value).map(Self.text) ?? "·" }
            row.append(entry.curve.slowest.map(Self.text) ?? "·")
            row.append(entry.curve.calls < wanted ? "\(entry.curve.calls), out of time" : "\(entry.curve.calls)")
            if loop == .open {
                row.append(entry.rate.map { "\(Int($0))" } ?? "·")
                row.append(entry.utilisation.map { "\(Int(($0 * 100).rounded())) %" } ?? "·")
            }
            table.add(row)
        }
        return table.text
    }

    /// A latency with its unit and three significant digits.
    package static func text(_ nanoseconds: Double) -> String {
        let units = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")]
        // The clock counts single nanoseconds, so they are shown up to 10 µs.
        let (scale, unit) = units.last { nanoseconds >= $0.0 * 10 } ?? (1, "ns")
        let value = nanoseconds / scale
        let tenths = Int((value * 10).rounded())
        let isWhole = scale == 1 || value >= 100
        return isWhole ? "\(Int(value.rounded())) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}

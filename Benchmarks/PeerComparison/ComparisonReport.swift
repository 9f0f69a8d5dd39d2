/// The tables of a comparison: Markdown that is as readable on a terminal.
package struct ComparisonReport {
    /// Our implementation, which all others are compared with.
    package let ours: String
    /// The operations in the order of the tables: name in the measurement file, and title.
    package let operations: [(name: String, title: String)]
    package let goals: [Goal]
    /// The implementation and the operation whose time scales the goals in nanoseconds.
    package let yardstick: (who: String, operation: String)

    package init(
        ours: String,
        operations: [(name: String, title: String)],
        goals: [Goal],
        yardstick: (who: String, operation: String)
    ) {
        self.ours = ours
        self.operations = operations
        self.goals = goals
        self.yardstick = yardstick
    }

    /// The tables of a measurement file whose operations need no other titles.
    package init(ours: String, measurementFile: MeasurementFile, goals: [Goal] = []) {
        self.init(
            ours: ours,
            operations: measurementFile.operations.map { ($0, $0) },
            goals: goals,
            // Not used, because these goals are not in nanoseconds.
            yardstick: (ours, "")
        )
    }

    /// All tables that have rows.
    package func text(of measurementFile: MeasurementFile) -> String {
        var parts: [String] = []
        parts.append(
            contentsOf: [
                times(measurementFile), outcomes(measurementFile), allocations(measurementFile),
            ].compactMap { $0 }
        )
        parts.append(remarks(measurementFile))
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private func times(_ measurementFile: MeasurementFile) -> String? {
        let hasBytes = operations.contains { name, _ in
            measurementFile.implementations.contains { measurementFile.record($0, name)?.bytes != nil }
        }
        let header = ["operation", "who", "best ns", "median ns", "spread", "a second", "of ours"]
        var table = TextTable(header + (hasBytes ? ["bytes each"] : []))
        for (name, title) in operations {
            let ownBest = measurementFile.record(ours, name)?.best
            var heading = title
            for who in measurementFile.implementations {
                guard let record = measurementFile.record(who, name), let best = record.best, let median = record.median
                else {
                    continue
                }
                let cells = [
                    heading, who, Self.number(best), Self.number(median), Self.percent(record.spread),
                    Self.rate(1e9 / best), ownBest.map { Self.factor(best / $0) } ?? "",
                ]
                table.add(cells + (hasBytes ? [record.bytes.map(Self.number) ?? ""] : []))
                heading = ""
            }
        }
        return table.text.map { text in
            "Processor time of one operation. The spread is that of the middle half of the rounds; \"of ours\" is the time "
                + "divided by ours, quickest rounds on both sides.\n\n" + text
        }
    }

    /// Our time beside the quickest peer's, for each operation that is named; operations without a peer are left out.
    package static func short(
        _ rows: [(title: String, operation: String, measurementFile: MeasurementFile)],
        ours: String
    ) -> String? {
        var table = TextTable(["operation", "ours, ns", "quickest peer", "ns", "of ours"])
        for (title, operation, measurementFile) in rows {
            let others = measurementFile.implementations.filter { !$0.hasPrefix(ours) }.compactMap { who in
                measurementFile.record(who, operation)?.best.map { (who: who, best: $0) }
            }
            guard let own = measurementFile.record(ours, operation)?.best,
                let peer = others.min(by: { $0.best < $1.best })
            else { continue }
            table.add([title, number(own), peer.who, number(peer.best), factor(peer.best / own)])
        }
        return table.text
    }

    private func outcomes(_ measurementFile: MeasurementFile) -> String? {
        var table = TextTable(["operation", "goal", "limit here", "measured", "met"])
        let scale = measurementFile.record(yardstick.who, yardstick.operation)?.best
        for goal in goals {
            let outcome = goal.outcome(by: measurementFile, yardstick: scale)
            guard outcome.measured != nil || outcome.limit != nil else { continue }
            let title = operations.first { $0.name == goal.operation }?.title ?? goal.operation
            table.add([
                goal.who == ours ? title : "\(title), \(goal.who)", goal.text,
                outcome.limit.map(Self.number) ?? "unknown", outcome.measured.map(Self.number) ?? "not measured",
                outcome.isMet.map { $0 ? "yes" : "**no**" } ?? "not checked",
            ])
        }
        return table.text.map { text in
            let unit = Self.number(Goal.yardstickNanoseconds)
            guard let scale else { return "Goals.\n\n" + text }
            return "Goals. Those in nanoseconds are for a machine on which \(yardstick.who) takes \(unit) ns; it takes "
                + "\(Self.number(scale)) ns here, and they are scaled by that.\n\n" + text
        }
    }

    private func allocations(_ measurementFile: MeasurementFile) -> String? {
        var table = TextTable(["operation", "who", "allocations"])
        for (name, title) in operations {
            for who in measurementFile.implementations {
                guard let count = measurementFile.record(who, name)?.allocations else { continue }
                table.add([title, who, Self.number(count)])
            }
        }
        return table.text.map { "Allocations for one operation.\n\n" + $0 }
    }

    private func remarks(_ measurementFile: MeasurementFile) -> String {
        let present = measurementFile.remarks.map { "- \($0.who): \($0.text)" }
        let absent = measurementFile.absent.map { "- \($0.who): absent (\($0.text))" }
        return (present + absent).joined(separator: "\n")
    }

    /// Three significant digits.
    static func number(_ value: Double) -> String {
        if value == value.rounded(), value < 1e6 { return String(Int(value)) }
        let digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
        return fixed(value, digits)
    }

    private static func factor(_ value: Double) -> String { number(value) + " ×" }

    private static func percent(_ value: Double?) -> String { value.map { fixed(100 * $0, 1) + " %" } ?? "" }

    private static func rate(_ value: Double) -> String {
        if value >= 1e6 { return number(value / 1e6) + " M" }
        return value >= 1e3 ? number(value / 1e3) + " k" : number(value)
    }

    private static func fixed(_ value: Double, _ digits: Int) -> String {
        let unit = (0..<digits).reduce(1.0) { unit, _ in unit * 10 }
        let scaled = (value * unit).rounded()
        guard scaled < 9e15 else { return "\(value)" }
        let whole = Int(scaled) / Int(unit)
        guard digits > 0 else { return "\(whole)" }
        let fraction = String(Int(scaled) % Int(unit))
        return "\(whole)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}

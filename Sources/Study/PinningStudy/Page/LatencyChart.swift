/// Percentiles of a decision's latency, on a logarithmic scale.
enum LatencyChart {
    static let percentiles = ["p50", "p90", "p99", "p99.9", "max"]

    private static let width = 340.0
    /// Beside the scale, so that the texts of its ends have room: half of "1000 ms".
    private static let margin = 26.0

    /// The chart; `nil` if decisions were not timed.
    static func svg(_ strategies: [StrategyReport]) -> String? {
        let timed = strategies.filter { !$0.cost.latencyNanoseconds.isEmpty }
        // A closure, because `map(Double.init)` would choose `init(bitPattern:)`.
        let values = timed.flatMap { strategy in
            percentiles.compactMap { strategy.cost.latencyNanoseconds[$0] }.map { Double($0) }
        }
        guard let low = values.min(), let high = values.max() else { return nil }
        var svg = SVG()
        let decades = Ticks.decades(from: low, to: high, most: Int((width - 2 * margin) / (2 * margin)))
        let x = Scale(
            kind: .logarithmic,
            values: (decades.first ?? 1)...(decades.last ?? 10),
            from: margin,
            to: width - margin
        )
        let height = SVG.height(ofRows: timed.count)
        for decade in decades {
            svg.rowGrid(x(decade), rows: timed.count)
            svg.text(x(decade), height + 14, unit(decade), "tick", anchor: "middle")
        }
        for (row, strategy) in timed.enumerated() {
            let y = SVG.middle(ofRow: row)
            svg.rowName(margin, row, strategy.name)
            let places = percentiles.compactMap { name in
                strategy.cost.latencyNanoseconds[name].map { (name: name, value: $0, x: x(Double($0))) }
            }
            if let start = places.first, let end = places.last { svg.line(start.x, y, end.x, y, "life") }
            for (index, place) in places.enumerated() {
                svg.circle(
                    place.x,
                    y,
                    index == 0 ? 4.5 : 3.5,
                    index == 0 ? "front-mark" : "mark",
                    title: "\(strategy.name) \(place.name): \(place.value) ns"
                )
            }
        }
        return svg.figure(
            id: "latency",
            width: width,
            height: height + 22,
            title: "Latency of a decision",
            description: description(timed)
        )
    }

    static func description(_ strategies: [StrategyReport]) -> String {
        let rows = strategies.map { strategy in
            let values = percentiles.compactMap { name in
                strategy.cost.latencyNanoseconds[name].map { "\(name) \($0)" }
            }
            return "\(strategy.name): \(values.joined(separator: ", "))"
        }
        return "Nanoseconds. " + rows.joined(separator: "; ") + "."
    }

    private static func unit(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1000: "\(Int(nanoseconds)) ns"
        case ..<1e6: "\(Int(nanoseconds / 1000)) µs"
        default: "\(Int(nanoseconds / 1e6)) ms"
        }
    }
}

internal import Charts

/// Percentiles of a decision's latency, on a logarithmic scale.
enum LatencyChart {
    static let percentiles = ["p50", "p90", "p99", "p99.9", "max"]

    /// The chart; `nil` if decisions were not timed.
    static func svg(_ strategies: [StrategyReport]) -> String? {
        let timed = strategies.filter { !$0.cost.latencyNanoseconds.isEmpty }
        // A closure, because `map(Double.init)` would choose `init(bitPattern:)`.
        let values = timed.flatMap { strategy in
            percentiles.compactMap { strategy.cost.latencyNanoseconds[$0] }.map { Double($0) }
        }
        guard let low = values.min(), let high = values.max() else { return nil }
        var svg = SVG()
        var decades = [1.0]
        while let last = decades.last, last < high { decades.append(last * 10) }
        let first = decades.last { $0 <= max(low, 1) } ?? 1
        let x = Scale(kind: .logarithmic, values: first...max(decades.last ?? 10, first * 10), from: 8, to: 326)
        let height = Double(timed.count) * 30 + 18
        for decade in decades where decade >= first {
            svg.line(x(decade), 14, x(decade), height, "grid")
            svg.text(x(decade), height + 14, unit(decade), "tick", anchor: "middle")
        }
        for (index, name) in percentiles.enumerated() {
            guard let value = timed.first?.cost.latencyNanoseconds[name], index % 2 == 0 else { continue }
            svg.text(x(Double(value)), 10, name, "tick", anchor: "middle")
        }
        for (row, strategy) in timed.enumerated() {
            let y = Double(row) * 30 + 36
            svg.text(8, y - 8, strategy.name, "row")
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
            width: 340,
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

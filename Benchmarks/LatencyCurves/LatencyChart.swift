internal import PinningStudy

/// One operation's curves: latency over 1/(1-p), both on logarithmic scales, so that each nine is as wide as the next.
enum LatencyChart {
    /// A run's curves of one operation.
    typealias Curves = [LatencyCurve.Loop: LatencyCurve]

    static func svg(_ operation: String, now: Curves, before: Curves, index: Int) -> String {
        let curves = Array(now.values) + Array(before.values)
        let values = curves.flatMap { $0.points.map(\.nanoseconds) }
        let (low, high) = (decade(below: values.min() ?? 1), decade(above: values.max() ?? 10))
        let mostCalls = curves.map(\.calls).max() ?? 1
        let x = Scale(kind: .logarithmic, values: 1...max(10, decade(above: Double(mostCalls))), from: 44, to: 314)
        let y = Scale(kind: .logarithmic, values: low...max(low * 10, high), from: 150, to: 14)
        var svg = SVG()
        for value in decades(y.values) {
            svg.line(44, y(value), 314, y(value), "grid")
            svg.text(39, y(value) + 4, unit(value), "tick", anchor: "end")
        }
        for (nines, value) in decades(x.values).enumerated() {
            svg.line(x(value), 150, x(value), 154, "axis")
            svg.text(x(value), 167, nines == 0 ? "0 %" : share(nines: nines), "tick", anchor: "middle")
        }
        svg.line(44, 150, 314, 150, "axis")
        svg.text(179, 183, "calls that take no longer", "label", anchor: "middle")
        for loop in LatencyCurve.Loop.allCases {
            draw(before[loop], "early", loop, "\(loop.rawValue) loop, saved run", x, y, &svg)
            draw(now[loop], "late", loop, "\(loop.rawValue) loop, this run", x, y, &svg)
        }
        return svg.figure(
            id: "latency-\(index)",
            width: 340,
            height: 190,
            title: "Latency of \(operation)",
            description: description(now: now, before: before)
        )
    }

    static func description(now: Curves, before: Curves) -> String {
        let sentences = [("This run", now), ("The saved run", before)].flatMap { name, curves in
            LatencyCurve.Loop.allCases.compactMap { loop in
                curves[loop].map { "\(name), \(loop.rawValue) loop: \(percentiles($0))." }
            }
        }
        return sentences.joined(separator: " ")
    }

    private static func percentiles(_ curve: LatencyCurve) -> String {
        let known = LatencyCurve.percentiles.compactMap { name, value in
            curve.nanoseconds(at: value).map { "\(name) \(LatencyRun.text($0))" }
        }
        return (known + ["slowest \(LatencyRun.text(curve.slowest ?? 0))"]).joined(separator: ", ")
    }

    private static func draw(
        _ curve: LatencyCurve?,
        _ colour: String,
        _ loop: LatencyCurve.Loop,
        _ title: String,
        _ x: Scale,
        _ y: Scale,
        _ svg: inout SVG
    ) {
        guard let curve, !curve.points.isEmpty else { return }
        let places = curve.points.map { point in
            // The slowest call has a share of one, which this scale does not have; it is drawn at a share of one call.
            (x: x(point.share < 1 ? 1 / (1 - point.share) : Double(curve.calls)), y: y(point.nanoseconds))
        }
        svg.path(places, loop == .open ? "\(colour) \(colour)-open" : colour, title: title)
        guard let end = places.last else { return }
        // Another shape, besides another colour and another dash.
        let mark = colour == "late" ? "front-mark" : "mark early-mark"
        svg.circle(end.x, end.y, loop == .open ? 2 : 3, mark, title: "\(title): slowest")
    }

    // MARK: - Decades

    private static func decade(below value: Double) -> Double {
        var decade = 1.0
        while decade * 10 <= value { decade *= 10 }
        return decade
    }

    private static func decade(above value: Double) -> Double {
        var decade = 1.0
        while decade < value { decade *= 10 }
        return decade
    }

    private static func decades(_ range: ClosedRange<Double>) -> [Double] {
        var all: [Double] = []
        var value = range.lowerBound
        while value <= range.upperBound * 1.000001 {
            all.append(value)
            value *= 10
        }
        return all
    }

    private static func unit(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1e3: "\(Int(nanoseconds)) ns"
        case ..<1e6: "\(Int(nanoseconds / 1e3)) µs"
        case ..<1e9: "\(Int(nanoseconds / 1e6)) ms"
        default: "\(Int(nanoseconds / 1e9)) s"
        }
    }

    /// 90 %, 99 %, 99.9 % and so on; past five nines only how many there are.
    private static func share(nines: Int) -> String {
        switch nines {
        case 1: "90 %"
        case 2: "99 %"
        case 3...5: "99." + String(repeating: "9", count: nines - 2)
        default: "\(nines) nines"
        }
    }
}

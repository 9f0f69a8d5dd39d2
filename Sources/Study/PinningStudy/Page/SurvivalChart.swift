internal import WireFormat

/// One strategy's survival: both bounds, the area between them, and their band.
enum SurvivalChart {
    /// The frame of the curves; the name of the scale stands above it.
    private static let (top, bottom) = (26.0, 162.0)
    /// Before the edge, so that half of the last number has room.
    private static let right = 322.0
    /// The length of the line that stands before the name of a curve.
    private static let keyLine = 18.0

    static func svg(_ strategy: StrategyReport, horizon: Double, index: Int) -> String {
        var svg = SVG()
        let ticks = Ticks.whole(to: horizon, most: 5)
        let x = Scale(kind: .linear, values: 0...(ticks.last ?? horizon), from: 38, to: right)
        let y = Scale(kind: .linear, values: 0...1, from: bottom, to: top)
        for share in [0, 0.25, 0.5, 0.75, 1] {
            svg.line(38, y(share), right, y(share), share == 0.5 ? "grid half" : "grid")
            svg.text(33, y(share) + 4, "\(Int(share * 100))", "tick", anchor: "end")
        }
        for days in ticks {
            svg.line(x(days), bottom, x(days), bottom + 4, "axis")
            svg.text(x(days), bottom + 17, "\(Int(days))", "tick", anchor: "middle")
        }
        svg.line(38, bottom, right, bottom, "axis")
        svg.text((38 + right) / 2, bottom + 33, "days since the pins were shipped", "label", anchor: "middle")
        svg.text(4, 11, "% that match", "label")
        let (early, late) = (strategy.survival.early, strategy.survival.late)
        band(early, late, x, y, horizon, &svg)
        let earlyLine = staircase(early, horizon).map { (x: x($0.days), y: y($0.share)) }
        let lateLine = staircase(late, horizon).map { (x: x($0.days), y: y($0.share)) }
        svg.path(lateLine + earlyLine.reversed(), "between", title: "between the bounds", isClosed: true)
        svg.path(earlyLine, "early", title: "if changes came as early as they can have")
        svg.path(lateLine, "late", title: "if changes came as late as they can have")
        key(&svg)
        return svg.figure(
            id: "survival-\(index)",
            width: 340,
            height: bottom + 40,
            title: "Survival of pins: \(strategy.name)",
            description: description(strategy)
        )
    }

    /// Which curve is which. It stands above the frame, because no place in it is free of curves in every chart.
    private static func key(_ svg: inout SVG) {
        let baseline = top - 15
        for (name, start) in [("late", right - 108), ("early", right - 50)] {
            svg.line(start, baseline - 4, start + keyLine, baseline - 4, name)
            svg.text(start + keyLine + 4, baseline, name, "\(name)-text")
        }
    }

    static func description(_ strategy: StrategyReport) -> String {
        let (early, late) = (strategy.survival.early, strategy.survival.late)
        return
            "Half of the pins of \(strategy.name) match for \(StudyText.days(early.median)) if changes came early, and for "
            + "\(StudyText.days(late.median)) if they came late. Of \(strategy.survival.starts.counted("pin set")), "
            + "\(strategy.survival.failures) failed within the recording. The mean life within 365 days is "
            + "\(StudyText.days(early.restrictedMean, late.restrictedMean))."
    }

    /// The band of both bounds together, at the days of the grid.
    private static func band(
        _ early: StrategyReport.Estimate,
        _ late: StrategyReport.Estimate,
        _ x: Scale,
        _ y: Scale,
        _ horizon: Double,
        _ svg: inout SVG
    ) {
        let days = StudyReport.gridDays.enumerated().filter { $0.element <= horizon }
        guard !early.bands.isEmpty, !late.bands.isEmpty else { return }
        let low = days.map { (x: x($0.element), y: y(early.bands[$0.offset].low ?? 0)) }
        let high = days.map { (x: x($0.element), y: y(late.bands[$0.offset].high ?? 1)) }
        svg.path(high + low.reversed(), "band", title: "95 % band, from resampling hosts", isClosed: true)
    }

    private static func staircase(_ estimate: StrategyReport.Estimate, _ horizon: Double) -> [(
        days: Double, share: Double
    )] {
        var points = [(days: 0.0, share: 1.0)]
        var level = 1.0
        for step in estimate.steps where step.days <= horizon {
            points.append((step.days, level))
            points.append((step.days, step.survival))
            level = step.survival
        }
        return points + [(horizon, level)]
    }
}

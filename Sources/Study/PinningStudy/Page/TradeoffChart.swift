/// Outage against exposure: nearer to the lower left is better in both.
enum TradeoffChart {
    /// The distance of two lines of text.
    private static let line = 14.0
    /// The numbers of days, whose square roots are about equally far apart.
    private static let dayTicks = [0.0, 1, 5, 20, 50, 100, 200, 366]

    static func svg(_ strategies: [StrategyReport]) -> String {
        var svg = SVG()
        let groups = grouped(strategies)
        let keyTicks = Ticks.whole(to: max(2, strategies.map(\.exposure.keys).max() ?? 2), most: 5)
        let bands = strategies.compactMap { $0.outages.userDaysPerHostYearBand?.high }
        let mostDays = max(1, (bands + groups.map(\.days)).max() ?? 1)
        let highest = dayTicks.first { $0 >= mostDays } ?? mostDays
        let x = Scale(kind: .linear, values: 0...(keyTicks.last ?? 2), from: 34, to: 196)
        let y = Scale(kind: .squareRoot, values: 0...highest, from: 206, to: 22)
        // From the highest, which must have its number.
        for days in y.spaced(dayTicks.reversed().filter { $0 <= highest }, gap: line) {
            svg.line(34, y(days), 200, y(days), "grid")
            svg.text(30, y(days) + 4, "\(Int(days))", "tick", anchor: "end")
        }
        for keys in keyTicks {
            svg.line(x(keys), 206, x(keys), 210, "axis")
            svg.text(x(keys), 223, "\(Int(keys))", "tick", anchor: "middle")
        }
        svg.line(34, 206, 200, 206, "axis")
        svg.text(4, 11, "days a year that a user is locked out", "label")
        svg.text(4, 240, "keys that could impersonate a host", "label")
        var lowest = -20.0
        for group in groups.sorted(by: { $0.days > $1.days }) {
            let (left, top) = (x(group.keys), y(group.days))
            if let band = group.band, let low = band.low, let high = band.high {
                svg.line(left, y(low), left, y(high), "whisker")
            }
            // Labels have their own column, so that labels of near points do not overlap.
            for (index, name) in group.names.enumerated() {
                let place = max(lowest + line, top + 4)
                if index == 0 { svg.line(left + 5, top, 216, place - 4, "leader") }
                svg.text(219, place, SVG.shortened(name, to: 17), group.isOnFront ? "direct front" : "direct")
                lowest = place
            }
            svg.circle(
                left,
                top,
                4.5,
                group.isOnFront ? "front-mark" : "mark",
                title:
                    "\(group.names.joined(separator: ", ")): \(StudyText.counted(group.keys, "key")), \(StudyText.days(group.days))"
            )
        }
        return svg.figure(
            id: "tradeoff",
            width: 340,
            height: max(246, lowest + 8),
            title: "Outage against exposure",
            description: description(strategies)
        )
    }

    static func description(_ strategies: [StrategyReport]) -> String {
        let points = strategies.map { strategy in
            "\(strategy.name): \(StudyText.counted(strategy.exposure.keys, "key")), "
                + "\(StudyText.days(strategy.outages.userDaysPerHostYear.late)) a year"
                + (strategy.isOnFront ? ", on the front" : "")
        }
        return points.joined(separator: "; ") + "."
    }

    private struct Group {
        let keys: Double
        let days: Double
        let band: Band?
        let isOnFront: Bool
        var names: [String]
    }

    /// Groups strategies with equal outage and exposure, which share a mark.
    private static func grouped(_ strategies: [StrategyReport]) -> [Group] {
        var groups: [Group] = []
        for strategy in strategies {
            let days = strategy.outages.userDaysPerHostYear.late
            if let index = groups.firstIndex(where: {
                abs($0.days - days) < StudyReport.tieDays && $0.keys == strategy.exposure.keys
            }) {
                groups[index].names.append(strategy.name)
            } else {
                groups.append(
                    Group(
                        keys: strategy.exposure.keys,
                        days: days,
                        band: strategy.outages.userDaysPerHostYearBand,
                        isOnFront: strategy.isOnFront,
                        names: [strategy.name]
                    )
                )
            }
        }
        return groups
    }
}

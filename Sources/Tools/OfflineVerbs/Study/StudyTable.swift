internal import PinningStudy
internal import WireFormat

/// A study's result as text.
enum StudyTable {
    static func text(_ report: StudyReport) -> String {
        let recording = report.recording
        var lines = [
            "\(JSONText.escaped(recording.name)): \(recording.captures.counted("capture")) of "
                + "\(recording.hosts.counted("host")), \(recording.certificates.counted("certificate")), "
                + recording.impostors.counted("impostor's chain", "impostors' chains")
                + (recording.unstudiedHosts > 0
                    ? "; not studied: \(recording.unstudiedHosts.counted("host")) without a validated chain" : ""),
            "updates \(report.parameters.curve)"
                + (report.parameters.halfLifeDays.map { ", half-life \(StudyText.counted($0, "day"))" } ?? "")
                + ", pins shipped \(StudyText.counted(report.parameters.reactionDays, "day")) after a change was seen; "
                + "starts at \(report.parameters.starts)",
            "",
        ]
        lines += strategies(report)
        lines += [
            "",
            "life: days to which half of the pins last, and the mean life within \(StudyText.number(report.parameters.horizonDays)) days; "
                + "two numbers: the bounds that changes as early and as late as they can have been give",
            "out: changes that fresh pins refuse, hosts that had one, and days a year that an average user is locked out",
            "in: keys that could impersonate a host, authorities among them, impostors' chains accepted, days from the leak of a "
                + "key to pins without it; * on the front",
            "",
        ]
        lines += wrapped(report.advice)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func strategies(_ report: StudyReport) -> [String] {
        var table = TextTable(header: [
            "strategy", "life: median", "mean", "out: count", "hosts", "days/year", "in: keys", "CAs", "impostors",
            "leaks",
            "pins",
            "p50", "p99", "",
        ])
        for strategy in report.strategies {
            let (survival, outages, exposure) = (strategy.survival, strategy.outages, strategy.exposure)
            let impostors = exposure.impostors.values
            let seen = impostors.reduce(0) { $0 + $1.seen }
            table.append([
                JSONText.escaped(strategy.name),
                StudyText.span(survival.early.median, survival.late.median),
                StudyText.span(survival.early.restrictedMean, survival.late.restrictedMean),
                String(outages.count),
                "\(outages.hosts.count)/\(outages.hosts.total)",
                StudyText.span(outages.userDaysPerHostYear.late, outages.userDaysPerHostYear.early),
                StudyText.number(exposure.keys),
                StudyText.number(exposure.authorities),
                seen == 0 ? "." : "\(impostors.reduce(0) { $0 + $1.accepted })/\(seen)",
                exposure.leaks.map { StudyText.number($0.meanWindowDays) } ?? ".",
                StudyText.number(strategy.cost.pins),
                latency(strategy, "p50"),
                latency(strategy, "p99"),
                strategy.isOnFront ? "*" : "",
            ])
        }
        // The last column is often empty; no line ends in spaces.
        return table.lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }
    }

    private static func latency(_ strategy: StrategyReport, _ percentile: String) -> String {
        strategy.cost.latencyNanoseconds[percentile].map { "\($0) ns" } ?? "."
    }

    /// Lines of at most 100 characters.
    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let line = lines.last, line.count + word.count < 100 {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

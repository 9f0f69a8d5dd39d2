/// A recommendation as one paragraph, with its numbers and the limits of the recording.
enum Advice {
    static func text(_ recording: StudiedRecording, _ strategies: [StrategyReport]) -> String {
        var sentences: [String] = []
        let quiet = strategies.filter { $0.outages.count == 0 }
        let choice =
            quiet.min { ($0.exposure.keys, $0.cost.pins) < ($1.exposure.keys, $1.cost.pins) }
            ?? strategies.min { $0.outages.userDaysPerHostYear.late < $1.outages.userDaysPerHostYear.late }
        guard let choice, choice.outages.hosts.total > 0 else {
            return "The recording has no host with a genuine, validated chain."
        }
        guard recording.timelines.contains(where: { !$0.changes.isEmpty }) else {
            return "No host changed its chain while it was recorded (\(count(recording.captures, "capture")) of "
                + "\(count(recording.hosts, "host"))), so nothing here says which pins would last: record for longer than a "
                + "certificate lives, through renewals."
        }
        let hosts = choice.outages.hosts.total
        let locked = "\(days(choice.outages.userDaysPerHostYear.late)) a year"
        if quiet.isEmpty {
            sentences.append(
                "Every strategy locked users out. \(choice.name) did so least: \(count(choice.outages.count, "time")) at "
                    + "\(choice.outages.hosts.count) of \(count(hosts, "host")), \(locked) for an average user of a host."
            )
        } else {
            let bound = choice.outages.hosts.ruleOfThree.map {
                ", which still allows for \(percent($0)) of hosts (rule of three)"
            }
            sentences.append(
                "If you must pin, ship \(choice.name): it locked no user out at any of \(count(hosts, "host"))\(bound ?? "")."
            )
        }
        sentences.append(
            "Its price is \(counted(choice.exposure.keys, "key")) that could impersonate an average host, "
                + "\(number(choice.exposure.authorities)) of them authorities', of the \(recording.authorities) authorities' keys "
                + "in the recording."
        )
        if let narrow = strategies.min(by: { $0.exposure.keys < $1.exposure.keys }), narrow.name != choice.name {
            sentences.append(
                "The narrowest, \(narrow.name), leaves \(number(narrow.exposure.keys)), but half of its pins were dead after "
                    + "\(days(narrow.survival.early.median)) to \(days(narrow.survival.late.median)), and it locked an average user "
                    + "out of a host for \(days(narrow.outages.userDaysPerHostYear.late)) a year."
            )
        }
        let seen = choice.exposure.impostors.values.reduce(0) { $0 + $1.seen }
        let kinds = choice.exposure.impostors.sorted { $0.key < $1.key }.filter { $0.value.seen > 0 }
            .map { "\($0.value.accepted) of \($0.value.seen) that were \($0.key)" }
        sentences.append(
            seen == 0
                ? "The recording has no impostor's chain, so it cannot show which impostors a strategy accepts."
                : "Of chains that a host should not have had, \(choice.name) accepted \(kinds.joined(separator: ", "))."
        )
        if let leaks = choice.exposure.leaks {
            sentences.append(
                "After \(count(leaks.count, "leak")) of a host's key, its newest pins accepted the thief's chain for "
                    + "\(days(leaks.meanWindowDays)) on average, an average user's for \(number(leaks.meanUserDays)); in "
                    + "\(count(leaks.closedByPins, "case")) pins ended that, in the others the certificate's expiry or the recording's end."
            )
        }
        sentences.append(
            "These numbers come from \(count(recording.captures, "capture")) of \(count(recording.hosts, "host")), half of them more than "
                + "\(days(recording.medianGapDays)) after the one before and one \(number(recording.widestGapDays)): no change is "
                + "dated better than that, and the result holds for these hosts only."
        )
        return sentences.joined(separator: " ")
    }

    /// At most one decimal place.
    static func number(_ value: Double) -> String {
        let tenths = (abs(value) * 10).rounded()
        let sign = value < 0 && tenths > 0 ? "-" : ""
        let whole = Int(tenths / 10)
        let rest = Int(tenths) % 10
        return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
    }

    static func days(_ value: Double?) -> String {
        value.map { counted($0, "day") } ?? "the recording's end"
    }

    /// "1 day", "2 days", "0.5 days".
    private static func counted(_ value: Double, _ unit: String) -> String {
        let text = number(value)
        return text == "1" ? "1 \(unit)" : "\(text) \(unit)s"
    }

    private static func count(_ value: Int, _ unit: String) -> String { counted(Double(value), unit) }

    private static func percent(_ share: Double) -> String { "\(number(share * 100)) %" }
}

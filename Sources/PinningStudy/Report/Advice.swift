/// One paragraph in plain words, which names the numbers that it stands on and what the recording cannot tell.
enum Advice {
    static func text(_ recording: StudiedRecording, _ strategies: [StrategyReport]) -> String {
        var sentences: [String] = []
        let quiet = strategies.filter { $0.outages.count == 0 }
        let choice =
            quiet.min { ($0.exposure.keys, $0.cost.pins) < ($1.exposure.keys, $1.cost.pins) }
            ?? strategies.min { $0.outages.userDaysPerHostYear.late < $1.outages.userDaysPerHostYear.late }
        guard let choice, choice.outages.hosts.total > 0 else { return "There is no host to advise about." }
        let hosts = choice.outages.hosts.total
        let locked = "\(number(choice.outages.userDaysPerHostYear.late)) days a year"
        if quiet.isEmpty {
            sentences.append(
                "Every strategy locked somebody out. \(choice.name) did so least: \(choice.outages.count) times at "
                    + "\(choice.outages.hosts.count) of \(hosts) hosts, \(locked) for an average user of a host."
            )
        } else {
            let bound = choice.outages.hosts.ruleOfThree.map {
                ", which still allows for \(percent($0)) of hosts (rule of three)"
            }
            sentences.append(
                "If you must pin, ship \(choice.name): it locked nobody out at any of \(hosts) hosts\(bound ?? "")."
            )
        }
        sentences.append(
            "Its price is \(number(choice.exposure.keys)) keys that could impersonate an average host, "
                + "\(number(choice.exposure.authorities)) of them authorities', of the \(recording.authorities) authorities' keys "
                + "in the recording."
        )
        if let narrow = strategies.min(by: { $0.exposure.keys < $1.exposure.keys }), narrow.name != choice.name {
            sentences.append(
                "The narrowest, \(narrow.name), leaves \(number(narrow.exposure.keys)), but half of its pins were dead after "
                    + "\(days(narrow.survival.early.median)) to \(days(narrow.survival.late.median)), and it locked an average user "
                    + "out of a host for \(number(narrow.outages.userDaysPerHostYear.late)) days a year."
            )
        }
        let seen = choice.exposure.impostors.values.reduce(0) { $0 + $1.seen }
        let accepted = choice.exposure.impostors.values.reduce(0) { $0 + $1.accepted }
        sentences.append(
            seen == 0
                ? "The recording has no impostor's chain, so it cannot tell whom any strategy would have let in."
                : "Of \(seen) impostors' chains, \(choice.name) accepted \(accepted)."
        )
        sentences.append(
            "All this stands on \(recording.captures) captures of \(recording.hosts) hosts, half of them more than "
                + "\(number(recording.medianGapDays)) days after the one before and one \(number(recording.widestGapDays)): no change is "
                + "dated better than that, and these hosts stand for no others."
        )
        return sentences.joined(separator: " ")
    }

    /// At most one decimal place.
    static func number(_ value: Double) -> String {
        let tenths = (value * 10).rounded()
        let whole = Int(tenths / 10)
        let rest = abs(Int(tenths) % 10)
        return rest == 0 ? "\(whole)" : "\(whole).\(rest)"
    }

    static func days(_ value: Double?) -> String {
        value.map { "\(number($0)) days" } ?? "the recording's end"
    }

    private static func percent(_ share: Double) -> String { "\(number(share * 100)) %" }
}

internal import WireFormat

/// A recommendation as one paragraph, with its numbers and the limits of the recording.
enum Advice {
    static func text(
        _ recording: StudiedRecording,
        _ strategies: [StrategyReport],
        _ comparisons: [Comparison]
    ) -> String {
        let sentences = [studied(recording, strategies, comparisons), unstudied(recording), repeated(recording)]
        return sentences.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// What the numbers say.
    private static func studied(
        _ recording: StudiedRecording,
        _ strategies: [StrategyReport],
        _ comparisons: [Comparison]
    ) -> String {
        guard let decision = Decision(strategies, comparisons), decision.choice.outages.hosts.total > 0 else {
            return "The recording has no host with a genuine, validated chain."
        }
        guard recording.timelines.contains(where: { !$0.changes.isEmpty }) else {
            return "No host changed its chain while it was recorded (\(recording.captures.counted("capture")) of "
                + "\(recording.hosts.counted("host"))), so nothing here says which pins would last: record for longer than a "
                + "certificate lives, through renewals."
        }
        let choice = decision.choice
        var sentences = [recommendation(decision), certainty(decision), price(choice, recording)]
        if let narrow = strategies.min(by: { $0.exposure.keys < $1.exposure.keys }), narrow.name != choice.name {
            sentences.append(
                "The narrowest, \(quoted(narrow)), leaves \(StudyText.number(narrow.exposure.keys)), but half of its pins were dead "
                    + "after \(StudyText.days(narrow.survival.early.median, narrow.survival.late.median)), and it locked an "
                    + "average user out of a host for \(lockOut(narrow))."
            )
        }
        sentences.append(impostors(choice))
        if let leaks = choice.exposure.leaks { sentences.append(self.leaks(leaks)) }
        sentences.append(
            "These numbers come from \(recording.captures.counted("capture")) of \(recording.hosts.counted("host")), half of them "
                + "more than \(StudyText.days(recording.medianGapDays)) after the one before and one "
                + "\(StudyText.number(recording.widestGapDays)): no change is dated better than that, and the result holds for "
                + "\(recording.hosts == 1 ? "this host" : "these hosts") only."
        )
        return sentences.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func recommendation(_ decision: Decision) -> String {
        let (choice, least) = (decision.choice, decision.least)
        let hosts = choice.outages.hosts
        guard choice.outages.count > 0 else {
            let bound = hosts.ruleOfThree.map {
                ", which still allows for \(StudyText.percent($0)) of hosts (rule of three)"
            }
            return "If you must pin, ship \(quoted(choice)): it locked no user out at any of "
                + "\(hosts.total.counted("host"))\(bound ?? "")."
        }
        let text =
            "If you must pin, ship \(quoted(choice)). Every strategy locked users out, and this one "
            + "\(choice.outages.count.counted("time")) at \(hosts.count) of \(hosts.total.counted("host")), \(lockOut(choice)) for an "
            + "average user of a host: do not pin if that is too much."
        guard choice.name != least.name else { return text }
        return text
            + " \(quoted(least)) did so least, for \(lockOut(least)); the recording shows that \(quoted(choice)), with fewer keys, costs "
            + "less than \(StudyText.days(Decision.acceptedDays)) more."
    }

    /// What the recording decides between the choice and the others, and why not the rest.
    private static func certainty(_ decision: Decision) -> String {
        let hosts = decision.choice.outages.hosts.total.counted("host")
        var sentences: [String] = []
        if !decision.worse.isEmpty {
            sentences.append(
                "With \(StudyText.percent(StudyParameters.confidence)) confidence \(list(decision.worse.map(quoted))) "
                    + "\(decision.worse.count == 1 ? "locks" : "lock") users out for longer."
            )
        }
        if !decision.undecided.isEmpty {
            sentences.append(
                "Against \(list(decision.undecided.map(quoted))) the recording does not decide: at \(hosts) the difference may be "
                    + "chance, and more hosts would show it."
            )
        }
        return sentences.joined(separator: " ")
    }

    private static func price(_ choice: StrategyReport, _ recording: StudiedRecording) -> String {
        "Its price is \(StudyText.counted(choice.exposure.keys, "key")) that could impersonate an average host, "
            + "\(StudyText.number(choice.exposure.authorities)) of them authorities', of the "
            + "\(recording.authorities.counted("authority's key", "authorities' keys")) in the recording."
    }

    private static func impostors(_ choice: StrategyReport) -> String {
        let kinds = choice.exposure.impostors.sorted { $0.key < $1.key }.filter { $0.value.seen > 0 }
            .map { "\($0.value.accepted) of \($0.value.seen) that were \($0.key)" }
        return kinds.isEmpty
            ? "The recording has no impostor's chain, so it cannot show which impostors a strategy accepts."
            : "Of chains that a host should not have had, \(quoted(choice)) accepted \(list(kinds))."
    }

    private static func leaks(_ leaks: StrategyReport.Leaks) -> String {
        let ends = "the certificate's expiry or the recording's end"
        let end =
            switch leaks.closedByPins {
            case leaks.count: "pins ended that"
            case 0: "\(ends) ended that, and no pins"
            default: "pins ended that in \(leaks.closedByPins.counted("case")), and \(ends) in the others"
            }
        return "After \(leaks.count.counted("leak")) of a host's key, its newest pins accepted the thief's chain for "
            + "\(StudyText.days(leaks.meanWindowDays)) on average, an average user's for \(StudyText.number(leaks.meanUserDays)); "
            + "\(end)."
    }

    /// The hosts that no number is about, and what to do.
    private static func unstudied(_ recording: StudiedRecording) -> String {
        guard recording.unstudiedHosts > 0 else { return "" }
        let others = recording.unstudiedHosts - recording.namedUnstudiedHosts.count
        let names = list(recording.namedUnstudiedHosts + (others > 0 ? ["\(others) more"] : []))
        let isOne = recording.unstudiedHosts == 1
        let text =
            "\(recording.unstudiedHosts.counted("host")) \(isOne ? "is" : "are") in none of these numbers, because no chain of "
            + "\(isOne ? "it" : "them") validated: \(names). "
        let unjudged = recording.unjudged, refused = recording.unvalidated - unjudged
        let reasons = [
            refused > 0
                ? "\(refused.counted("observation")) did not validate: import again with --roots if the roots are your own"
                : nil,
            unjudged > 0
                ? "\(unjudged.counted("observation")) could not be judged, because the validator does not know the signature algorithm; "
                    + "other roots do not change that" : nil,
        ].compactMap(\.self)
        return text + "In the recording, \(reasons.joined(separator: "; "))."
    }

    /// What was left out because it was there before.
    private static func repeated(_ recording: StudiedRecording) -> String {
        guard recording.repeated > 0 else { return "" }
        return recording.repeated == 1
            ? "1 observation repeats another one, as where a file was imported twice, and does not count."
            : "\(recording.repeated) observations repeat others, as where a file was imported twice, and do not count."
    }

    /// A strategy's name; without quotation marks, `organisation` reads as a word of the sentence.
    private static func quoted(_ strategy: StrategyReport) -> String { quoted(strategy.name) }

    private static func quoted(_ name: String) -> String { "'\(name)'" }

    /// `0.7 to 1.7 days a year`: with changes as late and as early as they can have been.
    private static func lockOut(_ strategy: StrategyReport) -> String {
        let days = strategy.outages.userDaysPerHostYear
        return "\(StudyText.days(days.late, days.early)) a year"
    }

    /// `a`, `a and b`, `a, b and c`.
    private static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return "\(names.dropLast().joined(separator: ", ")) and \(last)"
    }
}

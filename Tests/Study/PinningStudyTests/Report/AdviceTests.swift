import Corpora
import Foundation
import PinningStudy
import Testing

/// The advice by its rule, which these tests apply to the numbers of the report by themselves: the strategy with the least lock-out,
/// or a narrower one whose lock-out is shown to be less than a day a year longer.
@Suite struct AdviceTests {
    /// Those of the shipped recordings, made once, because a debug build takes seconds.
    private static let shippedReports = Result {
        try ShippedChainRecording.allCases.reduce(into: [ShippedChainRecording: StudyReport]()) {
            $0[$1] = report(try $1.load())
        }
    }

    private func report(of recording: ShippedChainRecording) throws -> StudyReport {
        try #require(Self.shippedReports.get()[recording])
    }

    private static func report(
        _ recording: ChainRecording,
        resamplings: Int = 200,
        strategies: [PinningStrategy] = PinningStrategy.builtIn
    ) -> StudyReport {
        var parameters = StudyParameters()
        parameters.resamplings = resamplings
        parameters.latencyRounds = 0
        return StudyReport(Study(ChainHistory(recording), strategies: strategies, parameters: parameters))
    }

    /// The bounds of how much longer `one` locks users out than `other`, and the sign test.
    private func difference(_ one: String, _ other: String, in report: StudyReport) -> (Double, Double, Double)? {
        for comparison in report.comparisons {
            guard let low = comparison.band?.low, let high = comparison.band?.high else { continue }
            if (comparison.one, comparison.other) == (one, other) { return (low, high, comparison.signTest) }
            if (comparison.one, comparison.other) == (other, one) { return (-high, -low, comparison.signTest) }
        }
        return nil
    }

    private func shipped(_ report: StudyReport) -> String? {
        report.advice.firstMatch(of: /^If you must pin, ship '([a-z0-9+-]+)'[.:]/).map { String($0.1) }
    }

    @Test("The shipped recordings decide, and say what they do not decide", arguments: ShippedChainRecording.allCases)
    func decides(recording: ShippedChainRecording) throws {
        let report = try report(of: recording)
        let least = try #require(
            report.strategies.min { $0.outages.userDaysPerHostYear.late < $1.outages.userDaysPerHostYear.late }
        )
        let narrower = report.strategies.filter { strategy in
            strategy.exposure.keys < least.exposure.keys
                && (difference(strategy.name, least.name, in: report).map { $0.1 < 1 } ?? false)
        }
        let expected = narrower.min { $0.exposure.keys < $1.exposure.keys } ?? least
        #expect(shipped(report) == expected.name, "\(report.advice)")
        let others = report.strategies.map(\.name).filter { $0 != expected.name }
        let worse = others.filter { name in
            difference(name, expected.name, in: report).map { $0.0 > 0 && $0.2 < 0.05 } ?? false
        }
        let found = try #require(
            report.advice.firstMatch(of: /With 95 % confidence (.+?) locks? users out for longer\./)
        )
        #expect(Set(names(found.1)) == Set(worse))
        let open = try #require(report.advice.firstMatch(of: /Against (.+?) the recording does not decide/))
        #expect(Set(names(open.1)) == Set(others).subtracting(worse))
    }

    private func names(_ list: Substring) -> [String] {
        list.replacing(" and ", with: ", ").split(separator: ", ").map { $0.trimmingCharacters(in: ["'"]) }
    }

    @Test("Nine hosts cannot show that a narrower strategy is as good; two hundred can")
    func theShippedDecisions() throws {
        #expect(try shipped(report(of: .publicSites)) == "roots-seen")
        let lab = try report(of: .lab)
        #expect(shipped(lab) == "root-key")
        #expect(lab.advice.contains("'organisation' did so least"))
    }

    @Test("Without bands nothing is certain, so the least lock-out decides") func withoutBands() throws {
        let report = try Self.report(ShippedChainRecording.lab.load(), resamplings: 0)
        #expect(shipped(report) == "organisation")
        #expect(!report.advice.contains("confidence"), "\(report.advice)")
    }

    @Test("Where a strategy locked no user out, the narrowest of those is shipped") func quiet() throws {
        // All genuine chains of the three hosts have the root R.
        let strategies: [PinningStrategy] = [.leafKey, .issuerKey, .rootKey, .rootsSeen]
        let advice = try Self.report(ThreeHosts().load(), strategies: strategies).advice
        let text =
            "If you must pin, ship 'root-key': it locked no user out at any of 3 hosts, which still allows for 100 % of hosts"
        #expect(advice.hasPrefix(text), "\(advice)")
    }

    /// `ThreeHosts` after `change` of its observations.
    private func changed(_ change: ([Substring]) -> [Substring]) throws -> StudyReport {
        let folder = try ThreeHosts().folder
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "observations.ndjson")
        let lines = change(try String(contentsOf: file, encoding: .utf8).split(separator: "\n"))
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        return try Self.report(ChainRecording(folder: folder))
    }

    @Test("Lock-outs have both of their bounds, and strategies are quoted", arguments: ShippedChainRecording.allCases)
    func ranges(recording: ShippedChainRecording) throws {
        let report = try Self.report(recording.load(), resamplings: 20)
        // Strategies are quoted, because `organisation` would read as a word of the sentence.
        let words = PinningStrategy.builtIn.map(\.name).reduce(report.advice) { $0.replacing("'\($1)'", with: "") }
        #expect(words != report.advice && PinningStrategy.builtIn.allSatisfy { !words.contains($0.name) }, "\(words)")
        let name = try #require(shipped(report))
        let choice = try #require(report.strategies.first { $0.name == name })
        func text(_ value: Double) -> String {
            let text = String(format: "%.1f", value)
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        func range(_ strategy: StrategyReport) -> String {
            let days = strategy.outages.userDaysPerHostYear
            let ends = [days.early, days.late].sorted().map(text)
            return ends[0] == ends[1] ? ends[0] : "\(ends[0]) to \(ends[1])"
        }
        let narrow = try #require(report.strategies.min { $0.exposure.keys < $1.exposure.keys })
        #expect(
            narrow.name == name
                || report.advice.contains("it locked an average user out of a host for \(range(narrow)) days a year.")
        )
        #expect(choice.outages.count == 0 || report.advice.contains("\(range(choice)) days a year for an average user"))
        // One of them is a real range, or the test shows nothing.
        #expect(range(narrow).contains(" to ") || range(choice).contains(" to "))
    }

    @Test("Hosts that never validated are named with a remedy that fits") func neverValidated() throws {
        func line(_ host: String, _ note: String) -> Substring {
            #"{"time":"2026-01-05T00:00:00Z","host":"\#(host)","presented":["\#(String(repeating: "31", count: 32))"],"note":"\#(note)"}"#
        }
        let refused = "not validated: no path to a trusted root"
        let unjudged =
            "not judged: signature algorithm RSASSA-PSS (1.2.840.113549.1.1.10); the scan says: trusted by browsers"
        let before = try changed { $0 }
        #expect(before.recording.unstudiedHosts == 0 && !before.advice.contains("none of these numbers"))
        let one = try changed { $0 + [line("x.example", refused)] }
        #expect(
            one.advice.hasSuffix(
                "1 host is in none of these numbers, because no chain of it validated: x.example. In the recording, "
                    + "1 observation did not validate: import again with --roots if the roots are your own."
            ),
            "\(one.advice)"
        )
        let two = try changed { $0 + [line("x.example", unjudged), line("y.example", unjudged)] }
        #expect(
            two.advice.hasSuffix(
                "2 hosts are in none of these numbers, because no chain of them validated: x.example and y.example. In the recording, "
                    + "2 observations could not be judged, because the validator does not know the signature algorithm; "
                    + "other roots do not change that."
            ),
            "\(two.advice)"
        )
        #expect(!two.advice.contains("--roots"))
        #expect(two.recording.unvalidated == 2 && two.recording.unjudged == 2 && two.recording.unstudiedHosts == 2)
        #expect(
            two.page.contains("2 observations without a validated chain, 2 of them not judged; 2 hosts without any")
        )
        // A host that validated at another time is studied.
        let known = try changed { $0 + [line("a", refused)] }
        #expect(known.recording.unstudiedHosts == 0 && known.recording.unvalidated == 1)
        let many = try changed { $0 + (1...9).map { line("h\($0).example", $0 < 3 ? unjudged : refused) } }
        #expect(many.recording.namedUnstudiedHosts == (1...5).map { "h\($0).example" })
        #expect(many.advice.contains("h4.example, h5.example and 4 more. In the recording, 7 observations did not"))
        // Nothing else changes.
        #expect(many.strategies == before.strategies && many.comparisons == before.comparisons)
        #expect(many.advice.hasPrefix(before.advice))
        // Also where nothing can be studied.
        let none = try changed { [line("x.example", unjudged)] + $0.prefix(1) }
        #expect(none.advice.contains("No host changed its chain") && none.advice.contains(": x.example. "))
    }

    @Test("A file that was imported twice counts once, and the text says so") func twice() throws {
        let (once, twice) = (try changed { $0 }, try changed { $0 + $0 })
        #expect(once.recording.repeated == 0 && !once.advice.contains("imported twice"))
        #expect(twice.recording.repeated == 10)
        // Gaps: 20, 20 at a; 10, 30 at b; 20 at c; a repetition would add eight of 0.
        #expect(twice.recording.medianGapDays == 20 && twice.recording.captures == 8)
        #expect(twice.strategies == once.strategies && twice.comparisons == once.comparisons)
        #expect(
            twice.advice
                == once.advice + " 10 observations repeat others, as where a file was imported twice, and do not count."
        )
        let single = try changed { $0 + $0.prefix(1) }
        #expect(
            single.advice.hasSuffix(
                " 1 observation repeats another one, as where a file was imported twice, and does not count."
            )
        )
        // The same chain at another time is another sight of it.
        let later = try changed { $0 + [Substring($0[2].replacing("2026-02-10", with: "2026-02-11"))] }
        #expect(later.recording.repeated == 0 && later.recording.captures == 9)
    }

    @Test("One capture of one host is too little, and is counted in the singular") func oneCapture() throws {
        let folder = try ThreeHosts().folder
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "observations.ndjson")
        let first = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")[0]
        try Data(first.utf8).write(to: file)
        let report = try Self.report(ChainRecording(folder: folder))
        #expect(report.advice.hasPrefix("No host changed its chain while it was recorded (1 capture of 1 host), so"))
        #expect(
            report.page.contains("<p>1 capture of 1 host, 13 certificates, 0 impostors’ chains, "),
            "\(report.page)"
        )
    }
}

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
        report.advice.firstMatch(of: /^If you must pin, ship ([a-z0-9+-]+)[.:]/).map { String($0.1) }
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
        list.replacing(" and ", with: ", ").split(separator: ", ").map(String.init)
    }

    @Test("Nine hosts cannot show that a narrower strategy is as good; two hundred can")
    func theShippedDecisions() throws {
        #expect(try shipped(report(of: .publicSites)) == "roots-seen")
        let lab = try report(of: .lab)
        #expect(shipped(lab) == "root-key")
        #expect(lab.advice.contains("organisation did so least"))
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
            "If you must pin, ship root-key: it locked no user out at any of 3 hosts, which still allows for 100 % of hosts"
        #expect(advice.hasPrefix(text), "\(advice)")
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

import AllowedSites
import Corpora
import Credentials
import Foundation
import Histogram
import ProfileFiles
import Sallyport
import Secrets
import Testing

@testable import ChallengeReplay

@Suite struct ReplayerTests {
    static let recording = Result { try ShippedRecording.corporateDay.load() }

    func replay(_ change: (inout SecurityProfile) -> Void = { _ in }) throws -> ReplayReport {
        let recording = try Self.recording.get()
        var profile = try ProfileReader.read(recording.profile)
        change(&profile)
        var report = ReplayReport()
        var latencies = StageLatencies()
        try Replayer(recording: recording, profile: profile).pass(latencies: &latencies) { report.count($0) }
        report.latencies = latencies
        return report
    }

    @Test("Every decision agrees with what the real servers accepted or refused") func noDifferences() throws {
        let report = try replay()
        #expect(report.differences == [])
        #expect(report.exchanges >= 1_500)
        for stage in StageLatencies.Stage.allCases {
            #expect((report.latencies.histograms[stage]?.totalCount ?? 0) > 0, "\(stage)")
        }
    }

    @Test("The comparison notices a handler that says yes too often") func tooManySites() throws {
        let anywhere = try SiteList(parsing: "#! allow-public-suffix\n*://*.example:*", name: "x")
        let report = try replay { profile in
            profile.sites = anywhere
            profile.accounts = profile.accounts.prefix(1).map { account in
                .init(account.value, sites: ["*://*.acme.example:*", "*://*.partner.example:*"])
            }
        }
        for kind in ["plain-http", "site-not-allowed"] {
            #expect(report.kinds.first { $0.kind == kind }.map { $0.counts.differences > 0 } == true, "\(kind)")
        }
    }

    @Test("The comparison notices a wrong password") func wrongSecrets() throws {
        let report = try replay { profile in
            profile.accounts = profile.accounts.map { assignment in
                let wrong = assignment.value.replacing(password: .init(.init(copying: [UInt8]("wrong".utf8).span)))
                return .init(wrong, sites: assignment.sites)
            }
        }
        for kind in ["basic", "digest-md5", "digest-sha256", "ntlm-401", "ntlm-407"] {
            #expect(report.kinds.first { $0.kind == kind }.map { $0.counts.differences > 0 } == true, "\(kind)")
        }
    }

    @Test("The comparison notices missing pins") func noPins() throws {
        let report = try replay { $0.pins = [] }
        #expect(report.kinds.first { $0.kind == "pin-rogue" }.map { $0.counts.differences > 0 } == true)
    }

    @Test func aSecondPassGivesTheSameVerdicts() throws {
        let recording = try Self.recording.get()
        let replayer = try Replayer(recording: recording, profile: try ProfileReader.read(recording.profile))
        var latencies = StageLatencies()
        var passes: [[ReplayVerdict]] = []
        for _ in 0..<2 {
            var verdicts: [ReplayVerdict] = []
            try replayer.pass(latencies: &latencies) { verdicts.append($0.verdict) }
            passes.append(verdicts)
        }
        #expect(passes[0] == passes[1])
    }

    @Test func nothingSecretIsInTheReport() throws {
        let recording = try Self.recording.get()
        let folder = recording.folder.appending(path: "secrets")
        let secrets = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map {
            try String(contentsOf: $0, encoding: .utf8).trimmingCharacters(in: .newlines)
        }
        let replayer = try Replayer(recording: recording, profile: try ProfileReader.read(recording.profile))
        var latencies = StageLatencies()
        var text = ""
        try replayer.pass(latencies: &latencies) { text += "\($0.verdict) \($0.difference ?? "")\n" }
        for secret in secrets { #expect(!text.contains(secret)) }
    }
}

import AllowedSites
import Corpora
import Credentials
import Foundation
import Histogram
import ProfileFiles
import Sallyport
import Secrets
import TestSupport
import Testing

@testable import ChallengeReplay

@Suite struct ReplayerTests {
    static let recording = Result { try ShippedRecording.corporateDay.load() }

    /// The recording as it is, in two passes of one replayer; made once, because a debug build takes seconds.
    private static let passes = Result {
        let recording = try Self.recording.get()
        let replayer = try Replayer(recording: recording, profile: ProfileReader.read(recording.profile))
        return try (0..<2).map { _ in
            var (report, latencies) = (ReplayReport(), StageLatencies())
            var observations: [Replayer.Observation] = []
            try replayer.pass(latencies: &latencies) {
                report.count($0)
                observations.append($0)
            }
            report.latencies = latencies
            return (report: report, observations: observations)
        }
    }

    func replay(_ change: (inout SecurityProfile) -> Void) throws -> ReplayReport {
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
        let report = try Self.passes.get()[0].report
        #expect(report.differences == [])
        #expect(report.exchanges >= 3_000)
        for stage in StageLatencies.Stage.allCases {
            #expect((report.latencies.histograms[stage]?.totalCount ?? 0) > 0, "\(stage)")
        }
    }

    @Test("A pass that compares nothing makes the same number of decisions") func decisions() throws {
        let recording = try Self.recording.get()
        let replayer = try Replayer(recording: recording, profile: ProfileReader.read(recording.profile))
        let decisions = try replayer.decide()
        #expect(decisions == Int(try Self.passes.get()[0].report.latencies.histograms[.decision]?.totalCount ?? 0))
        var rate = DecisionRate()
        #expect(rate.perSecond == 0)
        try rate.measure(replayer, passes: 1)
        #expect(rate.perSecond > 0)
        #expect(rate.perProcessorSecond > 0)
    }

    @Test("The comparison notices a handler that says yes too often") func tooManySites() throws {
        let anywhere = try SiteList(parsing: "#! allow-public-suffix\n*://*.example:*", name: "x")
        let report = try replay { profile in
            profile.sites = anywhere
            profile.accounts = profile.accounts.prefix(1).map { account in
                AccountAssignment(
                    account.account,
                    sites: ["*://*.acme.example:*", "*://*.partner.example:*"],
                    allowsCleartext: true
                )
            }
        }
        for kind in ["plain-http", "site-not-allowed"] {
            #expect(report.kinds.first { $0.kind == kind }.map { $0.counts.differences > 0 } == true, "\(kind)")
        }
    }

    @Test("The comparison notices a wrong password") func wrongSecrets() throws {
        let report = try replay { profile in
            profile.accounts = profile.accounts.map { assignment in
                var changed = assignment
                let password = SharedSecret(SecretBytes(copying: [UInt8]("wrong".utf8).span))
                changed.account = assignment.account.replacing(password: password)
                return changed
            }
        }
        for kind in ["basic", "digest-md5", "digest-sha256", "ntlm-401", "ntlm-407"] {
            #expect(report.kinds.first { $0.kind == kind }.map { $0.counts.differences > 0 } == true, "\(kind)")
        }
    }

    /// The shipped recording with each line of its events replaced by `change`.
    func tampered(_ change: (String) -> String) throws -> ReplayReport {
        let shipped = try Self.recording.get().folder
        let folder = TemporaryFolder.place("tampered")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["certificates.pem", "profile.yaml", "secrets", "identities"] {
            try FileManager.default.copyItem(at: shipped.appending(path: name), to: folder.appending(path: name))
        }
        let events = try String(contentsOf: shipped.appending(path: "events.ndjson"), encoding: .utf8)
        let lines = events.split(separator: "\n").map { change(String($0)) }
        try Data(lines.joined(separator: "\n").utf8).write(to: folder.appending(path: "events.ndjson"))
        let recording = try ChallengeRecording(folder: folder)
        var report = ReplayReport()
        var latencies = StageLatencies()
        let replayer = try Replayer(recording: recording, profile: try ProfileReader.read(recording.profile))
        try replayer.pass(latencies: &latencies) { report.count($0) }
        return report
    }

    @Test("The comparison notices one wrong verdict in each kind") func wrongVerdicts() throws {
        let wrong = [
            "error-page": ("accepted", "refused"), "not-authorised": ("refused", "accepted"),
            "not-authorised-407": ("refused", "accepted"), "handshake-closed": ("repeated", "answered"),
            "http2": ("accepted", "refused"), "redirect": ("accepted", "refused"),
            "stale-nonce": ("accepted", "refused"), "password-change": ("refused", "accepted"),
            "digest-407": ("accepted", "refused"), "account-paused": ("withheld", "answered"),
            "two-accounts": ("passed", "accepted"),
        ]
        var changed: Set<String> = []
        let report = try tampered { line in
            for (kind, (verdict, other)) in wrong {
                let expected = #""expected":{"verdict":"\#(verdict)""#
                guard line.contains(#""kind":"\#(kind)""#), line.contains(expected) else { continue }
                guard changed.insert(kind).inserted else { continue }
                return line.replacing(expected, with: #""expected":{"verdict":"\#(other)""#)
            }
            return line
        }
        for kind in wrong.keys {
            #expect(report.kinds.first { $0.kind == kind }?.counts.differences == 1, "\(kind)")
        }
        #expect(report.differences.count == wrong.count)
    }

    @Test("The comparison notices a connection that two accounts share") func sharedConnection() throws {
        // All responses of the kind come on one connection, as a pool without keys would have it.
        let report = try tampered { line in
            guard line.contains(#""kind":"two-accounts""#) else { return line }
            return line.replacing(#/"connection":\d+/#, with: #""connection":1000000"#)
        }
        #expect(report.differences.contains { $0.contains("needs a connection of its own") })
    }

    @Test("The comparison notices missing pins") func noPins() throws {
        let report = try replay { $0.pins = [] }
        #expect(report.kinds.first { $0.kind == "pin-rogue" }.map { $0.counts.differences > 0 } == true)
    }

    @Test func aSecondPassGivesTheSameVerdicts() throws {
        let verdicts = try Self.passes.get().map { $0.observations.map(\.verdict) }
        #expect(verdicts[0].count > 3_000 && verdicts[0] == verdicts[1])
    }

    @Test func nothingSecretIsInTheReport() throws {
        let recording = try Self.recording.get()
        let folder = recording.folder.appending(path: "secrets")
        let secrets = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map {
            try String(contentsOf: $0, encoding: .utf8).trimmingCharacters(in: .newlines)
        }
        let observations = try Self.passes.get()[0].observations
        let text = observations.map { "\($0.verdict) \($0.difference ?? "")" }.joined(separator: "\n")
        for secret in secrets { #expect(!text.contains(secret)) }
    }
}

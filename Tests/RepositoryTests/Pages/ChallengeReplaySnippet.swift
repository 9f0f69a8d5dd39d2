import ChallengeReplay
import Corpora
import Sallyport

/// The snippet of ChallengeReplay.md.
enum ChallengeReplaySnippet {
    static func replay(_ recording: ChallengeRecording, _ profile: SecurityProfile) throws -> ReplayReport {
        let replayer = try Replayer(recording: recording, profile: profile)
        var (latencies, report) = (StageLatencies(), ReplayReport())
        try replayer.pass(latencies: &latencies) { report.count($0) }
        for difference in report.differences { print(difference) }  // one line each
        return report
    }
}

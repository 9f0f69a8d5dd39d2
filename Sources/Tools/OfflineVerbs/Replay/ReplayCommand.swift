internal import ArgumentParser
internal import ChallengeHandling
internal import ChallengeReplay
internal import Corpora
internal import Foundation
internal import ProfileFiles

/// `sallyport replay`: recorded challenges through the whole handler.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Replays recorded challenges through the whole handler.",
        discussion: """
            Every event of the recording is decided anew: may the site receive credentials, which scheme, which account, \
            which answer, is the server the pinned one. Each result is compared with what the real server accepted or \
            refused. Without arguments the recording and the profile that ship are used.

            A transcript that Sallyport wrote is one file. It has no secrets, so decisions are compared and not the bytes of \
            answers: which scheme, which account, answered or withheld and why.
            """
    )

    @Argument(help: "The recording's folder, or the file of a transcript.")
    var recording: String?

    @Option(help: "The security profile (YAML); the recording's own when absent.")
    var profile: String?

    @Option(
        name: .customLong("repeat"),
        help: "How many times to replay, for steadier latencies; as many passes more tell the rate."
    )
    var passes = 1

    @Flag(help: "One JSON object for each event of the first pass, then a summary.")
    var json = false

    func validate() throws {
        guard (1...1_000_000).contains(passes) else {
            throw ValidationError("--repeat takes a number from 1 to 1000000.")
        }
    }

    func run() throws {
        let loaded: (name: String, replayer: Replayer)
        do {
            loaded = try load()
        } catch {
            StandardError.complain("replay", "\(error)")
            throw CommandExit.couldNotRun
        }
        let report = try replay(loaded.replayer)
        if json {
            try StandardOutput.write(ReplayJSON.summary(report, recording: loaded.name, passes: passes))
        } else {
            try StandardOutput.write(ReplayTable.text(report, recording: loaded.name, passes: passes))
        }
        if !report.differences.isEmpty { throw CommandExit.answerWasNo }
    }

    private func load() throws -> (String, Replayer) {
        let place = try recording.map { ArgumentPath.url($0) } ?? ShippedRecording.corporateDay.folder()
        let given = try profile.map { try ProfileReader.read(ArgumentPath.url($0)) }
        let isFile =
            (try? place.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile ?? false
        if isFile {
            let transcript = try ChallengeRecording(transcript: place)
            return (place.lastPathComponent, try Replayer(recording: transcript, profile: given))
        }
        let recording = try ChallengeRecording(folder: place)
        let profile = try given ?? ProfileReader.read(recording.profile)
        return (recording.folder.lastPathComponent, try Replayer(recording: recording, profile: profile))
    }

    private func replay(_ replayer: Replayer) throws -> ReplayReport {
        var report = ReplayReport()
        var latencies = StageLatencies()
        var progress = ProgressLine(total: replayer.eventCount * passes, unit: "events")
        for pass in 0..<passes {
            var output: [UInt8] = []
            try replayer.pass(latencies: &latencies) { observation in
                progress.advance()
                guard pass == 0 else { return }
                report.count(observation)
                if json { output += Array(ReplayJSON.event(observation).utf8) }
            }
            if json, pass == 0 { try StandardOutput.write(output) }
        }
        progress.finish()
        report.latencies = latencies
        try report.rate.measure(replayer, passes: passes)
        return report
    }
}

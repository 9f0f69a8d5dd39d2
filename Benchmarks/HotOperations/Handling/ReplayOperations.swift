internal import ChallengeReplay
internal import Corpora
internal import PeerComparison
internal import ProfileFiles

/// The decisions of the recording that ships, from the preparation of the handler on: the main job, without comparing.
enum ReplayOperations {
    static func all() throws -> [HotOperation] {
        let recording = try HandlerFixture.recording.get()
        let replayer = try Replayer(recording: recording, profile: ProfileReader.read(recording.profile))
        let decisions = try replayer.decide()
        let implementation = MeasuredImplementation(HotOperation.ours, "Replayer.decide/recording", items: decisions) {
            passes in
            var sum = 0
            // The same call succeeded above, so it cannot throw.
            for _ in 0..<passes { sum &+= (try? replayer.decide()) ?? 0 }
            precondition(sum == passes * decisions, "a replay makes other decisions than the one before")
            return sum
        }
        return [HotOperation(.sallyport, implementation, per: .wide, workload: decisions, counted: .operation)]
    }
}

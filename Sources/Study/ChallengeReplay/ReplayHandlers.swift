internal import ChallengeHandling
internal import Corpora

/// The handlers of a replay: one for the whole recording, or one for each profile of a transcript.
struct ReplayHandlers {
    private let clock: ManualClock
    /// Whether the profiles of the transcript decide.
    private let followsTranscript: Bool
    private var handlers: [UInt64: ChallengeHandler] = [:]
    private var profiles: [UInt64: RecordedProfile] = [:]
    private var last: ChallengeHandler?

    /// Handlers of the profiles of a transcript.
    init(clock: ManualClock) {
        self.clock = clock
        followsTranscript = true
    }

    /// One handler for all events.
    init(clock: ManualClock, _ handler: ChallengeHandler) {
        self.clock = clock
        followsTranscript = false
        last = handler
    }

    /// The handler that decides about an event.
    func handler(for event: RecordedEvent) throws(ReplayError) -> ChallengeHandler {
        var found = last
        if followsTranscript, case .response(let response) = event.content {
            found = response.profile.flatMap { handlers[$0] }
        }
        guard let found else {
            let problem =
                "its profile is not in the transcript, which must begin with the handler: name one with --profile"
            throw .event(exchange: event.exchange, leg: event.leg, problem: problem)
        }
        return found
    }

    /// Takes a profile into use.
    mutating func use(_ recorded: RecordedProfile) throws(ReplayError) {
        guard followsTranscript else { return }
        let profile = try TranscriptProfile.profile(recorded)
        do throws(ProfileError) {
            if let known = handlers[recorded.profile], let before = profiles[recorded.profile] {
                // The same profile with another password of an account.
                let numbers = Dictionary(before.accounts.map { ($0.name, $0.password) }) { first, _ in first }
                for account in recorded.accounts where numbers[account.name] != account.password {
                    let password = TranscriptProfile.password(account)
                    try known.updateUserCredentials(account: account.name, password: password)
                }
            } else {
                // Pins are not in a transcript, so the time of the profile does not matter.
                let compiled = try CompiledProfile(profile, at: 0)
                let handler = ChallengeHandler(compiled, succeeding: last, clock: clock)
                handlers[recorded.profile] = handler
                last = handler
            }
        } catch {
            throw .profile(error)
        }
        profiles[recorded.profile] = recorded
    }

    /// Forgets the refusals of an account.
    func forgive(_ account: String) {
        // A profile that is given in place of the transcript's may have no such account.
        try? last?.forgive(account: account)
    }
}

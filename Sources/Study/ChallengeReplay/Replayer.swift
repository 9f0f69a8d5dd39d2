package import ChallengeHandling
package import Corpora
internal import HTTPAuthentication
internal import Hostnames
internal import SPKIPins

/// Passes recorded events to a handler and compares its decisions with those of real servers.
///
/// Every pass uses a new handler, because a lock-out budget keeps refusals. Random numbers and times come from the
/// recording, so every pass gives the same answers.
package struct Replayer {
    /// `nil` if the profiles of a transcript decide.
    private let profile: SecurityProfile?
    private let events: [PreparedEvent]

    /// Prepares every event; ``pass(latencies:observe:)`` makes the decisions.
    ///
    /// - Parameter profile: the profile that decides; `nil` for the profiles that a transcript has.
    package init(recording: ChallengeRecording, profile: SecurityProfile?) throws(ReplayError) {
        self.profile = profile
        var events: [PreparedEvent] = []
        events.reserveCapacity(recording.events.count)
        for event in recording.events {
            events.append(try PreparedEvent(event, of: recording))
        }
        self.events = events
    }

    /// The number of events in a pass.
    package var eventCount: Int { events.count { $0.isObserved } }

    /// The result of one event.
    package struct Observation: Sendable {
        /// The event.
        package let event: RecordedEvent
        /// The handler's verdict.
        package let verdict: ReplayVerdict
        /// The difference from the recording, or `nil`.
        package fileprivate(set) var difference: String?
        /// The time of the decision; 0 for events that the handler does not decide.
        package let nanoseconds: UInt64
    }

    /// Replays all events once.
    ///
    /// - Parameters:
    ///   - latencies: records the time of each stage and decision.
    ///   - observe: called after each event.
    package func pass(latencies: inout StageLatencies, observe: (Observation) -> Void) throws(ReplayError) {
        var connections = ConnectionKeys()
        try visit { (event, session, handler) in
            var observation = session.feed(event, latencies: &latencies)
            if observation.difference == nil {
                observation.difference = connections.difference(of: event, with: handler)
            }
            observe(observation)
        }
    }

    /// Makes the decisions of one pass; times and compares nothing.
    ///
    /// - Returns: how many there are.
    package func decide() throws(ReplayError) -> Int {
        var decisions = 0
        try visit { (event, session, _) in
            guard !event.isEvidence else { return }
            if case .noted = session.decide(event) { return }
            decisions += 1
        }
        return decisions
    }

    /// Calls `body` with each event that is observed, the session of its exchange and the handler that decides.
    private func visit(
        _ body: (PreparedEvent, ReplaySession, ChallengeHandler) -> Void
    ) throws(ReplayError) {
        let clock = ManualClock()
        var handlers = try makeHandlers(clock)
        var session: ReplaySession?
        var exchange: Int?
        for event in events {
            // Waiting may have moved the clock past the recording.
            clock.set(max(clock.now, MonotonicTime(nanoseconds: event.recorded.unixMicroseconds * 1000)))
            switch event.content {
            case .profile(let recorded):
                try handlers.use(recorded)
                continue
            case .forgiven(let account):
                handlers.forgive(account)
                continue
            case .handshake, .response, .password: break
            }
            let handler = try handlers.handler(for: event.recorded)
            if exchange != event.recorded.exchange {
                session = ReplaySession(handler: handler, clock: clock)
                exchange = event.recorded.exchange
            }
            guard let session else { preconditionFailure("the first event of an exchange begins it") }
            body(event, session, handler)
        }
    }

    private func makeHandlers(_ clock: ManualClock) throws(ReplayError) -> ReplayHandlers {
        guard let profile else { return ReplayHandlers(clock: clock) }
        do throws(ProfileError) {
            // Pins are checked at the time of the first event, so that an old recording stays valid.
            let compiled = try CompiledProfile(profile, at: events.first?.unixSeconds ?? 0)
            return ReplayHandlers(clock: clock, ChallengeHandler(compiled, clock: clock))
        } catch {
            throw .profile(error)
        }
    }
}

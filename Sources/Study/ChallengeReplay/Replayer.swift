package import Corpora
internal import HTTPAuthentication
internal import Hostnames
internal import SPKIPins
package import Sallyport

/// Feeds recorded events to a handler and compares what it does with what real servers accepted or refused.
///
/// Every pass starts with a fresh handler, because a lock-out budget remembers. Random numbers and times come from the
/// recording, so a pass gives the same answers as the one before it.
package struct Replayer {
    private let profile: SecurityProfile
    private let events: [PreparedEvent]

    /// Prepares every event; nothing is decided yet.
    package init(recording: ChallengeRecording, profile: SecurityProfile) throws(ReplayError) {
        self.profile = profile
        var events: [PreparedEvent] = []
        events.reserveCapacity(recording.events.count)
        for event in recording.events {
            events.append(try PreparedEvent(event, certificates: recording.certificates))
        }
        self.events = events
    }

    /// How many events a pass feeds.
    package var eventCount: Int { events.count }

    /// What a pass tells about one event.
    package struct Observation: Sendable {
        /// The event.
        package let event: RecordedEvent
        /// What the handler made of it.
        package let verdict: ReplayVerdict
        /// What is different from the recording, or `nil`.
        package let difference: String?
        /// How long the decision took; 0 for events that the handler is not asked about.
        package let nanoseconds: UInt64
    }

    /// Replays all events once.
    ///
    /// - Parameters:
    ///   - latencies: receives the time of each stage and decision.
    ///   - observe: called after each event.
    package func pass(latencies: inout StageLatencies, observe: (Observation) -> Void) throws(ReplayError) {
        let handler = try makeHandler()
        var session = ReplaySession(handler: handler, exchange: 0)
        for event in events {
            if event.recorded.exchange != session.exchange {
                session = ReplaySession(handler: handler, exchange: event.recorded.exchange)
            }
            observe(session.feed(event, latencies: &latencies))
        }
    }

    private func makeHandler() throws(ReplayError) -> ChallengeHandler {
        do throws(ProfileError) {
            // Pins are judged at the time of the first event: a recording does not grow stale by lying on a disk.
            return try ChallengeHandler(profile: profile, at: events.first?.unixSeconds ?? 0)
        } catch {
            throw .profile(error)
        }
    }
}

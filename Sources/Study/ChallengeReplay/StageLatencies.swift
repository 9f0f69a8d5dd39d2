internal import ChallengeHandling
internal import HTTPAuthentication
package import Histogram

/// Latencies by stage of a decision, in nanoseconds.
///
/// The whole decision is timed as it runs. Its stages are timed after it, each alone on the same input, so that the
/// handler reads no clock. The caches are warm then, so the sum of the stages may be less than the whole.
package struct StageLatencies: Sendable {
    /// A stage that is timed.
    package enum Stage: String, CaseIterable, Sendable {
        /// The check whether the site may receive credentials.
        case site
        /// Parsing the challenge fields of a response.
        case parse
        /// From a CHALLENGE to an AUTHENTICATE message.
        case ntlm
        /// From the DER of a validated chain to a verdict about its pins.
        case pins
        /// From a response or handshake to the decision.
        case decision
    }

    /// Runs only while the machine is awake, and is read without a system call.
    static let clock = SuspendingClock()

    /// The longest time that a histogram records: one minute.
    private static let longest: UInt64 = 60_000_000_000

    /// One histogram for each stage.
    package private(set) var histograms: [Stage: Histogram<UInt64>]

    /// Empty histograms.
    package init() {
        histograms = Dictionary(
            uniqueKeysWithValues: Stage.allCases.map { stage in
                (stage, Histogram(highestTrackableValue: Self.longest, numberOfSignificantValueDigits: .three))
            }
        )
    }

    @discardableResult
    mutating func record(_ stage: Stage, since start: SuspendingClock.Instant) -> UInt64 {
        let elapsed = (Self.clock.now - start).components
        let nanoseconds = UInt64(clamping: elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000)
        histograms[stage]?.record(min(nanoseconds, Self.longest))
        return nanoseconds
    }

    private mutating func measure<Result>(_ stage: Stage, _ work: () -> Result) {
        let start = Self.clock.now
        _ = work()
        record(stage, since: start)
    }

    mutating func measurePins<Result>(_ work: () -> Result) { measure(.pins, work) }

    mutating func measureStages(of response: PreparedResponse, handler: ChallengeHandler) {
        let request =
            response.status == ChallengedParty.proxy.status
            ? response.proxyRequest ?? response.originRequest : response.originRequest
        guard response.status == request.party.status else { return }
        measure(.site) { handler.mayReceiveCredentials(request) }
        measure(.parse) { OfferedChallenges(by: request.party, in: response.fields) }
        if let stage = NTLMStage(response: response, request: request, handler: handler) {
            measure(.ntlm) { stage.run() }
        }
    }
}

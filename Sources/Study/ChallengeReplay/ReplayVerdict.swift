internal import ChallengeHandling
internal import Credentials
internal import SPKIPins

/// The handler's verdict on one event, in the terms of the recording.
package struct ReplayVerdict: Equatable, Sendable {
    /// `answered`, `repeated`, `withheld`, `accepted`, `refused`, `passed`, `evidence`, `noted`, `trusted` or `rejected`.
    package let verdict: String
    /// The reason as one word.
    package var reason: String?
    /// The client identity that was presented.
    package var identity: String?
    /// The reason as one sentence for readers.
    package var explanation: String?

    init(_ step: RequestStep) {
        switch step {
        case .send(let sending): verdict = sending.hasAnswer ? "answered" : "repeated"
        case .wait, .needs: verdict = "wait"
        case .deliver(.accepted): verdict = "accepted"
        case .deliver(.notChallenged): verdict = "passed"
        case .deliver(.withheld(let refusal, by: _)):
            if refusal.isOfParty { verdict = "refused" } else { verdict = "withheld" }
            reason = refusal.code
            explanation = "\(refusal)"
        }
    }

    init(_ trust: TrustDecision, identity: IdentityDecision?) {
        switch trust {
        case .trusted(.matched(let match)):
            (verdict, reason) = ("trusted", match.isBackup ? "pinned-backup" : "pinned")
        case .trusted: (verdict, reason) = ("trusted", "pinned")
        case .validatedOnly: (verdict, reason) = ("trusted", "not-pinned")
        case .rejected(let refusal):
            (verdict, reason) = ("rejected", refusal.code)
            explanation = "\(refusal)"
        }
        if case .present(let chosen) = identity { self.identity = chosen.name }
        if case .withhold(let refusal) = identity { explanation = "\(refusal)" }
    }

    /// The event is the reply of a server to an answer that the handler withholds; the handler does not decide about
    /// it.
    static let evidence = ReplayVerdict(verdict: "evidence")

    /// The user typed a new password; the handler decides nothing.
    static let noted = ReplayVerdict(verdict: "noted")

    private init(verdict: String) {
        self.verdict = verdict
    }
}

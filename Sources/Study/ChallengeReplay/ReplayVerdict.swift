internal import Credentials
internal import SPKIPins
internal import Sallyport

/// What the handler made of one event, in the recording's words.
package struct ReplayVerdict: Equatable, Sendable {
    /// `answered`, `withheld`, `accepted`, `refused`, `passed`, `evidence`, `trusted` or `rejected`.
    package let verdict: String
    /// Why, in one word.
    package var reason: String?
    /// The client identity that was presented.
    package var identity: String?
    /// One sentence about the reason, for people.
    package var explanation: String?

    init(_ decision: ChallengeDecision) {
        switch decision {
        case .answer: verdict = "answered"
        case .accepted: verdict = "accepted"
        case .notChallenged: verdict = "passed"
        case .withhold(let refusal):
            if case .credentialsRefused = refusal { verdict = "refused" } else { verdict = "withheld" }
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

    /// The event shows what a server did with something that the handler withheld; nobody asked the handler.
    static let evidence = ReplayVerdict(verdict: "evidence")

    private init(verdict: String) {
        self.verdict = verdict
    }
}

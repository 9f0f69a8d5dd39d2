public import Sallyport

/// A user inbound event: how the authentication of a request ended. It comes before the head of the response.
public struct AuthenticationOutcome: Equatable, Sendable {
    /// What became of the challenges: none came, an answer was accepted, or no answer was sent and why.
    public let outcome: RequestOutcome

    /// An event that carries `outcome`, for tests of a handler that receives it.
    public init(_ outcome: RequestOutcome) { self.outcome = outcome }
}

extension AuthenticationOutcome {
    // The events of most requests, made once, because an event is an allocation.
    private static let notChallenged: any Sendable = AuthenticationOutcome(.notChallenged)
    private static let accepted: any Sendable = AuthenticationOutcome(.accepted)

    /// The event for `outcome`.
    static func event(_ outcome: RequestOutcome) -> any Sendable {
        switch outcome {
        case .notChallenged: notChallenged
        case .accepted: accepted
        case .withheld: AuthenticationOutcome(outcome)
        }
    }
}

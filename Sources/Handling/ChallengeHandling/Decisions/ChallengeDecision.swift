public import HTTPAuthentication
public import HTTPTypes
public import Negotiate

/// A field that answers a challenge, and the rules for sending it.
public struct ChallengeAnswer: Equatable, Sendable {
    /// `Authorization` or `Proxy-Authorization`.
    public let field: HTTPField.Name
    /// The value; its description is scheme and length only.
    public let value: AuthorizationValue
    /// The name of the account in the profile.
    public let account: String
    /// Whether to send the request on the connection of the response, with no other request in between. Otherwise any
    /// connection is allowed, also a new one.
    public let sameConnection: Bool
    /// Whether the answer is bound to the TLS connection to the party.
    public let channelBinding: ChannelBindingUse

    /// Makes an answer, for tests of code that receives one.
    public init(
        field: HTTPField.Name = .authorization,
        value: AuthorizationValue,
        account: String,
        sameConnection: Bool = false,
        channelBinding: ChannelBindingUse = .notApplicable
    ) {
        self.field = field
        self.value = value
        self.account = account
        self.sameConnection = sameConnection
        self.channelBinding = channelBinding
    }

    /// The field for the next request, byte for byte.
    public var httpField: HTTPField { value.field(named: field) }
}

/// The next step after a response.
public enum ChallengeDecision: Equatable, Sendable {
    /// Repeat the request with this answer.
    case answer(ChallengeAnswer)
    /// The scheme needs something that takes waiting. Fetch it, and pass it to ``ChallengeExchange/supplied(_:)``.
    case needs(SystemMessageNeed)
    /// The party accepted the answer; the response is the result.
    case accepted
    /// The party did not challenge; the response is the result.
    case notChallenged
    /// Another request tries the same password now. Wait for the turn, then pass the same response again.
    case wait(AttemptTurn)
    /// Send no credential; deliver the response to the caller.
    case withhold(Refusal)
}

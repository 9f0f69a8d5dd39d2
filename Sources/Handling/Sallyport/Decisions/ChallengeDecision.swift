public import HTTPAuthentication
public import HTTPTypes

/// A field that answers a challenge, and how it must be sent.
public struct ChallengeAnswer: Equatable, Sendable {
    /// `Authorization` or `Proxy-Authorization`.
    public let field: HTTPField.Name
    /// The value; prints as its scheme and length only.
    public let value: AuthorizationValue
    /// The reference name of the account that answers.
    public let account: String
    /// Whether the request must go out on the connection that the response came from, alone. Otherwise any connection
    /// serves, a new one as well.
    public let sameConnection: Bool
    /// Whether the answer is tied to the TLS connection to the party.
    public let channelBinding: ChannelBindingUse

    /// The answer as a field, byte for byte: what the next request carries.
    public var httpField: HTTPField { value.field(named: field) }
}

/// What to do after a response.
public enum ChallengeDecision: Equatable, Sendable {
    /// Repeat the request with this answer.
    case answer(ChallengeAnswer)
    /// The party took the answer; the response is the result.
    case accepted
    /// The party did not ask; the response is the result.
    case notChallenged
    /// Nothing is sent; hand the response to whoever made the request.
    case withhold(Refusal)
}

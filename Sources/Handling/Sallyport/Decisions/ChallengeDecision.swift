public import HTTPAuthentication
public import HTTPTypes

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

    /// The field for the next request, byte for byte.
    public var httpField: HTTPField { value.field(named: field) }
}

/// The next step after a response.
public enum ChallengeDecision: Equatable, Sendable {
    /// Repeat the request with this answer.
    case answer(ChallengeAnswer)
    /// The party accepted the answer; the response is the result.
    case accepted
    /// The party did not challenge; the response is the result.
    case notChallenged
    /// Send no credential; deliver the response to the caller.
    case withhold(Refusal)
}

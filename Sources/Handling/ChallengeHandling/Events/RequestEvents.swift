public import HTTPAuthentication
public import HTTPTypes
public import Hostnames

/// A request that begins.
public struct RequestStart: Equatable, Sendable {
    /// The request method.
    public let method: String
    /// The server.
    public let origin: Origin
    /// The path, without the query.
    public let path: String
    /// Whether the target has a query, which events do not contain.
    public let hasQuery: Bool
    /// Whether the body can be sent once only.
    public let isBodyOnce: Bool
    /// How the request reaches its origin.
    public let route: RequestRoute
    /// Whether only challenges of the proxy are answered.
    public let isProxyOnly: Bool
    /// The ``ProfileSummary/number`` of the profile that decides.
    public let profile: UInt64
}

/// A response, as far as authentication depends on it.
public struct ResponseSeen: Equatable, Sendable {
    /// The status code.
    public let status: Int
    /// Whether any of the body was sent before it.
    public let bodyWasSent: Bool
    /// The party that challenges; `nil` if the response is not a challenge.
    public let challenger: ChallengedParty?
    /// The schemes that it offers, each once, in the order of the response.
    public let offers: [AuthenticationScheme]
    /// The number of challenge lines that cannot be read.
    public let unreadableLines: Int
    /// The connection on which it came.
    public let connection: ConnectionSeen
    /// The fields that decisions depend on: the challenges, and what is said about the connection. A response that is not a challenge
    /// has none of the fields that depend on a password; one with which a party proves itself stands here without its value.
    public let fields: HTTPFields
}

/// A connection, without its certificate.
public struct ConnectionSeen: Equatable, Sendable {
    /// The TLS state of a connection.
    public enum Security: Equatable, Sendable {
        /// No TLS.
        case none
        /// TLS with a known leaf certificate; the gap says why no channel binding can be made of it, `nil` if one can.
        case leaf(ChannelBindingUse.Gap?)
        /// TLS, and the leaf certificate is not known.
        case unknownLeaf
    }

    /// The number of the connection; `nil` if connections are not known.
    public let id: UInt64?
    /// Whether the next request can be sent on this connection, with no other in between.
    public let canPin: Bool
    /// The TLS state; `nil` if the caller does not know it.
    public let security: Security?
    /// Whether it follows one that was lost in mid-handshake. The response is the challenge before that, judged once more.
    public let followsLostHandshake: Bool
}

/// An answer that goes out. It does not contain the value of the field.
public struct AnswerSent: Equatable, Sendable {
    /// The party that it is for.
    public let party: ChallengedParty
    /// The scheme of the answer.
    public let scheme: AuthenticationScheme
    /// The account's name in the profile.
    public let account: String
    /// Which answer of the request to this party it is, from 1.
    public let leg: Int
    /// Whether it goes out before a challenge, because the party accepted one like it.
    public let isInAdvance: Bool
    /// Whether the request must go out on the connection of the last response.
    public let sameConnection: Bool
    /// Whether the answer is bound to the TLS connection, or why not.
    public let channelBinding: ChannelBindingUse
}

/// How the authentication of a request has ended.
public struct RequestEnd: Equatable, Sendable {
    /// How the authentication of a request has ended.
    public enum Outcome: Equatable, Sendable {
        /// No party challenged.
        case notChallenged
        /// Every party that challenged has accepted its answer.
        case accepted
        /// The party gets no answer. ``Refusal/credentialsRefused(account:after:)`` and ``Refusal/tokenRefused(account:after:)`` mean that it has refused one.
        case withheld(Refusal, by: ChallengedParty)
        /// The request was dropped before it ended: it was cancelled, or its connection broke.
        case abandoned
    }

    /// How it has ended.
    public let outcome: Outcome
    /// The status of the last response; `nil` before the first one.
    public let status: Int?
    /// The time since the start, by the observer's clock.
    public let duration: Duration
}

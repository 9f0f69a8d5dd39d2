internal import ChallengeHandling

/// The bounds of an ``Authenticator``, and what it gives to places that no profile names.
public struct AuthenticatorOptions: Sendable {
    /// How long a prompt or another source may take for one question.
    public var patience: Duration
    /// How often one request may be repeated with another password.
    public var mostRepetitions: Int
    /// The places of accounts whose user and password come from sources. An allowed site that none of them covers gets a place of its
    /// own, which covers its origin. ``Authenticator/reload(_:places:)`` replaces them.
    public var places: [AccountPlace]
    /// Whether Basic may answer over plain http at sites that no place covers.
    public var allowsCleartext: Bool
    /// Whether answers without channel binding are allowed at sites that no place covers.
    public var allowsUnbound: Bool
    /// How long before its end a token is replaced, so that no request meets the server with one that has just ended. A token that lives
    /// less than twice this time is replaced in the middle of its life.
    public var tokenMargin: Duration
    /// How long a sign-out waits for each service to take its tokens back.
    public var revocationPatience: Duration

    /// Five minutes for a question, three repetitions, no places, nothing in clear text, channel binding where there is TLS, a minute
    /// before the end of tokens, and ten seconds for a service to take tokens back.
    public init(
        patience: Duration = .seconds(300),
        mostRepetitions: Int = 3,
        places: [AccountPlace] = [],
        allowsCleartext: Bool = false,
        allowsUnbound: Bool = false,
        tokenMargin: Duration = .seconds(60),
        revocationPatience: Duration = .seconds(10)
    ) {
        self.patience = patience
        self.mostRepetitions = max(0, mostRepetitions)
        self.places = places
        self.allowsCleartext = allowsCleartext
        self.allowsUnbound = allowsUnbound
        self.tokenMargin = tokenMargin
        self.revocationPatience = revocationPatience
    }

    /// The margin in whole seconds, as token services count.
    var tokenMarginSeconds: Int64 { max(0, tokenMargin.components.seconds) }
}

/// What to do with a request after its response.
public enum AuthenticatorAdvice: Equatable, Sendable {
    /// Deliver the response.
    case deliver
    /// Send the request again: a credential is there now.
    case repeatRequest
}

/// Why a request cannot go on.
public enum AuthenticatorError: Error, Equatable, Sendable {
    /// A source cancelled the request: the user does not want it.
    case cancelled
    /// A source did not reply in time.
    case noReply
    /// The reply to the question for an identity names none of the candidates.
    case unknownIdentity(String)
    /// The token that a source has brought for this account cannot be used; the second text says why, without the token.
    case unusableToken(account: String, String)
}

extension AuthenticatorError: CustomStringConvertible {
    /// One line: the problem and the remedy.
    public var description: String {
        switch self {
        case .cancelled: "the source of credentials cancelled the request: send it again to be asked again"
        case .noReply: "the source of credentials did not reply in time: answer its question, or raise the patience"
        case .unknownIdentity(let name):
            "'\(name)' is none of the identities in the question: reply with one of their names"
        case .unusableToken(let account, let defect): "\(account): the token cannot be used: \(defect)"
        }
    }
}

/// The bounds of an ``Authenticator``, and what it gives to places that no profile names.
public struct AuthenticatorOptions: Sendable {
    /// How long a prompt or another source may take for one question.
    public var patience: Duration
    /// How often one request may be repeated with another password.
    public var mostRepetitions: Int
    /// The places of accounts whose user and password come from sources. An allowed site that none of them covers gets a place of its
    /// own, which covers its origin.
    public var places: [AccountPlace]
    /// Whether Basic may answer over plain http at sites that no place covers.
    public var allowsCleartext: Bool
    /// Whether answers without channel binding are allowed at sites that no place covers.
    public var allowsUnbound: Bool

    /// Five minutes for a question, three repetitions, no places, nothing in clear text, and channel binding where there is TLS.
    public init(
        patience: Duration = .seconds(300),
        mostRepetitions: Int = 3,
        places: [AccountPlace] = [],
        allowsCleartext: Bool = false,
        allowsUnbound: Bool = false
    ) {
        self.patience = patience
        self.mostRepetitions = max(0, mostRepetitions)
        self.places = places
        self.allowsCleartext = allowsCleartext
        self.allowsUnbound = allowsUnbound
    }
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
}

extension AuthenticatorError: CustomStringConvertible {
    /// One line: the problem and the remedy.
    public var description: String {
        switch self {
        case .cancelled: "the source of credentials cancelled the request: send it again to be asked again"
        case .noReply: "the source of credentials did not reply in time: answer its question, or raise the patience"
        case .unknownIdentity(let name):
            "'\(name)' is none of the identities in the question: reply with one of their names"
        }
    }
}

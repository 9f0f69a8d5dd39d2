/// One thing that happened while requests were authenticated. It never contains a password, an answer, or the query of a URL.
///
/// An ``EventObserver`` receives events. Those of one request have its number and come in order; the last one is
/// ``Content-swift.enum/ended(_:)``.
public struct AuthenticationEvent: Sendable {
    /// What happened.
    public enum Content: Sendable {
        /// A request begins.
        case started(RequestStart)
        /// A response came. It may challenge.
        case response(ResponseSeen)
        /// The handler has judged the offers of a party, when it began an exchange or withheld its answer.
        case selection(SchemeSelection)
        /// An answer goes out, in reply to a challenge or in advance.
        case answered(AnswerSent)
        /// The token of the account of this name goes along with the request, besides the answers.
        case tokenPlaced(account: String, TokenPlacement.Position)
        /// The request goes out again without an answer, because a handshake was lost with its connection.
        case restarted
        /// The request waits for the result of another one that tries the same password, or for a ticket of Kerberos.
        case waiting
        /// The scheme waits for something that the caller fetches, a message of the system's security library.
        case needed
        /// What the scheme needs cannot be had, for this reason. Another mechanism answers in its place, or the request ends.
        case unmet(reason: String)
        /// The authentication of the request has ended.
        case ended(RequestEnd)
        /// The authenticator asks a store, its sources or a person.
        case asked(CredentialAsk)
        /// The reply to such a question.
        case replied(CredentialAsk, CredentialAsk.Reply)
        /// The pins of the profile have judged a server.
        case judged(ServerJudgement)
        /// A result has changed what the lock-out budget knows of a password.
        case lockout(LockoutChange)
        /// All refusals of the account of this name were forgotten.
        case forgiven(account: String)
        /// A profile is in use, or an account of it has a new password.
        case profile(ProfileSummary)
        /// A sign-out has ended.
        case signedOut(SignOutSummary)
    }

    /// When it happened, in microseconds since the start of 1970, by the observer's clock.
    public let unixMicroseconds: Int64
    /// The number of the request; `nil` if the event belongs to no single request. A request that is repeated with another
    /// credential has a number for each repetition.
    public let request: UInt64?
    /// What happened.
    public let content: Content

    /// Makes an event, for tests of code that receives one.
    public init(unixMicroseconds: Int64, request: UInt64?, content: Content) {
        self.unixMicroseconds = unixMicroseconds
        self.request = request
        self.content = content
    }
}

extension AuthenticationEvent.Content {
    /// What happened as one stable lower-case word, for logs and JSON.
    public var code: String {
        switch self {
        case .started: "started"
        case .response: "response"
        case .selection: "selection"
        case .answered: "answered"
        case .tokenPlaced: "token"
        case .restarted: "restarted"
        case .waiting: "waiting"
        case .needed: "needed"
        case .unmet: "unmet"
        case .ended: "ended"
        case .asked: "asked"
        case .replied: "replied"
        case .judged: "judged"
        case .lockout: "lockout"
        case .forgiven: "forgiven"
        case .profile: "profile"
        case .signedOut: "signed-out"
        }
    }
}

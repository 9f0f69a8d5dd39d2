internal import HTTPAuthentication

/// A scheme's exchange that has sent an answer. A separate object, because it is ten times as large as the other fields
/// of ``ChallengeExchange``, and most decisions have none.
///
/// `@unchecked Sendable` is safe, because one ``ChallengeExchange`` owns it, and that cannot be copied.
@usableFromInline
final class RunningExchange: @unchecked Sendable {
    var exchange: AuthenticationExchange
    let prepared: PreparedAccount
    let channelBinding: ChannelBindingUse
    let scheme: AnswerableScheme
    /// The last answer, for schemes that authenticate requests.
    private(set) var lastValue: AuthorizationValue?
    private var attempt: PasswordBudget.Attempt
    /// The connection on which the next response must come; `nil` if any connection is allowed, or it is not known.
    private(set) var connection: UInt64?
    /// The schemes that the party has declined for this request.
    let declined: [SchemeFailure]
    /// The response that is not answered yet, because the scheme needs something.
    var unanswered: ChallengeHandler.Response?
    /// The leaf certificate of the connection to which the answer is bound; `nil` without one.
    private let leaf: [UInt8]?

    init(
        _ exchange: consuming AuthenticationExchange,
        _ prepared: PreparedAccount,
        _ attempt: consuming PasswordBudget.Attempt,
        _ channelBinding: ChannelBindingUse,
        _ leaf: [UInt8]?,
        _ scheme: AnswerableScheme,
        _ value: AuthorizationValue?,
        _ connection: UInt64?,
        _ declined: [SchemeFailure]
    ) {
        self.exchange = exchange
        self.prepared = prepared
        self.attempt = attempt
        self.channelBinding = channelBinding
        self.leaf = leaf
        self.scheme = scheme
        lastValue = value
        self.connection = connection
        self.declined = declined
        self.attempt.hasSentPassword = self.exchange.hasSentPassword
    }

    /// Records that another message was sent, and the connection on which its response must come.
    func sent(_ value: AuthorizationValue, on connection: UInt64?) {
        lastValue = value
        unanswered = nil
        attempt.hasSentPassword = exchange.hasSentPassword
        self.connection = connection
    }

    /// Whether the last message depends on the password.
    var hasSentPassword: Bool { exchange.hasSentPassword }

    /// Whether a response on `connection` belongs to the last message.
    func continues(on connection: ConnectionTraits) -> Bool {
        // The first message may go out on any connection. The next one is bound to the certificate of the one before, which a server
        // of another certificate would refuse like a wrong password.
        if let leaf, !hasSentPassword, case .leaf(let now)? = connection.security, now != leaf { return false }
        guard let expected = self.connection, let id = connection.id else { return true }
        return id == expected
    }

    /// Names the attempt, for one of the same request at its other party.
    var companion: PasswordBudget.Companion { attempt.companion }

    /// Reports to the lock-out budget that the exchange has failed.
    ///
    /// A challenge after the message that depends on the password refuses it, whatever else is wrong with it. Digest has nonces that refuse
    /// nothing.
    func failed(_ failure: ExchangeFailure, isChallenged: Bool) {
        let isRefusal = failure == .refused || hasSentPassword && scheme.isConnectionBound && isChallenged
        settle(isRefusal ? .refused : hasSentPassword ? .inconclusive : .unsent)
    }

    /// Reports the result of the last message to the lock-out budget.
    func settle(_ result: AttemptResult) { attempt.settle(result) }
}

public import HTTPTypes
public import NTLM

/// Answers the challenges of one party to one request with one scheme. It does no I/O.
///
/// Pass it each response to the request; it returns the next step. Make a new exchange for each request.
public struct AuthenticationExchange: Sendable {
    private enum Scheme {
        case basic(BasicExchange)
        case digest(DigestExchange)
        case ntlm(NTLMExchange)
        /// Replaces the NTLM exchange while one of its methods runs, because a second reference would copy its keys.
        case ntlmAtWork
    }

    /// The party that challenges.
    public let party: ChallengedParty
    private var scheme: Scheme
    private var hasAnswered = false
    private var hasEnded = false
    /// Whether the last message that was sent depends on the password.
    package private(set) var hasSentPassword = false

    /// Answers with Basic (RFC 7617).
    public static func basic(_ credential: PasswordCredential, party: ChallengedParty) -> AuthenticationExchange {
        AuthenticationExchange(party: party, scheme: .basic(BasicExchange(credential: credential)))
    }

    /// Answers with Digest (RFC 7616) for `request`, whose method and target go into the answer.
    public static func digest(
        _ credential: PasswordCredential,
        party: ChallengedParty,
        request: ExchangeRequest
    ) -> AuthenticationExchange {
        let exchange = DigestExchange(credential: credential, request: request)
        return AuthenticationExchange(party: party, scheme: .digest(exchange))
    }

    /// Answers with NTLM (MS-NLMP, NTLMv2), bound to the TLS channel when `binding` is given.
    public static func ntlm(
        _ account: NTLMAccount,
        party: ChallengedParty,
        request: ExchangeRequest,
        binding: ChannelBindings? = nil
    ) -> AuthenticationExchange {
        let exchange = NTLMExchange(account: account, request: request, binding: binding)
        return AuthenticationExchange(party: party, scheme: .ntlm(exchange))
    }

    private init(party: ChallengedParty, scheme: Scheme) {
        self.party = party
        self.scheme = scheme
    }

    /// The scheme that answers.
    public var name: AuthenticationScheme {
        switch scheme {
        case .basic: .basic
        case .digest: .digest
        case .ntlm, .ntlmAtWork: .ntlm
        }
    }

    /// The answer that can be sent without a challenge, or `nil` if the scheme needs a challenge first.
    public mutating func start() -> ExchangeStep? {
        guard !hasAnswered, !hasEnded else { return .fail(.outOfOrder) }
        switch scheme {
        case .basic(var basic):
            defer { scheme = .basic(basic) }
            return ended(by: basic.start(party: party), sendingPassword: true)
        case .digest, .ntlmAtWork:
            return nil
        case .ntlm(var ntlm):
            scheme = .ntlmAtWork
            defer { scheme = .ntlm(ntlm) }
            return ended(by: ntlm.start(party: party), sendingPassword: false)
        }
    }

    /// Takes the response to the last request that was sent.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - fields: the header fields; only the party's challenge and information fields are read.
    /// - Returns: the next step.
    public mutating func received(status: Int, fields: HTTPFields) -> ExchangeStep {
        received(status: status, fields: fields, offer: OfferedChallenges(by: party, in: fields), nonces: .fresh)
    }

    /// The same with parsed challenges and given random numbers.
    package mutating func received(
        status: Int,
        fields: HTTPFields,
        offer: OfferedChallenges,
        nonces: ExchangeNonces
    ) -> ExchangeStep {
        guard !hasEnded else { return .fail(.outOfOrder) }
        guard status == party.status else { return ended(by: finished(fields)) }
        let challenge = offer.firstChallenge(of: name)
        // After the password was sent, any challenge means that it was refused. Before, an unreadable one is a defect; of
        // Digest also beside a readable one, because it may be the stronger of the two.
        if challenge == nil || name == .digest, !hasSentPassword, let line = offer.unreadableLine(mayOffer: name) {
            return ended(by: .fail(.unreadable(line)))
        }
        switch scheme {
        case .basic(var basic):
            defer { scheme = .basic(basic) }
            return ended(by: basic.received(challenge, party: party), sendingPassword: true)
        case .digest(var digest):
            defer { scheme = .digest(digest) }
            let step = digest.received(offer.challenges(of: name), party: party, nonces: nonces)
            return ended(by: step, sendingPassword: true)
        case .ntlm(var ntlm):
            scheme = .ntlmAtWork
            defer { scheme = .ntlm(ntlm) }
            // AUTHENTICATE would have no connection to go out on, and be wasted.
            if !hasSentPassword, challenge?.token68 != nil, party.closesConnection(fields) {
                return ended(by: .fail(.connectionCloses))
            }
            let step = ntlm.received(challenge, party: party, nonces: nonces)
            return ended(by: step, sendingPassword: ntlm.hasSentPassword)
        case .ntlmAtWork:
            return ended(by: .fail(.outOfOrder))
        }
    }

    private func finished(_ fields: HTTPFields) -> ExchangeStep {
        guard case .digest(let digest) = scheme else { return .done }
        return digest.finished(fields: fields, party: party)
    }

    private mutating func ended(
        by step: consuming ExchangeStep,
        sendingPassword: Bool = false
    ) -> ExchangeStep {
        if case .send = step {
            (hasAnswered, hasSentPassword) = (true, sendingPassword)
        } else {
            hasEnded = true
        }
        return step
    }
}

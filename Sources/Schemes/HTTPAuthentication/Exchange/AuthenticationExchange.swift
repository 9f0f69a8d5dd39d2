public import HTTPTypes
public import NTLM
public import Negotiate

/// Answers the challenges of one party to one request with one scheme. It does no I/O.
///
/// Pass it each response to the request; it returns the next step. Make a new exchange for each request. It cannot be copied,
/// so that one challenge gets one answer.
public struct AuthenticationExchange: ~Copyable, Sendable {
    private enum Scheme {
        case basic(BasicExchange)
        case digest(DigestExchange)
        case ntlm(NTLMExchange)
        case negotiate(NegotiateExchange)
        case bearer(any OneMessageExchange)
        /// Replaces an exchange while one of its methods runs, because a second reference would copy its keys and texts.
        case atWork
    }

    /// The party that challenges.
    public let party: ChallengedParty
    /// The scheme that answers.
    public let name: AuthenticationScheme
    private var scheme: Scheme
    private var hasAnswered = false
    private var isWaiting = false
    private var hasEnded = false
    /// Whether the last message that was sent depends on the password.
    package private(set) var hasSentPassword = false

    /// Whether the party can decide after the last message, so that it goes out with the body of the request.
    package var mayBeLast: Bool {
        // The name first, because the pattern copies the exchange.
        if name == .negotiate, case .negotiate(let negotiate) = scheme { return negotiate.mayBeLast }
        return hasSentPassword
    }

    /// Whether a KDC has accepted the password, whatever the party says.
    package var isPasswordProven: Bool {
        if case .negotiate(let negotiate) = scheme { return negotiate.isPasswordProven }
        return false
    }

    /// Answers with Basic (RFC 7617).
    public static func basic(_ credential: PasswordCredential, party: ChallengedParty) -> AuthenticationExchange {
        AuthenticationExchange(party: party, name: .basic, scheme: .basic(BasicExchange(credential: credential)))
    }

    /// Answers with Digest (RFC 7616) for `request`, whose method and target go into the answer, and whose body does if the
    /// party demands `qop=auth-int`.
    public static func digest(
        _ credential: PasswordCredential,
        party: ChallengedParty,
        request: ExchangeRequest,
        rules: DigestRules = DigestRules()
    ) -> AuthenticationExchange {
        let exchange = DigestExchange(credential: credential, request: request, rules: rules)
        return AuthenticationExchange(party: party, name: .digest, scheme: .digest(exchange))
    }

    /// Answers with NTLM (MS-NLMP, NTLMv2), bound to the TLS channel when `binding` is given.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - party: who is expected to challenge.
    ///   - request: the request.
    ///   - binding: the channel binding, or `nil`.
    ///   - scheme: ``AuthenticationScheme/ntlm``, or ``AuthenticationScheme/negotiate`` for servers that take the same messages
    ///     under that name.
    public static func ntlm(
        _ account: NTLMAccount,
        party: ChallengedParty,
        request: ExchangeRequest,
        binding: ChannelBindings? = nil,
        as scheme: AuthenticationScheme = .ntlm
    ) -> AuthenticationExchange {
        let exchange = NTLMExchange(account: account, request: request, binding: binding, as: scheme)
        return AuthenticationExchange(party: party, name: scheme, scheme: .ntlm(exchange))
    }

    /// Answers with Negotiate (RFC 4559): SPNEGO with Kerberos or NTLM in it.
    ///
    /// With Kerberos the first step is ``ExchangeStep/needs(_:)``. Where it cannot be met, the exchange goes on with NTLM.
    ///
    /// - Parameters:
    ///   - ntlm: the account for NTLM; `nil` for Kerberos alone.
    ///   - rules: whether Kerberos is tried first, and what a server must prove.
    ///   - principal: the client's principal for Kerberos; `nil` for that of the ticket cache.
    ///   - tickets: where the client's ticket comes from.
    ///   - party: who is expected to challenge.
    ///   - request: the request.
    ///   - binding: the channel binding, or `nil`.
    /// - Precondition: there is an account for NTLM, or Kerberos is tried.
    public static func negotiate(
        ntlm: NTLMAccount?,
        rules: NegotiateRules,
        principal: String? = nil,
        tickets: TicketSource = .cache,
        party: ChallengedParty,
        request: ExchangeRequest,
        binding: ChannelBindings? = nil
    ) -> AuthenticationExchange {
        precondition(ntlm != nil || rules.usesKerberos, "Negotiate offers Kerberos, NTLM or both")
        let choice = NegotiateExchange.Choice(
            ntlm: ntlm,
            rules: rules,
            principal: principal,
            tickets: tickets,
            host: request.host,
            binding: binding
        )
        return AuthenticationExchange(
            party: party,
            name: .negotiate,
            scheme: .negotiate(NegotiateExchange(choice))
        )
    }

    /// Answers with a token that is sent as it is (RFC 6750).
    package static func bearer(_ exchange: BearerExchange, party: ChallengedParty) -> AuthenticationExchange {
        AuthenticationExchange(party: party, name: .bearer, scheme: .bearer(exchange))
    }

    /// Answers with a token that is bound to a key (RFC 9449). The sender adds the proof.
    package static func boundToken(_ exchange: BoundTokenExchange, party: ChallengedParty) -> AuthenticationExchange {
        AuthenticationExchange(party: party, name: .dpop, scheme: .bearer(exchange))
    }

    private init(party: ChallengedParty, name: AuthenticationScheme, scheme: Scheme) {
        self.party = party
        self.name = name
        self.scheme = scheme
    }

    /// The answer that can be sent without a challenge, or `nil` if the scheme needs a challenge first.
    public mutating func start() -> ExchangeStep? {
        guard !hasAnswered, !hasEnded else { return .fail(.outOfOrder) }
        switch scheme {
        case .basic(var basic):
            defer { scheme = .basic(basic) }
            return ended(by: basic.start(party: party), sendingPassword: true)
        case .digest, .negotiate, .bearer, .atWork:
            return nil
        case .ntlm(var ntlm):
            scheme = .atWork
            defer { scheme = .ntlm(ntlm) }
            return ended(by: ntlm.start(party: party), sendingPassword: false)
        }
    }

    /// Takes the response to the last request that was sent.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - fields: the header fields; only the party's challenge and information fields are read.
    ///   - body: the body of the response, which the server's proof covers with Digest's `qop=auth-int`.
    /// - Returns: the next step.
    public mutating func received(
        status: Int,
        fields: HTTPFields,
        body: ExchangeBody = .notAvailable
    ) -> ExchangeStep {
        let offer = OfferedChallenges(by: party, in: fields)
        return received(status: status, fields: fields, body: body, offer: offer, nonces: .fresh)
    }

    /// The same with parsed challenges and given random numbers.
    package mutating func received(
        status: Int,
        fields: HTTPFields,
        body: ExchangeBody = .notAvailable,
        offer: OfferedChallenges,
        nonces: ExchangeNonces
    ) -> ExchangeStep {
        guard !hasEnded, !isWaiting else { return .fail(.outOfOrder) }
        guard status == party.status else { return ended(by: finished(fields, body, offer, nonces)) }
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
            scheme = .atWork
            defer { scheme = .digest(digest) }
            let step = digest.received(offer.challenges(of: name), party: party, nonces: nonces)
            return ended(by: step, sendingPassword: true)
        case .ntlm(var ntlm):
            scheme = .atWork
            defer { scheme = .ntlm(ntlm) }
            let closes = !hasSentPassword && challenge?.token68 != nil && party.closesConnection(fields)
            let step = ntlm.received(challenge, party: party, nonces: nonces)
            // AUTHENTICATE would have no connection to go out on. A CHALLENGE that cannot be read is worse, so it has been read.
            if closes, ntlm.hasSentPassword { return ended(by: .fail(.connectionCloses)) }
            return ended(by: step, sendingPassword: ntlm.hasSentPassword)
        case .negotiate(var negotiate):
            scheme = .atWork
            defer { scheme = .negotiate(negotiate) }
            let closes = !hasSentPassword && challenge?.token68 != nil && party.closesConnection(fields)
            let step = negotiate.received(challenge, party: party, nonces: nonces, closesConnection: closes)
            return ended(by: step, sendingPassword: negotiate.hasSentPassword)
        case .bearer(var bearer):
            defer { scheme = .bearer(bearer) }
            return ended(by: bearer.received(challenge, fields, by: party), sendingPassword: true)
        case .atWork:
            return ended(by: .fail(.outOfOrder))
        }
    }

    /// Takes what ``ExchangeStep/needs(_:)`` asked for, and returns the next step.
    public mutating func supplied(_ supply: SchemeSupply) -> ExchangeStep {
        guard isWaiting, !hasEnded else { return .fail(.outOfOrder) }
        isWaiting = false
        switch scheme {
        case .negotiate(var negotiate):
            scheme = .atWork
            defer { scheme = .negotiate(negotiate) }
            let step = negotiate.supplied(supply, for: party)
            return ended(by: step, sendingPassword: negotiate.hasSentPassword)
        case .basic, .bearer, .digest, .ntlm, .atWork: return ended(by: .fail(.outOfOrder))
        }
    }

    /// The session for answers in advance that follows an accepted Digest answer.
    ///
    /// `nil` for other schemes, before ``received(status:fields:body:)`` has returned ``ExchangeStep/done``, and the second time,
    /// because two sessions with one nonce would count alike and look like replays.
    public mutating func takeDigestSession() -> DigestSession? {
        guard name == .digest, case .digest(var digest) = scheme else { return nil }
        scheme = .atWork
        defer { scheme = .digest(digest) }
        return digest.takeSession(party: party)
    }

    private mutating func finished(
        _ fields: HTTPFields,
        _ body: ExchangeBody,
        _ offer: OfferedChallenges,
        _ nonces: ExchangeNonces
    ) -> ExchangeStep {
        switch scheme {
        case .digest(var digest):
            scheme = .atWork
            defer { scheme = .digest(digest) }
            return digest.finished(fields: fields, body: body, party: party)
        case .negotiate(var negotiate):
            scheme = .atWork
            defer { scheme = .negotiate(negotiate) }
            return negotiate.finished(offer.firstChallenge(of: name), fields, party: party, nonces: nonces)
        case .basic, .bearer, .ntlm, .atWork: return .done
        }
    }

    private mutating func ended(
        by step: consuming ExchangeStep,
        sendingPassword: Bool = false
    ) -> ExchangeStep {
        switch step {
        case .send: (hasAnswered, hasSentPassword) = (true, sendingPassword)
        case .needs: isWaiting = true
        case .done, .fail: hasEnded = true
        }
        return step
    }
}

internal import HTTPTypes
internal import NTLM
internal import Negotiate
internal import WireFormat

/// Negotiate in HTTP fields (RFC 4559): tokens of SPNEGO, with Kerberos or NTLM in them.
struct NegotiateExchange: Sendable {
    /// What the exchange is made from. A class, so that the exchange stays small.
    final class Choice: Sendable {
        /// NTLM, if the account has a password or its hash.
        let ntlm: NTLMAccount?
        let service: String
        let binding: ChannelBindings?
        let rules: NegotiateRules
        let principal: String?
        let tickets: TicketSource

        init(
            ntlm: NTLMAccount?,
            rules: NegotiateRules,
            principal: String?,
            tickets: TicketSource,
            host: String,
            binding: ChannelBindings?
        ) {
            self.ntlm = ntlm
            self.principal = principal
            self.tickets = tickets
            service = "HTTP/\(host)"
            self.binding = binding
            self.rules = rules
        }

        var options: ClientHandshake.Options {
            var options = ClientHandshake.Options()
            options.targetName = service
            options.channelBindings = binding
            return options
        }
    }

    private let choice: Choice
    /// `nil` before the first token, and after the change to NTLM without a frame.
    private var negotiation: ClientNegotiation?
    /// NTLM without a frame, for a party that does not understand SPNEGO.
    private var raw: NTLMExchange?
    /// Whether the KDC is asked with the password. It is not counted as sent: the source of messages sends a password that was refused
    /// once, also after requests that were given up.
    private var asksKDC = false
    /// Whether the KDC has accepted the password.
    private(set) var isPasswordProven = false

    init(_ choice: Choice) { self.choice = choice }

    /// Whether the last token depends on the password.
    var hasSentPassword: Bool { raw?.hasSentPassword ?? negotiation?.hasSentPassword ?? false }

    /// Whether the party can decide after the last token, so that it goes out with the body.
    var mayBeLast: Bool { hasSentPassword || raw == nil && negotiation?.mechanism != .ntlm }

    /// Takes a challenge.
    ///
    /// - Parameters:
    ///   - challenge: the party's challenge of this scheme; `nil` for none.
    ///   - party: who sent it.
    ///   - nonces: random numbers and the time.
    ///   - closesConnection: whether the party closes the connection after a message that needs an answer there.
    mutating func received(
        _ challenge: Challenge?,
        party: ChallengedParty,
        nonces: ExchangeNonces,
        closesConnection: Bool
    ) -> ExchangeStep {
        let sentPassword = hasSentPassword
        let bytes = challenge?.token68.flatMap { try? Base64.decode($0) }
        // RFC 4178 section 4.2.2: a reject ends the negotiation, so nothing more is sent. A server may send it in its first challenge, in
        // reply to NTLM without a frame, or with `Connection: close`.
        if let bytes, ResponseMessage.isRejection(bytes.span) {
            return .fail(sentPassword ? .refused : .negotiation(.rejected))
        }
        if raw != nil {
            let step = raw?.received(challenge, party: party, nonces: nonces) ?? .fail(.outOfOrder)
            return closesConnection && hasSentPassword ? .fail(.connectionCloses) : step
        }
        guard let challenge, challenge.parameters.isEmpty else {
            if sentPassword { return .fail(.refused) }
            return .fail(challenge == nil ? .notOffered : .malformedChallenge)
        }
        guard challenge.token68 != nil else { return receivedOffer(by: party) }
        // The first challenge has no token (RFC 4559 section 4.1).
        guard negotiation != nil else { return .fail(.malformedChallenge) }
        guard let bytes else { return .fail(.malformedChallenge) }
        switch step(bytes, isFinal: false, nonces) {
        // The next message would have no connection to go out on.
        case .success(.send) where closesConnection: return .fail(.connectionCloses)
        case .success(.send(let value)): return send(value, party, sameConnection: true)
        // A challenge that accepts the client: it may not see the page.
        case .success(.completed): return .fail(sentPassword ? .refused : .negotiation(.rejected))
        case .failure(let failure): return .fail(Self.failure(failure))
        }
    }

    /// Takes an offer without a token: the first one, or a refusal.
    private mutating func receivedOffer(by party: ChallengedParty) -> ExchangeStep {
        guard let negotiation else {
            guard choice.rules.usesKerberos else { return begin(with: nil, party) }
            let data = choice.binding?.applicationData
            if case .password = choice.tickets { asksKDC = true }
            let need = SystemMessageNeed(
                service: choice.service,
                principal: choice.principal,
                tickets: choice.tickets,
                delegates: choice.rules.delegates,
                channelBinding: data
            )
            return .needs(need)
        }
        if hasSentPassword { return .fail(.refused) }
        guard negotiation.isUnanswered, negotiation.mechanism == .ntlm, let account = choice.ntlm else {
            return .fail(negotiation.mechanism == .ntlm ? .handshakeLost : .negotiation(.rejected))
        }
        // The party does not understand SPNEGO, or has lost the connection. No password has been sent.
        self.negotiation = nil
        var raw = NTLMExchange(account: account, options: choice.options, as: .negotiate)
        defer { self.raw = raw }
        return raw.start(party: party)
    }

    /// Takes the first message of Kerberos.
    mutating func supplied(_ supply: SchemeSupply, for party: ChallengedParty) -> ExchangeStep {
        let askedKDC = asksKDC
        asksKDC = false
        switch supply {
        case .message(let message):
            isPasswordProven = askedKDC
            return begin(with: message, party)
        case .unavailable: return choice.ntlm == nil ? .fail(.needNotMet) : begin(with: nil, party)
        case .failed(let reason): return choice.ntlm == nil ? .fail(.needFailed(reason)) : begin(with: nil, party)
        case .passwordRefused: return .fail(.refused)
        }
    }

    private mutating func begin(with message: SystemMessage?, _ party: ChallengedParty) -> ExchangeStep {
        let ntlm = choice.ntlm.map { NTLMInitiator(account: $0, options: choice.options) }
        var started: ClientNegotiation
        if let message {
            started = ClientNegotiation(kerberos: SystemInitiator(message), ntlm: ntlm)
        } else {
            guard let ntlm else { return .fail(.needNotMet) }
            started = ClientNegotiation(ntlm: ntlm)
        }
        let value = started.start()
        negotiation = started
        // The first token begins the negotiation, so any connection is allowed.
        return send(value, party, sameConnection: false)
    }

    /// Takes a response that is not a challenge, with the last token of the party.
    ///
    /// - Parameter challenge: what the party's challenge field has.
    mutating func finished(
        _ challenge: Challenge?,
        _ fields: HTTPFields,
        party: ChallengedParty,
        nonces: ExchangeNonces
    ) -> ExchangeStep {
        guard negotiation != nil else { return .done }
        let result: Result<Void, MechanismFailure>
        if let token = challenge?.token68 ?? Self.token(in: fields, of: party) {
            guard let bytes = try? Base64.decode(token) else { return .fail(.malformedChallenge) }
            result = step(bytes, isFinal: true, nonces).flatMap {
                $0 == .completed ? .success(()) : .failure(.negotiation(.unfinished))
            }
        } else {
            result = Result { () throws(MechanismFailure) in try negotiation?.finished() }
        }
        if case .failure(let failure) = result { return .fail(Self.failure(failure)) }
        if choice.rules.demandsServerProof, let negotiation, negotiation.mechanism != .ntlm, !negotiation.isServerProven
        {
            return .fail(.negotiation(.serverNotProven))
        }
        return .done
    }

    /// The token in the field with which Squid proves itself.
    private static func token(in fields: HTTPFields, of party: ChallengedParty) -> Substring? {
        guard let value = fields[party.informationField] else { return nil }
        return (try? ChallengeParser.parse(value))?.first { $0.scheme == .negotiate }?.token68
    }

    private mutating func step(
        _ bytes: [UInt8],
        isFinal: Bool,
        _ nonces: ExchangeNonces
    ) -> Result<ClientNegotiation.Reply, MechanismFailure> {
        let input = MechanismInput(now: nonces.time, nonces: nonces.ntlm)
        return Result { () throws(MechanismFailure) in
            guard let reply = try negotiation?.received(bytes.span, isFinal: isFinal, input) else {
                throw .negotiation(.wrongStep)
            }
            return reply
        }
    }

    private static func failure(_ failure: MechanismFailure) -> ExchangeFailure {
        switch failure {
        case .negotiation(let error): .negotiation(error)
        case .ntlm(.domainRequired(let target)): .domainRequired(target: target)
        case .ntlm(let error): .handshake(error)
        }
    }

    private func send(_ value: String, _ party: ChallengedParty, sameConnection: Bool) -> ExchangeStep {
        .send(field: party.answerField, value: AuthorizationValue(value), sameConnection: sameConnection)
    }
}

internal import HTTPTypes
internal import NTLM
internal import WireFormat

/// NTLM in HTTP fields (MS-NTHT): three messages on one connection.
struct NTLMExchange: Sendable {
    private enum Stage { case idle, negotiateSent, authenticateSent }

    private var handshake: ClientHandshake
    private var stage = Stage.idle
    /// Scheme and space before each message.
    private let prefix: StaticString

    /// - Parameter scheme: the name in the fields.
    init(account: NTLMAccount, request: ExchangeRequest, binding: ChannelBindings?, as scheme: AuthenticationScheme) {
        var options = ClientHandshake.Options()
        options.targetName = "HTTP/\(request.host)"
        options.channelBindings = binding
        self.init(account: account, options: options, as: scheme)
    }

    init(account: NTLMAccount, options: ClientHandshake.Options, as scheme: AuthenticationScheme) {
        prefix = scheme == .negotiate ? "Negotiate " : "NTLM "
        handshake = ClientHandshake(account: account, options: options)
    }

    /// Whether AUTHENTICATE was sent, the only message that depends on the password.
    var hasSentPassword: Bool { stage == .authenticateSent }

    /// NEGOTIATE does not depend on the account, so the first request can carry it.
    mutating func start(party: ChallengedParty) -> ExchangeStep {
        stage = .negotiateSent
        let negotiate = handshake.negotiate()
        // NEGOTIATE starts the handshake, so any connection is allowed. ISA sends its offer with `Connection: close`.
        return send("\(prefix)" + Base64.encode(negotiate.span), party, sameConnection: false)
    }

    mutating func received(
        _ challenge: Challenge?,
        party: ChallengedParty,
        nonces: ExchangeNonces
    ) -> ExchangeStep {
        // After a refused AUTHENTICATE the party offers NTLM again, or does not offer it at all.
        guard !hasSentPassword else { return .fail(.refused) }
        guard let challenge else { return .fail(.notOffered) }
        guard challenge.parameters.isEmpty else { return .fail(.malformedChallenge) }
        guard let token = challenge.token68 else {
            // An offer without a token after NEGOTIATE: the party refuses NTLM, or the connection was not kept.
            return stage == .idle ? start(party: party) : .fail(.handshakeLost)
        }
        // The first challenge has no token (RFC 4559 section 4.1, MS-NTHT section 3.2.5.1).
        guard stage == .negotiateSent else { return .fail(.malformedChallenge) }
        guard let message = try? Base64.decode(token) else { return .fail(.malformedChallenge) }
        do throws(HandshakeError) {
            let authenticate = try handshake.authenticateBase64(
                challenge: message.span,
                now: nonces.time,
                nonces: nonces.ntlm,
                prefix: prefix
            )
            stage = .authenticateSent
            return send(authenticate, party, sameConnection: true)
        } catch {
            if case .domainRequired(let target) = error { return .fail(.domainRequired(target: target)) }
            return .fail(.handshake(error))
        }
    }

    private func send(_ value: String, _ party: ChallengedParty, sameConnection: Bool) -> ExchangeStep {
        .send(field: party.answerField, value: AuthorizationValue(value), sameConnection: sameConnection)
    }
}

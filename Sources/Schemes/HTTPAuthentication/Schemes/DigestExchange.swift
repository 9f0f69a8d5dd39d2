internal import HTTPTypes

/// The Digest scheme (RFC 7616).
struct DigestExchange: Sendable {
    private let credential: PasswordCredential
    private let request: ExchangeRequest
    private let rules: DigestRules
    private var template: DigestTemplate?
    private var proof: DigestProof?
    private var staleNonces = 0
    private var nextNonce: String?
    /// Whether a response came that was no challenge, and no session was taken yet.
    private var isAccepted = false

    init(credential: PasswordCredential, request: ExchangeRequest, rules: DigestRules) {
        self.credential = credential
        self.request = request
        self.rules = rules
    }

    mutating func received(
        _ challenges: [Challenge],
        party: ChallengedParty,
        nonces: ExchangeNonces
    ) -> ExchangeStep {
        do throws(ExchangeFailure) {
            if template != nil {
                // Section 3.3: stale means that the nonce was the reason, not the password. It is followed a bounded number
                // of times, or a server could loop us.
                guard challenges.contains(where: DigestChallenge.isStale) else { return .fail(.refused) }
                guard staleNonces < DigestLimits.staleNonces else { return .fail(.staleAgain) }
                staleNonces += 1
            }
            let challenge = try DigestChallenge.strongest(of: challenges, rules: rules, body: request.body)
            if let template { try challenge.check(isNoWeakerThan: template.challenge) }
            let clientNonce = nonces.digestClientNonce()
            let key = DigestKey(challenge, credential, clientNonce: clientNonce)
            var template = try DigestTemplate(challenge, user: credential.user, key: key, clientNonce: clientNonce)
            let answer = try template.answer(
                method: request.method,
                target: request.target,
                body: request.body,
                nonceCount: 1
            )
            self.template = template
            proof = answer.proof
            return .send(field: party.answerField, value: answer.value, sameConnection: false)
        } catch {
            return .fail(error)
        }
    }

    /// Checks the server's proof (section 3.5).
    mutating func finished(fields: HTTPFields, body: ExchangeBody, party: ChallengedParty) -> ExchangeStep {
        guard let proof else { return .done }
        do throws(ExchangeFailure) {
            let information = try DigestInformation.read(fields, from: party)
            try proof.check(information, body: body, rules: rules)
            nextNonce = information?.nextNonce
            isAccepted = true
            return .done
        } catch {
            return .fail(error)
        }
    }

    /// The session that follows an accepted answer, once.
    mutating func takeSession(party: ChallengedParty) -> DigestSession? {
        guard isAccepted, let template else { return nil }
        isAccepted = false
        var session = DigestSession(
            party: party,
            user: credential.user,
            rules: rules,
            origin: request.origin,
            template: template,
            answerCount: 1
        )
        if let nextNonce { session.tryUsing(nextNonce: nextNonce) }
        return session
    }
}

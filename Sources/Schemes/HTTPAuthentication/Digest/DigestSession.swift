public import HTTPTypes

/// Digest answers in advance: for requests after the first one, without waiting for a challenge.
///
/// ``AuthenticationExchange/takeDigestSession()`` makes it from an exchange whose answer was accepted. It holds the nonce, the
/// count of answers with it, and H(A1) instead of the password. Keep it under a lock: each answer must have its own count,
/// or the server takes it for a replay. It cannot be copied for the same reason.
///
/// A session serves one party, user and realm. Pass it the response to each request that carried one of its answers.
public struct DigestSession: ~Copyable, Sendable {
    /// What the response to an answer in advance means.
    public enum Step: Equatable, Sendable {
        /// The party does not challenge; the response is the answer to the request.
        case done
        /// The nonce was stale, and the session has a newer one: answer and send the request again. Pass the stale answer on, because
        /// a request is answered again ``DigestLimits/staleNonces`` times.
        case answerAgain
        /// The party asks anew: pass this response to an ``AuthenticationExchange`` for the request. The session can still be
        /// used, because a refusal may concern this request only.
        case challenged
        /// The party asks for another realm, and may have judged the password of the answer. Go on as after ``otherNonce``.
        case otherRealm
        /// The party asks with another nonce than that of the answer, and does not call that one stale. It may have lost the nonce, or it
        /// may have refused the password, because servers such as lighttpd send a new nonce with each challenge. Go on as after
        /// ``challenged``, one request at a time: the answer to the new nonce decides.
        case otherNonce
        /// The response cannot be trusted. The session has ended if ``DigestSession/hasEnded`` says so.
        case fail(ExchangeFailure)
    }

    /// The party that challenges.
    public let party: ChallengedParty
    /// Whether the session gives no more answers.
    public private(set) var hasEnded = false
    private let user: String
    private let rules: DigestRules
    private let space: DigestDomain
    private var template: DigestTemplate
    /// Answers with the current nonce.
    private var answerCount: UInt32
    /// Nonces in a row that the party called stale.
    private var staleNonces = 0
    /// Nonces in a row that the party did not know any more, or asked for another realm than theirs, and did not call stale.
    package private(set) var lostNonces = 0
    /// The last nonce that was lost. Many requests may have carried it.
    private var lostNonce: String?

    /// - Parameter answerCount: the answers that were sent with the nonce of `challenge`.
    init(
        party: ChallengedParty,
        user: String,
        rules: DigestRules,
        origin: String?,
        template: DigestTemplate,
        answerCount: UInt32
    ) {
        self.party = party
        self.user = user
        self.rules = rules
        self.template = template
        self.answerCount = answerCount
        space = DigestDomain(domain: template.challenge.domain, party: party, origin: origin)
    }

    /// Takes over how many nonces the party has lost in the session before it.
    package mutating func follow(lostNonces count: Int) { lostNonces = count }

    /// Continues with the `nextnonce` of the response to the first answer. One that cannot be written is ignored.
    mutating func tryUsing(nextNonce: String, nonces: ExchangeNonces = .fresh) {
        try? use(nextNonce: nextNonce, nonces)
    }

    /// Whether a request with `target`, in the form in which it is sent, belongs to the protection space.
    ///
    /// The space is what `domain` names on the origin, or all of the party without `domain` (RFC 7616 section 3.3).
    public borrowing func covers(target: String) -> Bool { space.contains(target) }

    /// The answer for a request.
    ///
    /// - Parameters:
    ///   - method: the request method, as sent.
    ///   - target: the request target, as sent.
    ///   - body: the body of the request; needed only if the party offers nothing but `qop=auth-int`.
    ///   - stale: after ``Step/answerAgain``, the answer that the request carried before.
    /// - Complexity: the two hashes of RFC 7616 section 3.4.1; one allocation.
    public mutating func answer(
        method: String,
        target: String,
        body: ExchangeBody = .notAvailable,
        after stale: DigestAnswer? = nil
    ) throws(ExchangeFailure) -> DigestAnswer {
        guard !hasEnded else { throw .outOfOrder }
        guard answerCount < DigestLimits.answersPerNonce else { throw .nonceExhausted }
        var answer = try template.answer(method: method, target: target, body: body, nonceCount: answerCount + 1)
        answerCount += 1
        if let stale { answer.repetition = stale.repetition + 1 }
        return answer
    }

    /// Counts as if `count` answers were sent with the nonce; for tests of the bound.
    package mutating func skipAnswers(to count: UInt32) { answerCount = count }

    /// Takes the response to a request that carried `answer`.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - fields: the header fields; only the party's challenge and information fields are read.
    ///   - answer: what the request carried.
    ///   - body: the body of the response, which the server's proof covers with `qop=auth-int`.
    public mutating func received(
        status: Int,
        fields: HTTPFields,
        to answer: DigestAnswer,
        body: ExchangeBody = .notAvailable
    ) -> Step {
        received(status: status, fields: fields, to: answer, body: body, nonces: .fresh)
    }

    /// The same with given random numbers.
    package mutating func received(
        status: Int,
        fields: HTTPFields,
        to answer: DigestAnswer,
        body: ExchangeBody = .notAvailable,
        nonces: ExchangeNonces
    ) -> Step {
        do throws(ExchangeFailure) {
            if status == party.status { return try challenged(fields, answer, nonces) }
            do throws(ExchangeFailure) {
                let information = try DigestInformation.read(fields, from: party)
                try answer.proof.check(information, body: body, rules: rules)
                staleNonces = 0
                if isCurrent(answer) { lostNonces = 0 }
                if let nonce = information?.nextNonce, isCurrent(answer) { tryUsing(nextNonce: nonce, nonces: nonces) }
                return .done
            } catch {
                // Another party answers in place of the one that knows the password.
                hasEnded = true
                throw error
            }
        } catch {
            return .fail(error)
        }
    }

    private mutating func challenged(
        _ fields: HTTPFields,
        _ answer: DigestAnswer,
        _ nonces: ExchangeNonces
    ) throws(ExchangeFailure) -> Step {
        let offer = OfferedChallenges(by: party, in: fields)
        let challenges = offer.challenges(of: .digest)
        guard challenges.contains(where: DigestChallenge.isStale) else { return notStale(challenges, answer) }
        // An answer that was on its way when the session ended.
        guard !hasEnded else { return .challenged }
        if let line = offer.unreadableLine(mayOffer: .digest) { throw .unreadable(line) }
        // Parallel requests may reach the server in another order than their counts, which Squid calls stale. An exchange takes
        // the nonce of this response for itself, so the session does not.
        guard answer.repetition < DigestLimits.staleNonces else { return .challenged }
        // A response to an older nonce: the session has a newer one already.
        guard isCurrent(answer) else { return .answerAgain }
        guard staleNonces < DigestLimits.staleNoncesOfSession else {
            hasEnded = true
            return .challenged
        }
        // The body is judged when the request is answered again.
        let challenge = try DigestChallenge.strongest(of: challenges, rules: rules, body: .none)
        try challenge.check(isNoWeakerThan: template.challenge)
        // Another hash function or encoding needs the password, which the session does not have.
        guard challenge.algorithm.hash == template.challenge.algorithm.hash,
            challenge.algorithm.isSession == template.challenge.algorithm.isSession
        else { return .challenged }
        let clientNonce = nonces.digestClientNonce()
        try use(challenge, template.terms.key.bound(to: challenge, clientNonce: clientNonce), clientNonce)
        staleNonces += 1
        return .answerAgain
    }

    /// What challenges mean of which none says that the nonce is stale.
    ///
    /// Section 3.3 lets them refuse the password, whatever the nonce. Servers send them for nonces that they have used up or that another
    /// server of their name knows, with and without `stale=false`, and also if they prove themselves or called another nonce stale before.
    /// Therefore only the nonce of the answer itself is a refusal.
    private mutating func notStale(_ challenges: [Challenge], _ answer: DigestAnswer) -> Step {
        guard !challenges.isEmpty else { return .challenged }
        let realm = template.challenge.encoding.bytes(of: template.challenge.realm)
        let ofRealm = challenges.filter { $0["realm"].map($0.encoding.bytes) == realm }
        let judged = answer.proof.terms.challenge
        let nonce = judged.encoding.bytes(of: judged.nonce)
        if ofRealm.contains(where: { $0["nonce"].map($0.encoding.bytes) == nonce }) { return .challenged }
        if isCurrent(answer), lostNonce != judged.nonce {
            lostNonce = judged.nonce
            lostNonces += 1
        }
        return ofRealm.isEmpty ? .otherRealm : .otherNonce
    }

    /// Whether the answer has the current nonce.
    private borrowing func isCurrent(_ answer: DigestAnswer) -> Bool {
        answer.proof.terms.challenge.nonce == template.challenge.nonce
    }

    /// Section 3.5: the next request uses `nextnonce`, with its own count.
    ///
    /// A session algorithm keeps its key, because A1 is bound to the first nonce and client nonce after a challenge (section
    /// 3.4.2). It keeps the client nonce too, because servers that compute A1 again read it from the answer.
    private mutating func use(nextNonce: String, _ nonces: ExchangeNonces) throws(ExchangeFailure) {
        var challenge = template.challenge
        guard nextNonce != challenge.nonce else { return }
        // In Latin-1 the nonce has one character for each byte; others cannot be repeated.
        guard challenge.encoding == .utf8 || nextNonce.utf8.allSatisfy({ $0 < 0x80 }) else { return }
        challenge.nonce = nextNonce
        let clientNonce = challenge.algorithm.isSession ? template.terms.clientNonce : nonces.digestClientNonce()
        try use(challenge, template.terms.key, clientNonce)
    }

    private mutating func use(
        _ challenge: DigestChallenge,
        _ key: DigestKey,
        _ clientNonce: String
    ) throws(ExchangeFailure) {
        template = try DigestTemplate(challenge, user: user, key: key, clientNonce: clientNonce)
        answerCount = 0
    }
}

internal import HTTPAuthentication
public import HTTPTypes
internal import NTLM
internal import Negotiate
internal import Secrets

/// The requests of one connection of a client.
///
/// Basic and Digest authenticate a request, Negotiate and NTLM the connection: after their log-on, requests without an answer belong
/// to the same client.
public struct ClientConnection: Sendable {
    /// What Negotiate and NTLM know of the connection.
    enum Handshake {
        case none
        /// SPNEGO has chosen NTLM, whose first message is due.
        case chosen(ServerNegotiation)
        case challenged(ServerHandshake, NTLMFrame)
        /// The ticket of Kerberos was right, and the client's code over the list of mechanisms is due.
        case proving(ServerNegotiation, any SystemKeys, AuthenticatedClientName)
        case done(AuthenticatedClientName)
    }

    let authenticator: ClientAuthenticator
    private let address: String?
    private let isEncrypted: Bool
    let isPinned: Bool
    /// What NTLM and Kerberos compare the client's channel binding with.
    let bindings: ServerHandshake.BindingPolicy
    var handshake = Handshake.none
    /// The account that has logged on by this connection: a stranger who guesses at it from the same address does not end the connection.
    private var knownAccount: String?

    init(
        _ authenticator: ClientAuthenticator,
        address: String?,
        isEncrypted: Bool,
        isPinned: Bool,
        bindings: ServerHandshake.BindingPolicy
    ) {
        self.authenticator = authenticator
        self.bindings = bindings
        self.address = address
        self.isEncrypted = isEncrypted
        self.isPinned = isPinned
    }

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - target: the target as the request line has it.
    ///   - fields: the fields of the request.
    public mutating func received(method: String, target: String, fields: HTTPFields) -> ClientStep {
        let answers = fields[values: authenticator.options.party.answerField]
        guard let answer = answers.first else {
            if case .done(let client) = handshake { return .accept(ClientAcceptance(client: client, fields: [:])) }
            handshake = .none
            return .refuse(challenge(.unanswered))
        }
        // Two answers could mean two clients to two readers.
        guard answers.count == 1, let parsed = try? ChallengeParser.parse(answer), parsed.count == 1 else {
            handshake = .none
            return .refuse(authenticator.refusal(400, .unreadable))
        }
        switch parsed[0].scheme {
        case .ntlm: return receivedNTLM(parsed[0])
        case .negotiate: return receivedNegotiate(parsed[0])
        default: break
        }
        // Another answer speaks for its own request; it does not end the log-on of the connection.
        switch handshake {
        case .chosen, .challenged, .proving: handshake = .none
        case .none, .done: break
        }
        switch parsed[0].scheme {
        case .basic: return receivedBasic(parsed[0])
        case .digest: return receivedDigest(parsed[0], method: method, target: target)
        default: return .refuse(challenge(.unreadable))
        }
    }

    /// Takes the directory's reply; `nil` if it gave none.
    public mutating func replied(_ reply: ClientReply?, to question: ClientQuestion) -> ClientStep {
        switch question.subject {
        case .account(let question): return replied(reply, to: question)
        case .ticket(let question):
            guard case .ticket(let judgement) = reply?.content else { return noReply() }
            return repliedTicket(judgement, question)
        }
    }

    private mutating func replied(_ reply: ClientReply?, to question: AccountQuestion) -> ClientStep {
        guard let reply else {
            question.attempt.end(isRight: nil)
            return noReply()
        }
        switch (question.proof, reply.content) {
        case (.password, .isRight(let isRight)): return end(question, isRight, .basic)
        case (.digest(let signed), .secret(let secret)): return repliedDigest(secret, question, signed)
        case (.ntlm(_, let message), .judgement(let judgement)): return repliedNTLM(judgement, question, message)
        case (_, .tooMany(let limit)):
            handshake = .none
            return .refuse(tooManyGuesses(question.name, limit))
        default: return noReply()
        }
    }

    private mutating func noReply() -> ClientStep {
        handshake = .none
        return .refuse(authenticator.refusal(503, .noReply, retryAfter: 1))
    }

    // MARK: - Basic

    private func receivedBasic(_ answer: Challenge) -> ClientStep {
        guard isOffered(.basic), let token = answer.token68, let credentials = BasicCredentials(token) else {
            return .refuse(challenge(.unreadable))
        }
        return ask(credentials.name, .password(credentials.password))
    }

    // MARK: - Digest

    private func receivedDigest(_ answer: Challenge, method: String, target: String) -> ClientStep {
        guard let credentials = DigestCredentials(answer),
            let scheme = credentials.scheme, isOffered(scheme),
            credentials.realm == authenticator.options.realm, credentials.covers(target)
        else { return .refuse(challenge(.unreadable)) }
        // Without asking the directory, because a client that makes nonces of its own must not learn about passwords. Stale
        // lets clients of the process before this one come again without asking their user.
        guard let nonce = authenticator.nonces.read(credentials.nonce) else {
            return .refuse(challenge(.unreadable, isStale: true))
        }
        let signed = SignedRequest(credentials: credentials, method: method, nonce: nonce)
        return ask(ClientName(credentials.name), .digest(signed))
    }

    private mutating func repliedDigest(_ secret: ClientSecret?, _ question: AccountQuestion, _ signed: SignedRequest)
        -> ClientStep
    {
        let credentials = signed.credentials
        var (key, isKnown) = credentials.key(secret)
        defer { erase(&key) }
        let isRight = credentials.isRight(key, method: signed.method)
        guard isKnown, isRight else { return end(question, false, .digest) }
        let now = authenticator.clock()
        let age = now.seconds(from: signed.nonce.issued)
        guard age < authenticator.options.nonceSeconds, authenticator.counts.use(credentials.count, of: signed.nonce)
        else {
            question.attempt.end(isRight: nil)
            return .refuse(challenge(.stale(question.name), isStale: true))
        }
        var proof = "rspauth=\"\(String(decoding: credentials.response(key, method: ""), as: UTF8.self))\", qop=auth"
        proof += ", cnonce=\"\(Self.escaped(credentials.clientNonce))\", nc=\(credentials.countDigits)"
        if age >= authenticator.options.nonceSeconds / 2 {
            proof += ", nextnonce=\"\(authenticator.nonces.make(now: now))\""
        }
        var fields = HTTPFields()
        fields[authenticator.options.party.informationField] = proof
        return end(question, true, .digest, fields)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    // MARK: - Asking and ending

    func isOffered(_ scheme: ClientScheme) -> Bool {
        authenticator.isOffered(scheme, isEncrypted: isEncrypted, isPinned: isPinned)
    }

    func ask(_ name: ClientName, _ proof: AccountQuestion.Proof) -> ClientStep {
        guard name.isUsable else { return .refuse(challenge(.unreadable)) }
        let name = authenticator.directory.canonical(name)
        let guess = GuessLimits.Guess(
            account: name.account,
            address: address,
            isOnKnownConnection: isPinned && knownAccount == name.account
        )
        switch authenticator.limits.admit(guess) {
        case .success(let attempt):
            return .ask(ClientQuestion(.account(AccountQuestion(name: name, proof: proof, attempt: attempt))))
        case .failure(let limit): return .refuse(tooManyGuesses(name, limit))
        }
    }

    private func tooManyGuesses(_ name: ClientName, _ limit: TooManyGuesses) -> ClientRefusal {
        authenticator.refusal(429, .tooManyGuesses(name), retryAfter: limit.seconds)
    }

    /// Ends the attempt of a question.
    mutating func settle(_ question: AccountQuestion, isRight: Bool) {
        question.attempt.end(isRight: isRight)
        knownAccount = isRight ? question.name.account : nil
    }

    mutating func end(
        _ question: AccountQuestion,
        _ isRight: Bool,
        _ scheme: AuthenticationScheme,
        _ fields: HTTPFields = [:]
    ) -> ClientStep {
        settle(question, isRight: isRight)
        guard isRight else { return .refuse(challenge(.wrong(question.name))) }
        let client = AuthenticatedClientName(name: question.name, scheme: scheme, isBoundToChannel: false)
        return .accept(ClientAcceptance(client: client, fields: fields))
    }

    func challenge(_ reason: ClientRefusal.Reason, isStale: Bool = false) -> ClientRefusal {
        refusal(authenticator.challenges(isStale: isStale, isEncrypted: isEncrypted, isPinned: isPinned), reason)
    }

    func refusal(_ challenges: [String], _ reason: ClientRefusal.Reason) -> ClientRefusal {
        let party = authenticator.options.party
        var fields = HTTPFields()
        for challenge in challenges { fields.append(HTTPField(name: party.challengeField, value: challenge)) }
        return ClientRefusal(status: party.status, fields: fields, reason: reason)
    }
}

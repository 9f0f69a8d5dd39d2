internal import HTTPAuthentication
public import HTTPTypes
internal import NTLM
internal import Secrets
internal import WireFormat

/// The requests of one connection of a client.
///
/// Basic and Digest authenticate a request, NTLM the connection: after an NTLM log-on, requests without an answer belong to the
/// same client.
public struct ClientConnection: Sendable {
    /// What NTLM knows of the connection.
    private enum Handshake {
        case none
        case challenged(ServerHandshake)
        case done(AuthenticatedClientName)
    }

    private let authenticator: ClientAuthenticator
    private let address: String?
    private let isEncrypted: Bool
    private let isPinned: Bool
    private var handshake = Handshake.none

    init(_ authenticator: ClientAuthenticator, address: String?, isEncrypted: Bool, isPinned: Bool) {
        self.authenticator = authenticator
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
        if parsed[0].scheme == .ntlm { return receivedNTLM(parsed[0]) }
        // Another answer than NTLM speaks for its own request; it does not end the log-on of the connection.
        if case .challenged = handshake { handshake = .none }
        switch parsed[0].scheme {
        case .basic: return receivedBasic(parsed[0])
        case .digest: return receivedDigest(parsed[0], method: method, target: target)
        default: return .refuse(challenge(.unreadable))
        }
    }

    /// Takes the directory's reply; `nil` if it gave none.
    public mutating func replied(_ reply: ClientReply?, to question: ClientQuestion) -> ClientStep {
        guard let reply else {
            question.attempt.end(isRight: nil)
            handshake = .none
            return .refuse(authenticator.refusal(503, .noReply, retryAfter: 1))
        }
        switch (question.proof, reply.content) {
        case (.password, .isRight(let isRight)): return end(question, isRight, .basic)
        case (.digest(let signed), .secret(let secret)): return repliedDigest(secret, question, signed)
        case (.ntlm(let message), .secret(let secret)): return repliedNTLM(secret, question, message)
        case (_, .tooMany(let limit)):
            handshake = .none
            return .refuse(tooManyGuesses(question.name, limit))
        default: return .refuse(authenticator.refusal(503, .noReply, retryAfter: 1))
        }
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

    private func repliedDigest(_ secret: ClientSecret?, _ question: ClientQuestion, _ signed: SignedRequest)
        -> ClientStep
    {
        let credentials = signed.credentials
        let known = secret?.password
        var key = credentials.key(known ?? ClientSecret.standInPassword)
        defer { erase(&key) }
        let isRight = credentials.isRight(key, method: signed.method)
        guard known != nil, isRight else { return end(question, false, .digest) }
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
        if let name = authenticator.options.party.informationField { fields[name] = proof }
        return end(question, true, .digest, fields)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    // MARK: - NTLM

    private mutating func receivedNTLM(_ answer: Challenge) -> ClientStep {
        let before = handshake
        handshake = .none
        guard isOffered(.ntlm), let token = answer.token68, let message = try? Base64.decode(token) else {
            return .refuse(challenge(.unreadable))
        }
        do throws(ServerHandshakeError) {
            if !ServerHandshake.isAuthenticate(message.span) {
                var fresh = ServerHandshake(options: authenticator.options.ntlm)
                let reply = try fresh.challenge(to: message.span, now: authenticator.clock())
                handshake = .challenged(fresh)
                return .refuse(refusal(["NTLM " + Base64.encode(reply.span)], .unanswered))
            }
            guard case .challenged = before else { throw .wrongStep }
            let name = try ServerHandshake.claimedName(in: message.span)
            handshake = before
            return ask(ClientName(user: name.user, domain: name.domain), .ntlm(authenticate: message))
        } catch {
            return .refuse(challenge(.ntlm(error)))
        }
    }

    private mutating func repliedNTLM(
        _ secret: ClientSecret?,
        _ question: ClientQuestion,
        _ message: [UInt8]
    ) -> ClientStep {
        guard case .challenged(var running) = handshake else { return .refuse(challenge(.ntlm(.wrongStep))) }
        handshake = .none
        let hash = secret?.ntHash
        do throws(ServerHandshakeError) {
            let client = try running.verify(authenticate: message.span, now: authenticator.clock()) { user, domain in
                ClientName(user: user, domain: domain) == question.name ? hash : nil
            }
            question.attempt.end(isRight: true)
            let accepted = AuthenticatedClientName(
                name: question.name,
                scheme: .ntlm,
                isBoundToChannel: client.isBoundToChannel
            )
            handshake = .done(accepted)
            return .accept(ClientAcceptance(client: accepted, fields: [:]))
        } catch .rejected {
            return end(question, false, .ntlm)
        } catch {
            question.attempt.end(isRight: nil)
            return .refuse(challenge(.ntlm(error)))
        }
    }

    // MARK: - Asking and ending

    private func isOffered(_ scheme: ClientScheme) -> Bool {
        authenticator.isOffered(scheme, isEncrypted: isEncrypted, isPinned: isPinned)
    }

    private func ask(_ name: ClientName, _ proof: ClientQuestion.Proof) -> ClientStep {
        guard name.isUsable else { return .refuse(challenge(.unreadable)) }
        switch authenticator.limits.admit(GuessLimits.Guess(account: name.account, address: address)) {
        case .success(let attempt): return .ask(ClientQuestion(name: name, proof: proof, attempt: attempt))
        case .failure(let limit): return .refuse(tooManyGuesses(name, limit))
        }
    }

    private func tooManyGuesses(_ name: ClientName, _ limit: TooManyGuesses) -> ClientRefusal {
        authenticator.refusal(429, .tooManyGuesses(name), retryAfter: limit.seconds)
    }

    private func end(
        _ question: ClientQuestion,
        _ isRight: Bool,
        _ scheme: AuthenticationScheme,
        _ fields: HTTPFields = [:]
    ) -> ClientStep {
        question.attempt.end(isRight: isRight)
        guard isRight else { return .refuse(challenge(.wrong(question.name))) }
        let client = AuthenticatedClientName(name: question.name, scheme: scheme, isBoundToChannel: false)
        return .accept(ClientAcceptance(client: client, fields: fields))
    }

    private func challenge(_ reason: ClientRefusal.Reason, isStale: Bool = false) -> ClientRefusal {
        refusal(authenticator.challenges(isStale: isStale, isEncrypted: isEncrypted, isPinned: isPinned), reason)
    }

    private func refusal(_ challenges: [String], _ reason: ClientRefusal.Reason) -> ClientRefusal {
        let party = authenticator.options.party
        var fields = HTTPFields()
        for challenge in challenges { fields.append(HTTPField(name: party.challengeField, value: challenge)) }
        return ClientRefusal(status: party.status, fields: fields, reason: reason)
    }
}

internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames

/// The authentication of one request at one party.
struct PartyAuthentication: ~Copyable {
    private(set) var exchange: ChallengeExchange
    private(set) var advance: AdvanceAnswer?
    /// The space whose token goes out in advance. It has no attempt, so that it needs no object.
    private(set) var token: KnownSpace?
    /// The last answer to a challenge.
    private(set) var answer: ChallengeAnswer?
    /// What the next send carries.
    private var next = Next.nothing
    private var answersInAdvance: Bool
    /// Whether a handshake was lost with its connection.
    private var hasLostHandshake = false
    /// Whether the party has authenticated the connection, so that the next send belongs on it.
    private(set) var holdsConnection = false
    /// Whether the next message must not go out on the connection of the last response.
    private var needsFreshConnection = false
    /// A message of Kerberos that is on its way.
    private var fetch: MessageFetch?
    /// Whether the party has accepted an answer of this request.
    private var hasAccepted = false
    /// Whether the party has had the token once more, with its nonce in the proof.
    private var hasSentNonce = false
    /// Why the last message of Kerberos is missing, until it is reported.
    private var obstacle: String?

    private enum Next { case nothing, answer, advance, token }

    var handler: ChallengeHandler { exchange.handler }
    var request: ChallengedRequest { exchange.request }

    init(_ handler: ChallengeHandler, _ request: ChallengedRequest, answersInAdvance: Bool) {
        exchange = handler.exchange(for: request)
        self.answersInAdvance = answersInAdvance
    }

    /// Prepares the next send: with an answer in advance, if no other answer is due and the space is known.
    ///
    /// - Parameters:
    ///   - turn: from an earlier call for the same send.
    ///   - companion: the attempt of the same request at its other party.
    /// - Returns: a turn if the send must wait.
    mutating func prepare(
        after turn: AttemptTurn? = nil,
        besides companion: PasswordBudget.Companion?
    ) -> AttemptTurn? {
        // A request that waited for another one's attempt, and asks again without its connection, may profit by that one's success.
        guard answersInAdvance, next == .nothing, exchange.state.isFresh || exchange.isOnlyWaiting else { return nil }
        if let known = exchange.handler.knownParty(of: exchange.request) {
            if known.token != nil, known.space.covers(exchange.request) {
                (token, next) = (known.token, .token)
                return nil
            }
            return prepare(known.prepared, known.space, known, after: turn, besides: companion)
        }
        guard let prepared = handler.preparedAccount(for: request),
            let space = handler.memory.space(of: request, account: prepared.number)
                ?? handler.firstSpace(of: request, prepared)
        else { return nil }
        return prepare(prepared, space, nil, after: turn, besides: companion)
    }

    private mutating func prepare(
        _ prepared: PreparedAccount,
        _ space: KnownSpace,
        _ known: KnownParty?,
        after turn: AttemptTurn?,
        besides companion: PasswordBudget.Companion?
    ) -> AttemptTurn? {
        guard space.covers(request) else { return nil }
        if exchange.isOnlyWaiting {
            guard case .whileProven = space.advance, let attempt = attemptWhileProven(prepared, known) else {
                return nil
            }
            exchange.stopWaiting()
            answer(request, of: space, attempt)
            return nil
        }
        if !prepared.isCounted, space.repeatsAnswer {
            (token, next) = (space, .token)
            return nil
        }
        // What the party has accepted for this request is said again with each of its sends: otherwise proxy and origin would be asked in
        // turns for ever.
        if !hasAccepted {
            switch space.advance {
            case .never: return nil
            case .whileProven:
                guard let attempt = attemptWhileProven(prepared, known) else { return nil }
                answer(request, of: space, attempt)
                return nil
            case .always: break
            }
        }
        // Mostly the party has just accepted it, and nothing has to be asked.
        if turn == nil, prepared.isCounted, let attempt = attemptWhileProven(prepared, known) {
            answer(request, of: space, attempt)
            return nil
        }
        switch prepared.attempt(request, after: turn, besides: companion) {
        case .wait(let next): return next
        case .refused: return nil
        case .withheld: return nil
        case .accountPaused: return nil
        case .resultUnknown: return nil
        case .go(let attempt):
            answer(request, of: space, attempt)
            return nil
        }
    }

    private func attemptWhileProven(_ prepared: PreparedAccount, _ known: KnownParty?) -> PasswordBudget.Attempt? {
        guard let known else { return prepared.attemptWhileProven(request) }
        return handler.attemptWhileProven(known, at: request, path: request.withheldPath)
    }

    /// Answers in advance, if the space can.
    private mutating func answer(
        _ request: ChallengedRequest,
        of space: KnownSpace,
        _ attempt: consuming PasswordBudget.Attempt
    ) {
        advance = space.answer(request, attempt)
        next = advance == nil ? .nothing : .advance
    }

    /// `answer` went out before this value was made.
    mutating func hasSent(_ answer: AdvanceAnswer) {
        if answer.isToken { token = answer.space } else { advance = answer }
    }

    /// Names the attempt that is under way, for one of the same request at its other party; `nil` if there is none.
    var companion: PasswordBudget.Companion? { advance?.companion ?? exchange.state.running?.companion }

    /// Whether the next send carries a field.
    var hasField: Bool { next != .nothing }

    /// The field for this send; `nil` if the party needs none. A field is sent once.
    mutating func takeField() -> HTTPField? {
        defer { next = .nothing }
        return switch next {
        case .nothing: nil
        case .answer: answer?.httpField
        case .advance: advance?.takeField()
        case .token: token?.repeatedField
        }
    }

    /// The field for this send as all that it adds; `nil` if it is made for this request. The caller makes sure that nothing else is due.
    mutating func takeRepeated() -> AddedFields? {
        let added: AddedFields? =
            switch next {
            case .nothing, .answer: nil
            case .advance: advance?.takeRepeated()
            case .token: token?.repeatedAlone
            }
        if case .some = added { next = .nothing }
        return added
    }

    /// The proof that goes with the field for this send; `nil` for one that is bound to no key.
    var proof: ProofField? { handler.compiled.provesKeys ? proofOfKey : nil }

    private var proofOfKey: ProofField? {
        switch next {
        case .nothing, .advance: return nil
        case .answer: return exchange.state.running?.prepared.keys.bound?.proof(for: request)
        case .token: return token?.bound?.proof(for: request)
        }
    }

    /// Whether a handshake is under way that authenticates its connection.
    var isBindingConnection: Bool { exchange.state.running?.scheme.isConnectionBound ?? false }

    /// Why the request fails if its connection is closed now; `nil` if no handshake is under way.
    var closedInHandshake: Refusal? {
        guard let running = exchange.state.running, running.scheme.isConnectionBound else { return nil }
        return handler.refusal(.closedInHandshake(running.scheme.name), running.prepared.account)
    }

    /// Whether the request waits for another one's attempt, or nothing has judged its own attempt in advance.
    var waitsForAttempt: Bool {
        if case .waiting = exchange.state { true } else { false }
    }

    /// Whether an exchange has sent an answer whose response is due.
    var isRunning: Bool { exchange.state.running != nil }

    /// Takes a response.
    ///
    /// - Parameter isSpent: whether the body has left and cannot be sent again.
    mutating func received(
        status: Int,
        fields: HTTPFields,
        on connection: ConnectionTraits,
        nonces: ExchangeNonces,
        isSpent: Bool
    ) -> Step {
        if let fetch = fetch.take() {
            obstacle = fetch.obstacle
            return step(after: exchange.supplied(fetch.supply))
        }
        if token != nil, let space = token.take() {
            if let step = received(status: status, fields: fields, toTokenOf: space) { return step }
        } else if let sent = advance.take(),
            let step = received(status: status, fields: fields, to: sent, isSpent: isSpent)
        {
            return step
        }
        if hasLostHandshake, request.origin.scheme == .https, exchange.state.running == nil {
            // The party closes connections in mid-handshake: prefer a scheme that needs none. Not over plain http, where
            // anyone on the path could close them.
            var shared = connection
            shared.canPin = false
            let decision = exchange.received(status: status, fields: fields, on: shared, nonces: nonces)
            guard case .withhold(.connectionShared) = decision else { return step(after: decision) }
        }
        let before = exchange.state.running?.scheme
        let provesKeys = handler.compiled.provesKeys
        // Before, because the response may end the exchange, and afterwards, because it may begin one.
        if provesKeys { keepNonce(of: fields) }
        let decision = exchange.received(status: status, fields: fields, on: connection, nonces: nonces)
        if provesKeys { keepNonce(of: fields) }
        // What a declined handshake has left of the connection's state is not known.
        if case .answer = decision, let before, before.isConnectionBound, before !== exchange.state.running?.scheme {
            needsFreshConnection = true
        }
        return step(after: decision)
    }

    /// Keeps the nonce of a response for the proofs of the exchange.
    private func keepNonce(of fields: HTTPFields) {
        exchange.state.running?.prepared.keys.bound?.receivedNonce(in: fields, of: request)
    }

    /// Why a message of Kerberos is missing; `nil` if it was asked for before.
    mutating func takeObstacle() -> String? { obstacle.take() }

    /// Takes what ``Step/needs(_:)`` asked for.
    mutating func supplied(_ supply: SchemeSupply) -> Step { step(after: exchange.supplied(supply)) }

    private mutating func step(after decision: ChallengeDecision) -> Step {
        switch decision {
        case .answer(let answer):
            (self.answer, next) = (answer, .answer)
            defer { needsFreshConnection = false }
            let connection: RequestSending.Connection =
                answer.sameConnection ? .same : needsFreshConnection ? .new : .any
            return .answer(on: connection, isLast: exchange.mayBeLast)
        case .wait(let turn): return .wait(turn)
        case .needs(let need):
            guard let source = handler.compiled.profile.kerberos else { return .needs(need) }
            let fetch = MessageFetch(need, from: source)
            self.fetch = fetch
            return .wait(fetch.turn)
        case .withhold(let refusal): return .withhold(refusal)
        case .notChallenged: return .passed
        case .accepted:
            hasAccepted = true
            remember()
            return .passed
        }
    }

    /// The last answer has not reached the party: the proxy refused the send, or nothing was sent.
    ///
    /// The attempt ends as unsent, because the proxy may need the same password; otherwise the request would wait for itself. The
    /// party asks again, or is answered in advance again.
    mutating func wasNotSent() {
        if let lost = advance.take() {
            lost.settle(.unsent)
        } else if token != nil {
            token = nil
        } else if let running = exchange.state.running {
            running.settle(.unsent)
            exchange = handler.exchange(for: request)
        }
        fetch = nil
        next = .nothing
    }

    /// The request waits for no other one any more.
    mutating func stopWaiting() {
        // An answer that waits for a message of Kerberos holds up the others.
        guard waitsForAttempt else { return wasNotSent() }
        exchange.stopWaiting()
    }

    /// Whether the response to the last send may tell whether the password is right. An answer in advance with a password that the party has
    /// just accepted is not in doubt.
    var awaitsVerdict: Bool {
        advance?.isInDoubt ?? exchange.state.running?.hasSentPassword ?? false
    }

    /// The sender has ended the request before the party had all of it, so that no response but a refusal could come, and none did.
    mutating func brokenOff() {
        if let sent = advance.take() { return sent.settle(.inconclusive) }
        guard let running = exchange.state.running else { return }
        running.settle(running.hasSentPassword ? .inconclusive : .unsent)
    }

    /// Forgets a handshake that its connection has lost, so that the request can begin anew.
    mutating func restart() {
        exchange = handler.exchange(for: request)
        fetch = nil
        next = .nothing
        holdsConnection = false
        hasLostHandshake = true
    }

    /// The result of an answer in advance; `nil` if an exchange must go on with the response.
    private mutating func received(status: Int, fields: HTTPFields, to sent: AdvanceAnswer, isSpent: Bool) -> Step? {
        switch sent.space.received(status: status, fields: fields, to: sent.digest) {
        case .answerAgain:
            guard let attempt = sent.takeAttempt() else { return nil }
            advance = sent.space.answer(request, attempt, after: sent.digest)
            next = advance == nil ? .nothing : .advance
            return advance == nil ? nil : .answer(on: .any, isLast: true)
        case .fail(let failure):
            sent.settle(.inconclusive)
            return .withhold(.exchangeFailed(account: handler.accountName(for: request), failure))
        case .done:
            hasAccepted = true
            sent.settle(AttemptResult(status: status, from: request.party, isPassedOn: request.isPassedOn))
            return .passed
        case .staleAgain:
            // Other requests use up the nonces of the session, as at an Apache that takes each once and knows the session by `opaque`. A
            // send without an answer begins another one.
            sent.settle(.inconclusive)
            forgetSpace()
            answersInAdvance = false
            return .answer(on: .any, isLast: true)
        case .asksAnew:
            forgetSpace()
            return leftOpen(sent, isSpent: isSpent)
        case .unjudged: return leftOpen(sent, isSpent: isSpent)
        case .refused:
            // The party refused what it had accepted: this path, or the password.
            sent.settle(.refused)
            // The next request begins with a challenge: a server that lost its nonces answers like this too.
            if sent.digest != nil { forgetSpace() }
            return .withhold(refusal)
        }
    }

    /// The party refused the password, or lost the nonce, or takes other schemes now: the next answer decides. After a body that is gone it
    /// is that of the next request, which is not sent in advance.
    private mutating func leftOpen(_ sent: AdvanceAnswer, isSpent: Bool) -> Step? {
        let attempt = sent.companion
        sent.settle(.unjudged)
        if isSpent { return .withhold(.bodySpent) }
        if let attempt { exchange.wasUnjudged(attempt) }
        return nil
    }

    private mutating func received(status: Int, fields: HTTPFields, toTokenOf space: KnownSpace) -> Step? {
        if let bound = space.bound, bound.receivedNonce(in: fields, of: request), status == request.party.status,
            !hasSentNonce, OfferedChallenges(by: request.party, in: fields).challenges.contains(where: \.wantsNonce)
        {
            // RFC 9449 section 9: the server has judged no token yet.
            (hasSentNonce, token, next) = (true, space, .token)
            return .answer(on: .any, isLast: true)
        }
        switch space.received(status: status, fields: fields, to: nil) {
        case .done: return .passed
        case .refused: return .withhold(refusal)
        case .asksAnew, .unjudged, .answerAgain, .staleAgain, .fail:
            forgetSpace()
            return nil
        }
    }

    /// The party refuses the secret of the account.
    private var refusal: Refusal {
        let account = handler.preparedAccount(for: request)?.account
        return account.map { handler.refusal(.refused, $0) } ?? .credentialsRefused(account: "")
    }

    private func forgetSpace() {
        guard let prepared = handler.preparedAccount(for: request) else { return }
        handler.memory.forget(request, account: prepared.number)
        handler.parties.forget(request)
    }

    /// Keeps what the party accepted, for the requests that follow.
    private mutating func remember() {
        holdsConnection = exchange.hasAuthenticatedConnection
        // The password that was accepted, which another one may have replaced meanwhile.
        guard let (space, number) = exchange.takeSpace() else { return }
        if let known = handler.memory.space(of: request, account: number) {
            if let value = space.basicValue, known.extend(basic: value, at: request.requestPath) { return }
            space.follow(known)
        }
        handler.remember(space, of: request, account: number)
    }
}

public import AllowedSites
internal import Credentials
public import HTTPAuthentication
public import HTTPTypes
internal import Hostnames

extension ChallengeHandler {
    /// The first check: the verdict that forbids credentials for a party that challenges with `status`; `nil` if the
    /// party may receive them, or does not challenge.
    @usableFromInline
    func denial(of request: ChallengedRequest, status: Int) -> SiteVerdict? {
        guard status == request.party.status else { return nil }
        let verdict = sites.verdict(for: request.origin, path: request.path)
        return verdict.isAllowed ? nil : verdict
    }

    /// All other checks, for a response that ``denial(of:status:)`` does not refuse, or for a running exchange.
    @usableFromInline
    func decide(
        _ request: ChallengedRequest,
        _ state: inout ExchangeState,
        status: Int,
        fields: HTTPFields,
        on connection: ConnectionTraits,
        nonces: ExchangeNonces
    ) -> ChallengeDecision {
        guard request.isAnswered(finallyBy: status) else { return .notChallenged }
        if let running = state.running {
            return goOn(request, running, &state, status, fields, connection, nonces)
        }
        guard status == request.party.status else { return .notChallenged }
        guard request.canBeChallengedByItsParty else { return .withhold(.notAProxyRequest) }
        let offer = OfferedChallenges(by: request.party, in: fields)
        guard let account = compiled.accounts.assignment(for: request.origin, path: request.path) else {
            return .withhold(offersKnownScheme(offer) ? .noCredential : .noSupportedScheme)
        }
        let response = Response(status: status, fields: fields, offer: offer, connection: connection, nonces: nonces)
        return begin(request, &state, preparedAccount(at: account), response)
    }

    /// A response with what was read from it.
    struct Response {
        let status: Int
        let fields: HTTPFields
        let offer: OfferedChallenges
        let connection: ConnectionTraits
        let nonces: ExchangeNonces
    }

    private func offersKnownScheme(_ offer: OfferedChallenges) -> Bool {
        compiled.schemes.contains { offer.includes($0.name) || offer.unreadableLine(mayOffer: $0.name) != nil }
    }

    /// Tries the offered schemes in the account's order. ``SchemeSuccessor`` says what follows one that cannot begin.
    ///
    /// - Parameters:
    ///   - declined: the schemes that the party has declined before it saw a password.
    ///   - strength: the least strength of a scheme.
    func begin(
        _ request: ChallengedRequest,
        _ state: inout ExchangeState,
        _ prepared: PreparedAccount,
        _ response: Response,
        after declined: [SchemeFailure] = [],
        noWeakerThan strength: Int = 0
    ) -> ChallengeDecision {
        let choice = SchemeChoice(schemes: prepared.schemes, offer: response.offer, declined: declined)
        let chosen = choice.first(noWeakerThan: strength) { obstacle(to: $0, request, prepared, response) }
        let downgrade = downgrade(request, prepared, choice, chosen, response.fields)
        if let downgrade {
            // A line that cannot be read may hold the stronger offer.
            if case .failure(.malformedChallenge(let line)) = chosen { return .withhold(.malformedChallenge(line)) }
            return .withhold(downgrade)
        }
        let scheme: AnswerableScheme
        switch chosen {
        case .failure(let refusal): return .withhold(refusal)
        case .success(let index): scheme = prepared.schemes[index]
        }
        let trial: Trial
        var name: String { prepared.account.name }
        switch prepared.attempt(request, after: state.takeTurn()) {
        case .refused: return .withhold(.budgetSpent(account: name))
        case .withheld(let end, let isDoubted):
            return .withhold(.pathWithheld(account: name, prepared.wait(end), isDoubted: isDoubted))
        case .accountPaused(let end): return .withhold(.accountPaused(account: name, prepared.wait(end)))
        case .resultUnknown(let end): return .withhold(.resultUnknown(account: name, prepared.wait(end)))
        case .wait(let next):
            state = .waiting(next)
            return .wait(next)
        case .go(let attempt): trial = firstMessage(of: scheme, attempt, request, &state, prepared, response, declined)
        }
        // The attempt of a failed scheme has ended before the next one begins; otherwise that would wait for it.
        switch trial {
        case .decided(let decision): return decision
        case .failed(let reason):
            let successor = reason.successor(isConnectionBound: scheme.isConnectionBound)
            guard successor != .none else { return .withhold(refusal(reason, prepared.account)) }
            let least = successor == .notWeaker ? max(strength, scheme.strength) : strength
            return goOn(after: reason, of: scheme, noWeakerThan: least, prepared, declined, &state, request, response)
        }
    }

    /// What became of a scheme that the lock-out budget let begin.
    private enum Trial {
        case decided(ChallengeDecision)
        /// It sent no answer; another scheme may follow.
        case failed(ExchangeFailure)
    }

    /// Lets `scheme` read the challenge. An attempt whose answer is not sent ends when this returns.
    @inline(__always)
    private func firstMessage(
        of scheme: AnswerableScheme,
        _ attempt: consuming PasswordBudget.Attempt,
        _ request: ChallengedRequest,
        _ state: inout ExchangeState,
        _ prepared: PreparedAccount,
        _ response: Response,
        _ declined: [SchemeFailure]
    ) -> Trial {
        let (binding, use) = channelBinding(for: scheme, request, response.connection)
        if case .unbound(let gap) = use, !prepared.mayStayUnbound(gap, response.connection) {
            return .decided(.withhold(.unbound(account: prepared.account.name, gap)))
        }
        var exchange = scheme.exchange(SchemeInput(account: prepared.forSchemes, request: request, binding: binding))
        let connection = response.connection.id
        let leaf = use == .bound ? response.connection.leaf(of: request) : nil
        let step = exchange.received(
            status: response.status,
            fields: response.fields,
            offer: response.offer,
            nonces: response.nonces
        )
        switch consume step {
        case .send(let field, let value, let sameConnection):
            let kept = sameConnection ? connection : nil
            state = .running(RunningExchange(exchange, prepared, attempt, use, leaf, scheme, value, kept, declined))
            let answer = ChallengeAnswer(
                field: field,
                value: value,
                account: prepared.account.name,
                sameConnection: sameConnection,
                channelBinding: use
            )
            return .decided(.answer(answer))
        case .needs(let need):
            let running = RunningExchange(exchange, prepared, attempt, use, leaf, scheme, nil, connection, declined)
            running.unanswered = response
            state = .running(running)
            return .decided(.needs(need))
        case .done: return .decided(.accepted)
        case .fail(let reason): return .failed(reason)
        }
    }
}

extension ChallengedRequest {
    /// Whether a response is the party's final response. Interim responses are not, and a challenge of a proxy is not a
    /// response of the origin.
    fileprivate func isAnswered(finallyBy status: Int) -> Bool {
        (status >= 200 || status == 101) && (party == .proxy || status != ChallengedParty.proxy.status)
    }
}

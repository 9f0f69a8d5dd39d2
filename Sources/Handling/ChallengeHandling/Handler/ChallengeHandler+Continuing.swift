internal import Credentials
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames

extension ChallengeHandler {
    /// Passes the next response to the running exchange.
    func goOn(
        _ request: ChallengedRequest,
        _ current: RunningExchange,
        _ state: inout ExchangeState,
        _ status: Int,
        _ fields: HTTPFields,
        _ connection: ConnectionTraits,
        _ nonces: ExchangeNonces
    ) -> ChallengeDecision {
        state = .fresh
        let account = current.prepared.account
        let offer = OfferedChallenges(by: request.party, in: fields)
        let hasSentPassword = current.hasSentPassword
        guard current.continues(on: connection), !connection.followsLostHandshake else {
            current.settle(hasSentPassword ? .inconclusive : .unsent)
            return .withhold(
                refusal(
                    connection.followsLostHandshake ? .closedInHandshake(current.scheme.name) : .connectionChanged,
                    account
                )
            )
        }
        // The first message of a handshake may have gone out on another connection than the challenge came on.
        guard hasSentPassword || !current.scheme.isConnectionBound || connection.canPin else {
            current.settle(.unsent)
            return .withhold(.connectionShared(current.scheme.name))
        }
        let step = current.exchange.received(status: status, fields: fields, offer: offer, nonces: nonces)
        return decide(after: step, of: current, &state, request, status: status, on: connection.id) {
            Response(status: status, fields: fields, offer: offer, connection: connection, nonces: nonces)
        }
    }

    /// Passes what the scheme needed to the running exchange.
    func supply(
        _ supply: SchemeSupply,
        _ request: ChallengedRequest,
        _ state: inout ExchangeState
    ) -> ChallengeDecision {
        guard let current = state.running else { return .withhold(.exchangeFailed(account: "", .outOfOrder)) }
        state = .fresh
        let step = current.exchange.supplied(supply)
        let status = request.party.status
        return decide(after: step, of: current, &state, request, status: status, on: current.connection) {
            current.unanswered
        }
    }

    /// The decision that follows from a step of the running exchange.
    ///
    /// - Parameter response: the response that the step answers, or `nil` if it is not known any more. Only a declined scheme needs it.
    private func decide(
        after step: consuming ExchangeStep,
        of current: RunningExchange,
        _ state: inout ExchangeState,
        _ request: ChallengedRequest,
        status: Int,
        on connection: UInt64?,
        _ response: () -> Response?
    ) -> ChallengeDecision {
        let account = current.prepared.account
        let hasSentPassword = current.hasSentPassword
        switch consume step {
        case .send(let field, let value, let sameConnection):
            current.sent(value, on: sameConnection ? connection : nil)
            state = .running(current)
            return .answer(
                ChallengeAnswer(
                    field: field,
                    value: value,
                    account: account.name,
                    sameConnection: sameConnection,
                    channelBinding: current.channelBinding
                )
            )
        case .needs(let need):
            state = .running(current)
            return .needs(need)
        case .done:
            // A server may accept a NEGOTIATE alone, which does not show whether the password is right.
            let result = AttemptResult(status: status, from: request.party, isPassedOn: request.isPassedOn)
            let isProven = hasSentPassword || account.credential.isTicket || current.exchange.isPasswordProven
            current.settle(isProven ? result : .unsent)
            if result == .accepted {
                if current.scheme.isConnectionBound {
                    offers.recordAccepted(current.scheme.strength, by: request.partyHash)
                }
                state = .accepted(current)
            }
            return .accepted
        case .fail(let failure):
            current.failed(failure, isChallenged: status == request.party.status)
            let successor = failure.successor(isConnectionBound: current.scheme.isConnectionBound)
            guard successor != .none, !hasSentPassword, status == request.party.status, let response = response() else {
                return .withhold(refusal(failure, account, after: current.declined))
            }
            return goOn(
                after: failure,
                of: current.scheme,
                noWeakerThan: successor == .notWeaker ? current.scheme.strength : 0,
                current.prepared,
                current.declined,
                &state,
                request,
                response
            )
        }
    }

    /// Goes on with the next of the account's schemes, after one has failed before the party saw a password.
    ///
    /// Over plain http a party gets nothing weaker than what it has accepted before: somebody on the path could decline that.
    ///
    /// - Parameters:
    ///   - failure: why the scheme has failed.
    ///   - scheme: the scheme.
    ///   - strength: the least strength of the next one.
    ///   - prepared: the account.
    ///   - earlier: the schemes that have failed before.
    ///   - state: where the exchange stands.
    ///   - request: the request.
    ///   - response: the response that the next scheme answers.
    func goOn(
        after failure: ExchangeFailure,
        of scheme: AnswerableScheme,
        noWeakerThan strength: Int,
        _ prepared: PreparedAccount,
        _ earlier: [SchemeFailure],
        _ state: inout ExchangeState,
        _ request: ChallengedRequest,
        _ response: Response
    ) -> ChallengeDecision {
        let account = prepared.account
        let reason = refusal(failure, account)
        let declined = earlier + [SchemeFailure(scheme: scheme.name, reason: reason)]
        let isAuthentic = request.origin.scheme == .https || prepared.assignment.allowsDowngrade
        let weakest = isAuthentic ? 0 : offers.accepted(by: request.partyHash)
        let decision = begin(request, &state, prepared, response, after: declined, noWeakerThan: max(weakest, strength))
        guard case .withhold(let last) = decision else { return decision }
        return .withhold(.schemesFailed(account: account.name, declined, last: last))
    }

    func refusal(
        _ failure: ExchangeFailure,
        _ account: Account,
        after declined: [SchemeFailure] = []
    ) -> Refusal {
        switch failure {
        case .refused where account.credential.token != nil: .tokenRefused(account: account.name, after: declined)
        case .refused: .credentialsRefused(account: account.name, after: declined)
        case .domainRequired(let target): .domainRequired(account: account.name, target: target)
        default: .exchangeFailed(account: account.name, failure)
        }
    }
}

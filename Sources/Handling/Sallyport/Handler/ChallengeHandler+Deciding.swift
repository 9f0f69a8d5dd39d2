public import AllowedSites
internal import Credentials
public import HTTPAuthentication
public import HTTPTypes
internal import Hostnames
internal import NTLM

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
        _ running: inout RunningExchange?,
        status: Int,
        fields: HTTPFields,
        nonces: ExchangeNonces
    ) -> ChallengeDecision {
        guard request.isAnswered(finallyBy: status) else { return .notChallenged }
        if running != nil { return goOn(request, &running, status, fields, nonces) }
        guard status == request.party.status else { return .notChallenged }
        let offer = OfferedChallenges(by: request.party, in: fields)
        guard let preferred = offer.preferredIndex(among: schemes) else {
            for scheme in schemes {
                if let line = offer.unreadableLine(mayOffer: scheme) { return .withhold(.malformedChallenge(line)) }
            }
            let isEmpty = offer.count == 0 && offer.unreadable.isEmpty
            return .withhold(isEmpty ? .malformedChallenge(nil) : .noSupportedScheme)
        }
        guard let account = accountTable.assignment(for: request.origin, path: request.path) else {
            return .withhold(.noCredential)
        }
        return begin(
            request,
            &running,
            preparedAccount(at: account),
            from: preferred,
            status,
            fields,
            offer,
            nonces
        )
    }

    /// Tries the offered schemes in the profile's order, from `preferred` on. An *unsupported* challenge leads to the
    /// next scheme; a defective one ends the exchange.
    private func begin(
        _ request: ChallengedRequest,
        _ running: inout RunningExchange?,
        _ prepared: PreparedAccount,
        from preferred: Int,
        _ status: Int,
        _ fields: HTTPFields,
        _ offer: OfferedChallenges,
        _ nonces: ExchangeNonces
    ) -> ChallengeDecision {
        var index = preferred
        while true {
            if let line = offer.unreadableLine(mayOutrank: index, of: schemes) {
                return .withhold(.malformedChallenge(line))
            }
            switch prepared.budget.attempt(request.place, version: prepared.version) {
            case .spent: return .withhold(.budgetSpent(account: prepared.account.name))
            case .attemptInFlight: return .withhold(.attemptInFlight(account: prepared.account.name))
            case .go(let attempt):
                let (binding, bindingUse) = channelBinding(for: schemes[index], request)
                var exchange = exchange(schemes[index], prepared, request, binding)
                let step = exchange.received(status: status, fields: fields, offer: offer, nonces: nonces)
                switch consume step {
                case .send(let field, let value, let sameConnection):
                    running = RunningExchange(exchange, prepared, attempt, bindingUse)
                    return .answer(
                        ChallengeAnswer(
                            field: field,
                            value: value,
                            account: prepared.account.name,
                            sameConnection: sameConnection,
                            channelBinding: bindingUse
                        )
                    )
                case .done: return .accepted
                case .fail(let failure):
                    // No answer was sent, so the attempt is released at the end of its scope.
                    guard case .unsupported = failure,
                        let next = offer.preferredIndex(among: schemes, from: index + 1)
                    else { return .withhold(refusal(failure, prepared.account)) }
                    index = next
                }
            }
        }
    }

    // Inlined, because an exchange is large and a call would copy it once more.
    @inline(__always)
    private func exchange(
        _ scheme: AuthenticationScheme,
        _ prepared: PreparedAccount,
        _ request: ChallengedRequest,
        _ binding: ChannelBindings?
    ) -> AuthenticationExchange {
        if scheme == .basic { return .basic(PasswordCredential(prepared.account), party: request.party) }
        let described = ExchangeRequest(method: request.method, target: request.target, host: request.host)
        guard scheme == .ntlm else {
            return .digest(PasswordCredential(prepared.account), party: request.party, request: described)
        }
        return .ntlm(prepared.ntlm, party: request.party, request: described, binding: binding)
    }

    /// The channel binding for an answer of `scheme`, and its description for the caller.
    private func channelBinding(
        for scheme: AuthenticationScheme,
        _ request: ChallengedRequest
    ) -> (ChannelBindings?, ChannelBindingUse) {
        guard scheme == .ntlm else { return (nil, .notApplicable) }
        guard let certificate = request.serverCertificate else {
            return (nil, request.origin.scheme == .https ? .unbound(.noCertificate) : .notApplicable)
        }
        do throws(ChannelBindingUse.Gap) {
            return (try ServerEndPoint.binding(certificate: certificate), .bound)
        } catch {
            return (nil, .unbound(error))
        }
    }

    /// Passes the next response to the running exchange.
    private func goOn(
        _ request: ChallengedRequest,
        _ running: inout RunningExchange?,
        _ status: Int,
        _ fields: HTTPFields,
        _ nonces: ExchangeNonces
    ) -> ChallengeDecision {
        guard var current = running else { return .notChallenged }
        running = nil
        if !isKnownUniquelyReferenced(&current) { current = RunningExchange(copying: current) }
        let account = current.prepared.account
        let offer = OfferedChallenges(by: request.party, in: fields)
        let hasSentPassword = current.exchange.hasSentPassword
        let step = current.exchange.received(status: status, fields: fields, offer: offer, nonces: nonces)
        switch consume step {
        case .send(let field, let value, let sameConnection):
            running = current
            return .answer(
                ChallengeAnswer(
                    field: field,
                    value: value,
                    account: account.name,
                    sameConnection: sameConnection,
                    channelBinding: current.channelBinding
                )
            )
        case .done:
            // The password is proven only by a success after it was sent, because a server may accept a NEGOTIATE
            // alone, and an error does not tell.
            let isAccepted = hasSentPassword && (status < 400 || status == ChallengedParty.origin.status)
            current.settle(accepted: isAccepted ? true : nil)
            return .accepted
        case .fail(let failure):
            current.settle(accepted: failure == .refused ? false : nil)
            return .withhold(refusal(failure, account))
        }
    }

    private func refusal(_ failure: ExchangeFailure, _ account: Account) -> Refusal {
        switch failure {
        case .refused: .credentialsRefused(account: account.name)
        case .domainRequired(let target): .domainRequired(account: account.name, target: target)
        default: .exchangeFailed(account: account.name, failure)
        }
    }
}

extension PasswordCredential {
    fileprivate init(_ account: Account) {
        self.init(user: account.qualifiedUser, password: account.password)
    }
}

extension ChallengedRequest {
    /// Whether a response is the party's final response. Interim responses are not, and a challenge of a proxy is not a
    /// response of the origin.
    fileprivate func isAnswered(finallyBy status: Int) -> Bool {
        status >= 200 && (party == .proxy || status != ChallengedParty.proxy.status)
    }
}

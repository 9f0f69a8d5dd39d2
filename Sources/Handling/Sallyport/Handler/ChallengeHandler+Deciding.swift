public import AllowedSites
internal import Credentials
public import HTTPAuthentication
public import HTTPTypes
internal import Hostnames
internal import NTLM

extension ChallengeHandler {
    /// The first step alone: the verdict that keeps credentials from a party which asks for them with `status`; `nil` when
    /// it may receive them, or does not ask.
    @usableFromInline
    func denial(of request: ChallengedRequest, status: Int) -> SiteVerdict? {
        guard status == request.party.status else { return nil }
        let verdict = sites.verdict(for: request.origin, path: request.path)
        return verdict.isAllowed ? nil : verdict
    }

    /// All other steps: what comes after a response that ``denial(of:status:)`` lets pass, or of an exchange that has begun.
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

    /// Tries the profile's schemes that were offered, in order, from `preferred` on; only an *unsupported* challenge leads on
    /// to the next, a defective one does not.
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
                    // Nothing was sent, so the attempt is given back with its scope.
                    guard case .unsupported = failure,
                        let next = offer.preferredIndex(among: schemes, from: index + 1)
                    else { return .withhold(refusal(failure, prepared.account)) }
                    index = next
                }
            }
        }
    }

    // Inlined, since each of the exchanges is large and would be copied once more.
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

    /// The channel binding for an answer of `scheme`, and what the answer says about it.
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

    /// Hands the exchange that has begun its next response.
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
            // Only a success says that the password was right, and only when one was sent: a server may let a
            // NEGOTIATE pass, and an error says nothing.
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
    /// Whether a response is the party's last word on the request: an interim response is not, and what a proxy asks
    /// for itself says nothing about the origin behind it.
    fileprivate func isAnswered(finallyBy status: Int) -> Bool {
        status >= 200 && (party == .proxy || status != ChallengedParty.proxy.status)
    }
}

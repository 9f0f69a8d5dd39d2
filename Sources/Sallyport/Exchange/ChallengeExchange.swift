internal import AllowedSites
internal import Credentials
public import HTTPAuthentication
public import HTTPTypes
internal import Hostnames
internal import NTLM

/// The handler's side of one request: takes each response, says what to send next.
///
/// The steps are always the same: is the site allowed, is a scheme supported, is a credential there, is budget left;
/// only then does a scheme's exchange see the challenge. Dropping the value in the middle gives the budget back.
public struct ChallengeExchange: Sendable {
    /// A scheme's exchange that has begun. Apart, because it is ten times as large as all else, and most decisions have none.
    ///
    /// Unchecked: `exchange` changes only while one value refers to it; a value that shares it takes a copy first.
    private final class Running: @unchecked Sendable {
        var exchange: AuthenticationExchange
        let prepared: ChallengeHandler.PreparedAccount
        /// `nil` in a copy, which shares the attempt of the one it was made from.
        private let attempt: LockoutBudget.Attempt?
        private let original: Running?

        init(
            _ exchange: AuthenticationExchange,
            _ prepared: ChallengeHandler.PreparedAccount,
            _ attempt: consuming LockoutBudget.Attempt
        ) {
            self.exchange = exchange
            self.prepared = prepared
            self.attempt = consume attempt
            original = nil
        }

        init(copying other: Running) {
            exchange = other.exchange
            prepared = other.prepared
            attempt = nil
            original = other.original ?? other
        }

        /// What the party made of the password; `nil` when nothing that proves one was sent, or nothing is known.
        func settle(accepted: Bool?) {
            if let original { return original.settle(accepted: accepted) }
            switch accepted {
            case true?: attempt?.accepted()
            case false?: attempt?.refused()
            case nil: attempt?.released()
            }
        }
    }

    private let handler: ChallengeHandler
    private let request: ChallengedRequest
    private var running: Running?

    init(handler: ChallengeHandler, request: ChallengedRequest) {
        self.handler = handler
        self.request = request
    }

    /// The scheme that is being answered, once one was chosen.
    public var scheme: AuthenticationScheme? { running?.exchange.name }

    /// Takes the response to the request as it was last sent.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - fields: the header fields of the response.
    /// - Returns: what to do next.
    public mutating func received(status: Int, fields: HTTPFields) -> ChallengeDecision {
        if let decision = decisionAtOnce(status: status) { return decision }
        return continued(status, fields, .fresh)
    }

    /// The same with the random numbers and the time of a recording, for replays only.
    package mutating func received(status: Int, fields: HTTPFields, nonces: ExchangeNonces) -> ChallengeDecision {
        if let decision = decisionAtOnce(status: status) { return decision }
        return continued(status, fields, nonces)
    }

    /// What is decided without a look at the fields; `nil` when they must be read.
    private func decisionAtOnce(status: Int) -> ChallengeDecision? {
        guard isFinal(status) else { return .notChallenged }
        guard running == nil else { return nil }
        guard status == request.party.status else { return .notChallenged }
        return handler.siteRefusal(request.origin, path: request.path).map(ChallengeDecision.withhold)
    }

    private mutating func continued(
        _ status: Int,
        _ fields: HTTPFields,
        _ nonces: ExchangeNonces
    ) -> ChallengeDecision {
        let offer = OfferedChallenges(by: request.party, in: fields)
        if running != nil { return next(status, fields, offer, nonces) }
        // What was not understood may have been a stronger offer than the ones that were.
        if let defect = offer.defect { return .withhold(.malformedChallenge(defect)) }
        guard handler.schemes.contains(where: offer.includes) else {
            return .withhold(offer.count == 0 ? .malformedChallenge(nil) : .noSupportedScheme)
        }
        guard let index = handler.accountTable.assignment(for: request.origin, path: request.path) else {
            return .withhold(.noCredential)
        }
        return begin(account: index, status, fields, offer, nonces)
    }

    /// Tries the profile's schemes that were offered, in order; only an *unsupported* challenge leads on to the next, a
    /// defective one does not.
    private mutating func begin(
        account index: Int,
        _ status: Int,
        _ fields: HTTPFields,
        _ offer: OfferedChallenges,
        _ nonces: ExchangeNonces
    ) -> ChallengeDecision {
        let prepared = handler.preparedAccount(at: index)
        var decision = ChallengeDecision.withhold(.noSupportedScheme)
        for scheme in handler.schemes where offer.includes(scheme) {
            switch prepared.budget.attempt(request.place, version: prepared.version) {
            case .spent: return .withhold(.budgetSpent(account: prepared.account.name))
            case .attemptInFlight: return .withhold(.attemptInFlight(account: prepared.account.name))
            case .go(let attempt):
                running = Running(exchange(scheme, prepared), prepared, attempt)
            }
            decision = next(status, fields, offer, nonces)
            guard case .withhold(.exchangeFailed(_, .unsupported)) = decision else { return decision }
        }
        return decision
    }

    private func exchange(
        _ scheme: AuthenticationScheme,
        _ prepared: ChallengeHandler.PreparedAccount
    ) -> AuthenticationExchange {
        let described = ExchangeRequest(method: request.method, target: request.target, host: request.host)
        if scheme == .ntlm {
            let binding = request.serverCertificate.flatMap(ServerEndPoint.binding(certificate:))
            return .ntlm(prepared.ntlm, party: request.party, request: described, binding: binding)
        }
        let credential = PasswordCredential(user: prepared.account.user, password: prepared.account.password)
        guard scheme == .digest else { return .basic(credential, party: request.party) }
        return .digest(credential, party: request.party, request: described)
    }

    private mutating func next(
        _ status: Int,
        _ fields: HTTPFields,
        _ offer: OfferedChallenges,
        _ nonces: ExchangeNonces
    ) -> ChallengeDecision {
        guard var current = running else { return .notChallenged }
        running = nil
        if !isKnownUniquelyReferenced(&current) {
            current = Running(copying: current)
        }
        let account = current.prepared.account.name
        let hasProvenPassword = current.exchange.hasProvenPassword
        let step = current.exchange.received(status: status, fields: fields, offer: offer, nonces: nonces)
        if case .send(let field, let value, let sameConnection) = step {
            running = current
            return .answer(
                ChallengeAnswer(field: field, value: value, account: account, sameConnection: sameConnection)
            )
        }
        guard case .fail(let failure) = step else {
            // Only a success says that the password was right, and only when one was sent: a server may let a
            // NEGOTIATE pass, and an error says nothing.
            let isAccepted = hasProvenPassword && (status < 400 || status == ChallengedParty.origin.status)
            current.settle(accepted: isAccepted ? true : nil)
            return .accepted
        }
        current.settle(accepted: failure == .refused ? false : nil)
        return .withhold(refusal(failure, account: account))
    }

    /// Whether a response is the party's last word on the request: an interim response is not, and what a proxy asks
    /// for itself says nothing about the origin behind it.
    private func isFinal(_ status: Int) -> Bool {
        status >= 200 && (request.party == .proxy || status != ChallengedParty.proxy.status)
    }

    private func refusal(_ failure: ExchangeFailure, account: String) -> Refusal {
        switch failure {
        case .refused: .credentialsRefused(account: account)
        case .domainRequired(let target): .domainRequired(account: account, target: target)
        default: .exchangeFailed(account: account, failure)
        }
    }
}

extension ChallengeHandler {
    /// Begins to handle `request`: hand each of its responses to the exchange.
    public func exchange(for request: ChallengedRequest) -> ChallengeExchange {
        ChallengeExchange(handler: self, request: request)
    }
}

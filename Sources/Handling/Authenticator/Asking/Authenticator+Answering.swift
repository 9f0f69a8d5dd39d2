public import ChallengeHandling
package import CredentialSources
internal import CredentialStores
internal import Credentials
package import HTTPAuthentication
public import HTTPTypes
internal import Hostnames
internal import Synchronization

extension Authenticator {
    /// What to do with a request whose authentication has ended. For clients.
    ///
    /// If a credential is missing or was refused, this asks the store and the sources, and waits for them.
    ///
    /// - Parameters:
    ///   - outcome: how the authentication ended.
    ///   - request: the request.
    ///   - route: how it reached its origin.
    ///   - fields: the fields of the response.
    ///   - handler: the handler that decided, from ``current`` when the request began.
    ///   - repetitions: how often the request was repeated before.
    /// - Throws: ``AuthenticatorError``, `CancellationError`, `ProfileError`, or what a source or the store throws.
    public func advice(
        after outcome: RequestOutcome,
        of request: OutgoingRequest,
        by route: RequestRoute = .direct,
        fields: HTTPFields,
        with handler: ChallengeHandler,
        repetitions: Int
    ) async throws -> AuthenticatorAdvice {
        switch outcome {
        case .notChallenged: return .deliver
        case .accepted:
            try await tellAccepted(accepted(request, by: route, handler))
            return .deliver
        case .withheld(let refusal, let party):
            guard repetitions < options.mostRepetitions,
                let challenged = party == .proxy ? request.toProxy(by: route) : request.toOrigin(by: route)
            else { return .deliver }
            if let (place, source) = tokenPlace(for: challenged, after: refusal) {
                return try await tokenAdvice(after: refusal, challenged, fields, handler, at: place, from: source)
            }
            guard let asked = asked(refusal, challenged, fields, handler) else { return .deliver }
            if isAnswered(challenged, handler) { return .repeatRequest }
            return try await calls.run(for: asked.key) { [self] in
                // An equal question may have ended since.
                if isAnswered(challenged, handler) { return .repeatRequest }
                return try await find(asked, challenged, handler)
            }
        }
    }

    /// The question for a refusal; `nil` if no credential would help.
    private func asked(
        _ refusal: Refusal,
        _ request: ChallengedRequest,
        _ fields: HTTPFields,
        _ handler: ChallengeHandler
    ) -> Asked? {
        let account: String?
        // Where other paths accept the password, the user may not see this one: a person would be asked for a password that is right.
        var isForStoreOnly = false
        switch (refusal, refusal.wantedCredential) {
        case (.pathWithheld(let name, _, isDoubted: false), _):
            guard store != nil else { return nil }
            (account, isForStoreOnly) = (name, true)
        case (_, .first): account = nil
        case (_, .another(let name)): account = name
        case (_, nil): return nil
        }
        let offer = OfferedChallenges(by: request.party, in: fields)
        guard isAnswerable(offer, request, handler) else { return nil }
        let prepared = account == nil ? nil : handler.preparedAccount(for: request)
        let question = CredentialQuestion(
            origin: request.origin,
            party: request.party == .proxy ? .proxy : .server,
            realm: offer.firstRealm,
            path: request.party == .proxy ? nil : request.path,
            user: prepared.map { $0.account.qualifiedUser },
            wasRefused: account != nil,
            problem: refusal.accountProblem?.problem
        )
        let space = AuthenticatorState.Rejected(party: question.party, origin: question.origin, realm: question.realm)
        guard !state.withLock({ $0.isRejected(space) }) else { return nil }
        let key = Asked.Key(
            party: question.party,
            origin: question.origin,
            realm: question.realm,
            place: place(for: request).name,
            account: account,
            passwordNumber: prepared?.passwordNumber,
            isForStoreOnly: isForStoreOnly
        )
        return Asked(question: question, key: key)
    }

    /// Whether a password could answer: no person is asked for one that would not be sent.
    private func isAnswerable(_ offer: OfferedChallenges, _ request: ChallengedRequest, _ handler: ChallengeHandler)
        -> Bool
    {
        let place = place(for: request)
        let schemes = place.schemes ?? handler.compiled.profile.schemes
        return schemes.contains { scheme in
            guard offer.includes(scheme), !scheme.usesToken else { return false }
            return scheme != .basic || request.origin.scheme == .https || place.allowsCleartext
        }
    }

    /// Why no password that a source, a person or the store could bring would answer the challenges of a response; `nil` if one would, and
    /// where the request has no such party.
    package func offerGap(
        by party: ChallengedParty,
        of request: OutgoingRequest,
        by route: RequestRoute,
        fields: HTTPFields
    ) -> OfferGap? {
        guard let challenged = party == .proxy ? request.toProxy(by: route) : request.toOrigin(by: route) else {
            return nil
        }
        let isShown = challenged.origin.scheme == .http && !place(for: challenged).allowsCleartext
        return OfferedChallenges(by: party, in: fields).gap(showsBasic: isShown)
    }

    /// Whether another request has brought a credential since this one began.
    func isAnswered(_ request: ChallengedRequest, _ handler: ChallengeHandler) -> Bool {
        guard let now = current.handler.preparedAccount(for: request) else { return false }
        guard let before = handler.preparedAccount(for: request) else { return true }
        // To the lock-out rules `jdoe` and `\jdoe` are one account, and to a party that wants a domain they are two.
        return now.passwordNumber != before.passwordNumber || now.account.domain != before.account.domain
            || now.account.user != before.account.user
    }

    // MARK: - What parties say

    /// Notes that the password in use, or its account, is not to be used again. The sources learn of a refusal if the party saw the password.
    func refused(_ asked: Asked) async throws {
        let key = asked.key
        guard let account = key.account, current.handler.prepared(account)?.passwordNumber == key.passwordNumber else {
            return
        }
        let supplied = state.withLock { state in
            // What a source gave may lie in the store since a party has accepted it.
            if let supplied = state.supplied[account] {
                let name = supplied.record ?? record(of: supplied).name
                state.refused(name, supplied.credential.password, written: supplied.written, now: clock())
            }
            return state.supplied[account]
        }
        guard let supplied, supplied.record == nil, asked.question.problem == nil else { return }
        try await told(.refused, supplied)
    }

    /// Notes how the authentication of a request has ended, with a challenge or without one. Returns whether the host has to ask for advice:
    /// somebody may know a credential, or is to hear that one is right. Otherwise the response need not wait.
    ///
    /// - Parameter canRepeat: whether the request could be sent again.
    package func noteEnd(
        _ outcome: RequestOutcome,
        of request: @autoclosure () -> OutgoingRequest,
        by route: RequestRoute = .direct,
        with handler: ChallengeHandler,
        canRepeat: Bool
    ) -> Bool {
        switch outcome {
        case .notChallenged:
            if handler.placesTokens { acceptedPlacedToken(of: request(), by: route, handler) }
            return false
        case .withheld: return canRepeat
        case .accepted:
            guard hasTokenSources || state.withLock({ $0.awaitsProof }) else { return false }
            return !accepted(request(), by: route, handler).isEmpty
        }
    }

    /// ``advice(after:of:by:fields:with:repetitions:)`` where ``noteEnd(_:of:by:with:canRepeat:)`` says that the host has to ask; otherwise
    /// `deliver`.
    package func advice(
        afterNoting outcome: RequestOutcome,
        of request: OutgoingRequest,
        by route: RequestRoute,
        fields: HTTPFields,
        with handler: ChallengeHandler,
        repetitions: Int,
        canRepeat: Bool
    ) async throws -> AuthenticatorAdvice {
        guard noteEnd(outcome, of: request, by: route, with: handler, canRepeat: canRepeat) else { return .deliver }
        return try await advice(
            after: outcome,
            of: request,
            by: route,
            fields: fields,
            with: handler,
            repetitions: repetitions
        )
    }

    /// Marks the tokens that a request has shown to be right. Returns the accounts of those credentials of a source, a person or the store of
    /// which this is not known yet.
    ///
    /// The acceptance of a request does not say which party has seen an answer: a proxy may have taken its own, and the page may be public.
    /// So a password counts as right only if the lock-out budget knows that its party has accepted it. A token that was not sent may be
    /// renewed once without need.
    private func accepted(
        _ request: OutgoingRequest,
        by route: RequestRoute,
        _ handler: ChallengeHandler
    ) -> [Account] {
        var accounts: [Account] = []
        // CONNECT has nothing for the server.
        let server: ChallengedRequest? = if case .connect = route { nil } else { request.toOrigin(by: route) }
        if server != nil { acceptedPlacedToken(of: request, by: route, handler) }
        for challenged in [server, request.toProxy(by: route)].compactMap(\.self) {
            guard let prepared = handler.preparedAccount(for: challenged) else { continue }
            let account = prepared.account
            acceptedToken(of: account, by: challenged)
            guard state.withLock({ $0.unproven(account) != nil }), prepared.isProven(at: challenged) else { continue }
            accounts.append(account)
        }
        return accounts
    }

    /// Tells sources and store that the credentials of these accounts are right, once for each.
    private func tellAccepted(_ accounts: [Account]) async throws {
        for account in accounts {
            guard let supplied = state.withLock({ $0.prove(account) }) else { continue }
            if supplied.credential.keep == .once { try takeBack(supplied.place.name) }
            guard supplied.record == nil else { continue }
            try await told(.accepted, supplied)
            guard supplied.credential.keep == .stored, let store else { continue }
            let record = record(of: supplied)
            try await store.save(record)
            state.withLock { state in
                let name = supplied.place.name
                guard state.supplied[name]?.credential.password === supplied.credential.password else { return }
                state.supplied[name]?.written = record.created
            }
        }
    }

    private func told(_ outcome: CredentialOutcome, _ supplied: AuthenticatorState.Supplied) async throws {
        try await sources.learn(outcome, of: supplied.credential, for: supplied.question)
        try await prompt?.learn(outcome, of: supplied.credential, for: supplied.question)
    }

    private func record(of supplied: AuthenticatorState.Supplied) -> StoredCredential {
        let credential = supplied.credential
        let name = CredentialName(space: supplied.space, user: credential.user, domain: credential.domain)
        return StoredCredential(name: name, secret: credential.password, created: clock())
    }
}

/// What a person may be asked for after a refusal.
package enum WantedCredential: Sendable {
    /// The place has no credential.
    case first
    /// This account needs another one.
    case another(account: String)
}

extension Refusal {
    /// The credential that could answer; `nil` if none could.
    package var wantedCredential: WantedCredential? {
        switch self {
        case .noCredential: .first
        case .credentialsRefused(let account, _), .tokenRefused(let account, _), .budgetSpent(let account),
            .accountPaused(let account, _), .pathWithheld(let account, _, isDoubted: true):
            .another(account: account)
        default: accountProblem.map { .another(account: $0.account) }
        }
    }

    /// The account that cannot answer, though another one of the same person may, and why; `nil` for another refusal.
    package var accountProblem: (account: String, problem: AccountProblem)? {
        switch self {
        case .domainRequired(let account, let target): (account, .domainRequired(target: target))
        case .exchangeFailed(let account, .userNotRepresentable): (account, .userNotRepresentable)
        case .exchangeFailed(let account, .passwordNotRepresentable): (account, .passwordNotRepresentable)
        default: nil
        }
    }
}

extension OfferedChallenges {
    /// The realm of the first challenge that has one.
    fileprivate var firstRealm: String? { challenges.lazy.compactMap { $0["realm"] }.first }
}

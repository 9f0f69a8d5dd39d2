public import ChallengeHandling
internal import CredentialSources
internal import Credentials
internal import HTTPAuthentication
package import HTTPTypes
internal import Hostnames
internal import OAuth
internal import Secrets
internal import Synchronization

extension Authenticator {
    /// Brings the token of a request before it goes out: one that is there already, a new one if that ends soon, or the first one where the
    /// place sends it in advance. For clients, before they take the handler of a request or a repetition.
    ///
    /// Where no place has a token source, this returns at once.
    ///
    /// - Throws: ``AuthenticatorError``, `CancellationError`, `ProfileError`, or what the source throws. The request must not go out then.
    public func prepare(_ request: OutgoingRequest, by route: RequestRoute = .direct) async throws {
        guard hasTokenSources else { return }
        for challenged in [request.toOrigin(by: route), request.toProxy(by: route)].compactMap(\.self) {
            try await prepare(challenged) { tokenPlace(for: challenged) }
        }
        // The request of a tunnel is not for the server.
        if case .connect = route { return }
        let challenged = request.toOrigin(by: route)
        try await prepare(challenged) { placedTokenPlace(for: challenged) }
    }

    private func prepare(
        _ challenged: ChallengedRequest,
        _ place: () -> (AccountPlace, any TokenSource)?
    ) async throws {
        while let (place, source) = place(), let due = dueToken(at: place) {
            let question = TokenQuestion(origin: challenged.origin, path: challenged.path, replaced: due.token)
            _ = try await renew(place, source, question, challenged.party, account: nil) { [self] in
                dueToken(at: place) != nil
            }
            // Another place may have come meanwhile.
            if isInUse(place) { break }
        }
    }

    /// Brings the next token after a server's refusal that was delivered. Asks for no password.
    package func renewToken(
        after refusal: Refusal,
        of request: OutgoingRequest,
        by route: RequestRoute,
        fields: HTTPFields,
        with handler: ChallengeHandler
    ) async throws {
        let challenged = request.toOrigin(by: route)
        guard let (place, source) = tokenPlace(for: challenged, after: refusal) else { return }
        _ = try await tokenAdvice(after: refusal, challenged, fields, handler, at: place, from: source)
    }

    /// What to do after a refusal where a place has a token source.
    func tokenAdvice(
        after refusal: Refusal,
        _ challenged: ChallengedRequest,
        _ fields: HTTPFields,
        _ handler: ChallengeHandler,
        at place: AccountPlace,
        from source: any TokenSource
    ) async throws -> AuthenticatorAdvice {
        let offer = OfferedChallenges(by: challenged.party, in: fields)
        let refused = handler.prepared(place.name)
        var account: String?
        switch refusal {
        case .noCredential, .noSupportedScheme, .malformedChallenge:
            // Without a challenge for tokens a new one would change nothing, unless another request has brought the first one.
            guard refused != nil || offer.wantsToken || current.handler.prepared(place.name) != nil else {
                return .deliver
            }
        // The others are of a password that the profile has for the same page.
        case .tokenRefused(let name, _), .credentialsRefused(let name, _), .budgetSpent(let name),
            .accountPaused(let name, _),
            .pathWithheld(let name, _, _):
            account = name
        default: return .deliver
        }
        let isStillRefused: @Sendable () -> Bool = { [self] in
            current.handler.prepared(place.name)?.passwordNumber == refused?.passwordNumber
        }
        let page = TokenRefusals.Page(challenged)
        guard isStillRefused() else {
            if refused != nil {
                state.withLock { $0.refusedTokens[place.name, default: TokenRefusals()].refusedLast(page) }
            }
            return isAnswering(place, challenged) ? .repeatRequest : .deliver
        }
        let challenge = offer.tokenChallenge(isBound: refused?.assignment.prover != nil)
        // RFC 6750 section 3.1 and RFC 9449 section 7.1: the token is good, and the next one would have the same scope and the same proof.
        if case .tokenRefused = refusal, let problem = challenge?.problem,
            [.insufficientScope, .insufficientAuthentication, .invalidRequest, .invalidProof, .missingNonce]
                .contains(problem)
        {
            return .deliver
        }
        if let refused, !mayReplace(refused.account, at: place, refusedBy: page) { return .deliver }
        let question = TokenQuestion(
            origin: challenged.origin,
            path: challenged.path,
            challenge: challenge,
            replaced: refused?.account.credential.token
        )
        guard try await renew(place, source, question, challenged.party, account: account, if: isStillRefused) else {
            return .deliver
        }
        return isAnswering(place, challenged) ? .repeatRequest : .deliver
    }

    /// The place of a request whose tokens come from a source; `nil` if there is none, or no token may go to the party.
    func tokenPlace(for request: ChallengedRequest) -> (AccountPlace, any TokenSource)? {
        tokenPlace(at: request.origin, path: request.path, isReadByProxy: request.isThroughPlainProxy)
    }

    /// The same for a path of an origin.
    func tokenPlace(at origin: Origin, path: String, isReadByProxy: Bool = false) -> (AccountPlace, any TokenSource)? {
        guard hasTokenSources, let place = places.place(for: origin, path: path),
            (place.schemes ?? [.bearer]).contains(.bearer)
        else { return nil }
        return source(of: place, at: origin, path: path, isReadByProxy: isReadByProxy)
    }

    /// The place whose token goes along with a request to a server; `nil` if there is none, or no token may go there.
    func placedTokenPlace(for request: ChallengedRequest) -> (AccountPlace, any TokenSource)? {
        guard hasTokenSources, request.party == .origin,
            let place = places.placement(for: request.origin, path: request.path)
        else { return nil }
        return source(
            of: place,
            at: request.origin,
            path: request.path,
            isReadByProxy: request.isThroughPlainProxy
        )
    }

    /// The place whose token a refusal is about; `nil` if it is about no token of a source.
    func tokenPlace(for request: ChallengedRequest, after refusal: Refusal) -> (AccountPlace, any TokenSource)? {
        if case .tokenRefused(let name, _) = refusal, let (place, source) = placedTokenPlace(for: request),
            place.name == name
        {
            return (place, source)
        }
        return tokenPlace(for: request)
    }

    private func source(
        of place: AccountPlace,
        at origin: Origin,
        path: String,
        isReadByProxy: Bool
    ) -> (AccountPlace, any TokenSource)? {
        guard let source = place.tokens,
            place.allowsCleartext || origin.scheme == .https && !isReadByProxy,
            current.handler.siteRefusal(origin, path: path) == nil
        else { return nil }
        return (place, source)
    }

    /// Marks the token that a party has accepted.
    func acceptedToken(of account: Account, by request: ChallengedRequest) {
        guard hasTokenSources, let token = account.credential.token else { return }
        state.withLock { state in
            guard state.tokens[account.name]?.token.secret === token else { return }
            state.tokens[account.name]?.isProven = true
            state.refusedTokens[account.name]?.accepted(at: TokenRefusals.Page(request))
        }
    }

    /// Marks the token that has gone along with a request which its server has let in.
    func acceptedPlacedToken(of request: OutgoingRequest, by route: RequestRoute, _ handler: ChallengeHandler) {
        guard hasTokenSources, let token = handler.placedToken(for: request, by: route),
            let prepared = handler.prepared(token.account)
        else { return }
        acceptedToken(of: prepared.account, by: request.toOrigin(by: route))
    }

    /// Takes the token of a place out of the profile, and puts back the account that it replaced.
    private func takeBackToken(_ name: String) throws(ProfileError) {
        guard let known = state.withLock({ $0.tokens.removeValue(forKey: name) }) else { return }
        try takeBack([name: known.previous])
    }

    // MARK: - Tokens in use

    private struct Due {
        let token: SharedSecret?
    }

    /// The token that must be replaced before a request goes out; `nil` if none must.
    private func dueToken(at place: AccountPlace) -> Due? {
        let now = clock()
        return state.withLock { state in
            guard let known = state.tokens[place.name] else {
                return place.sendsTokenFirst || place.placement != nil ? Due(token: nil) : nil
            }
            return known.renewal.map { $0 <= now } ?? false ? Due(token: known.token.secret) : nil
        }
    }

    /// Whether the next token may help where `page` has refused that of `account`.
    private func mayReplace(_ account: Account, at place: AccountPlace, refusedBy page: TokenRefusals.Page) -> Bool {
        let now = clock()
        return state.withLock { state in
            guard let known = state.tokens[place.name], known.token.secret === account.credential.token else {
                return true
            }
            return state.refusedTokens[place.name, default: TokenRefusals()].refused(
                at: page,
                wasAccepted: known.isProven,
                isNew: known.isNew(at: now, margin: options.tokenMarginSeconds),
                now: now
            )
        }
    }

    /// The place of a request whose answer may carry a refusal in its body, and its source; `nil` if there is none.
    func placeWithBodies(for request: ChallengedRequest) -> (AccountPlace, any TokenSource)? {
        // Behind a web tier the error is about the token that goes along.
        let known = placedTokenPlace(for: request) ?? tokenPlace(for: request)
        return known?.0.readsArcGISErrors == true ? known : nil
    }

    /// Whether the account of the place is the one whose credential the request gets: an account of the profile may have narrower rules.
    func isAnswering(_ place: AccountPlace, _ request: ChallengedRequest) -> Bool {
        guard place.placement == nil else {
            return current.handler.placement(for: request.origin, path: request.path)?.assignment.account.name
                == place.name
        }
        return current.handler.preparedAccount(for: request)?.account.name == place.name
    }

    // MARK: - New tokens

    /// Asks the source, once for all requests of the place that wait.
    ///
    /// - Parameter isNeeded: whether the reason still holds when the question gets its turn.
    /// - Returns: whether the place has a token now. The token of a place that was replaced meanwhile is dropped.
    func renew(
        _ place: AccountPlace,
        _ source: any TokenSource,
        _ question: TokenQuestion,
        _ party: ChallengedParty,
        account: String?,
        if isNeeded: @escaping @Sendable () -> Bool
    ) async throws -> Bool {
        try await tokenCalls.run(for: TokenCall(place: place.name, era: place.era)) { [self] in
            guard isNeeded() else { return true }
            let signOuts = state.withLock { $0.signOuts }
            let ask = CredentialAsk(source: .tokens, origin: question.origin, party: party, account: account)
            do {
                let token = try await observed(ask, { $0 == nil ? .nothing : .use }) {
                    try await patiently {
                        try await source.token(for: question)
                    }
                }
                guard isInUse(place) else { return false }
                if let token {
                    try install(token, at: place, signOuts)
                } else {
                    try takeBackToken(place.name)
                }
                return token != nil
            } catch let error as CancellationError {
                // All callers have left. The next request asks again, because the reason still holds.
                throw error
            } catch {
                // The old token was refused or ends soon: without a new one none is sent.
                if state.withLock({ $0.signOuts }) == signOuts, isInUse(place) { try takeBackToken(place.name) }
                throw error
            }
        }
    }

    /// Whether no other places have come since this one was looked up.
    private func isInUse(_ place: AccountPlace) -> Bool { places.era == place.era }

    /// - Throws: `CancellationError` if there was a sign-out since the question, `ProfileError`, or
    ///   ``AuthenticatorError/unusableToken(account:_:)``.
    private func install(_ token: AccessToken, at place: AccountPlace, _ signOuts: UInt64) throws {
        let now = clock()
        if let defect = token.defect(at: now) {
            throw AuthenticatorError.unusableToken(account: place.name, defect)
        }
        let previous = current.handler.prepared(place.name)?.assignment
        let supplied = AuthenticatorState.Token(
            token: token,
            era: place.era,
            received: now,
            renewal: token.expiry.map { $0 - min(options.tokenMarginSeconds, ($0 - now) / 2) },
            previous: previous,
            // It was good for an earlier run of the program, so its first refusal is worth a question.
            isProven: token.isStored
        )
        // Before the profile changes, so that a sign-out in between knows of the account.
        let isCurrent = state.withLock { state in
            guard state.signOuts == signOuts, isInUse(place) else { return false }
            let known = state.tokens[place.name]
            state.tokens[place.name] = supplied
            if let known { state.tokens[place.name]?.previous = known.previous }
            state.refusedTokens[place.name]?.tokenChanged()
            return true
        }
        guard isCurrent else { throw CancellationError() }
        try use(
            place.assignment(of: token),
            if: { [self] in isInUse(place) && state.withLock { $0.signOuts } == signOuts }
        )
    }
}

extension AccessToken {
    /// Why no request can carry the token; `nil` if one can.
    fileprivate func defect(at now: Int64) -> String? {
        if kind == .dpop, prover == nil {
            return
                "it is bound to a key that is not known here: give it what makes its proofs, or ask for a bearer token"
        }
        if BearerExchange.value(of: secret) == nil {
            return "it is empty, or has blanks or characters outside ASCII: ask its service"
        }
        if !isValid(at: now) { return "it has ended already: set the clock" }
        return nil
    }
}

extension OfferedChallenges {
    /// Whether the party asks for a token.
    fileprivate var wantsToken: Bool { includes(.bearer) || includes(.dpop) }

    /// What the party says about the token; of several challenges the one of its kind.
    fileprivate func tokenChallenge(isBound: Bool) -> BearerChallenge? {
        let kinds: [AuthenticationScheme] = isBound ? [.dpop, .bearer] : [.bearer, .dpop]
        return kinds.lazy.flatMap { challenges(of: $0) }.compactMap { BearerChallenge($0) }.first
    }
}

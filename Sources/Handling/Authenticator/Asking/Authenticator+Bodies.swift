public import ChallengeHandling
internal import Credentials
internal import Hostnames
public import OAuth
internal import Synchronization

extension Authenticator {
    /// Bytes of a body that may hold a refusal. Errors of ArcGIS servers have a few hundred.
    public static let refusalBytes = 8 * 1024

    /// Whether a response of success to this request may be a refusal in its body. Clients then read at most ``refusalBytes`` of it
    /// before they deliver it, and ask ``advice(after:of:by:with:repetitions:)`` about an error that they find.
    public func mayBeRefusedInBody(_ request: OutgoingRequest, by route: RequestRoute = .direct) -> Bool {
        placeWithBodies(for: request.toOrigin(by: route)) != nil
    }

    /// The same for a response: with status 200, and of a type that an error may have. ArcGIS servers also call JSON plain text.
    package func mayBeRefusedInBody(
        _ request: OutgoingRequest,
        by route: RequestRoute = .direct,
        status: Int,
        contentType: String?
    ) -> Bool {
        guard hasTokenSources, status == 200, mayBeRefusedInBody(request, by: route) else { return false }
        let type = contentType?.lowercased() ?? ""
        return type.contains("json") || type.hasPrefix("text/plain")
    }

    /// What to do after an error in the body of a success: a place that ``AccountPlace/readsArcGISErrors`` gets another token, once for all
    /// requests that wait.
    ///
    /// A token that came for this reason is replaced for this reason only after ``AuthenticatorOptions/tokenMargin``, so that a server
    /// that takes no token causes no endless questions.
    ///
    /// - Parameters:
    ///   - problem: the error.
    ///   - request: the request.
    ///   - route: how it reached its origin.
    ///   - handler: the handler that decided, from ``current`` when the request began.
    ///   - repetitions: how often the request was repeated before.
    /// - Throws: ``AuthenticatorError``, `CancellationError`, `ProfileError`, or what the source throws.
    public func advice(
        after problem: ArcGISProblem,
        of request: OutgoingRequest,
        by route: RequestRoute = .direct,
        with handler: ChallengeHandler,
        repetitions: Int
    ) async throws -> AuthenticatorAdvice {
        let challenged = request.toOrigin(by: route)
        guard problem.wantsNewToken, repetitions < options.mostRepetitions,
            let (place, source) = placeWithBodies(for: challenged)
        else { return .deliver }
        let refused = handler.prepared(place.name)
        let isStillRefused: @Sendable () -> Bool = { [self] in
            current.handler.prepared(place.name)?.passwordNumber == refused?.passwordNumber
        }
        guard isStillRefused() else { return isAnswering(place, challenged) ? .repeatRequest : .deliver }
        if refused != nil, followsBody(at: place) { return .deliver }
        let question = TokenQuestion(
            origin: challenged.origin,
            path: challenged.path,
            replaced: refused?.account.credential.token
        )
        guard try await renew(place, source, question, challenged.party, account: nil, if: isStillRefused) else {
            return .deliver
        }
        if refused != nil { state.withLock { $0.tokens[place.name]?.followsBody = true } }
        return isAnswering(place, challenged) ? .repeatRequest : .deliver
    }

    /// The `Referer` of a request with a token of its place; `nil` if the place names none, or no token may go there.
    public func referer(of request: OutgoingRequest, by route: RequestRoute = .direct) -> String? {
        let challenged = request.toOrigin(by: route)
        return tokenPlace(for: challenged)?.0.referer ?? placedTokenPlace(for: challenged)?.0.referer
    }

    /// Whether the token of the place came less than the margin ago because a body refused the one before it.
    private func followsBody(at place: AccountPlace) -> Bool {
        let now = clock()
        return state.withLock { state in
            guard let known = state.tokens[place.name] else { return false }
            return known.followsBody && known.isNew(at: now, margin: options.tokenMarginSeconds)
        }
    }
}

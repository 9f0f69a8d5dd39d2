internal import HTTPTypes
internal import Sallyport

/// A request, as the authenticator is asked about it.
struct AuthenticatorCall: Sendable {
    let authenticator: Authenticator
    let request: OutgoingRequest
    let route: RequestRoute
    let handler: ChallengeHandler
    let repetitions: Int

    init(
        _ authenticator: Authenticator,
        _ request: OutgoingRequest,
        by route: RequestRoute,
        _ handler: ChallengeHandler,
        repetitions: Int
    ) {
        (self.authenticator, self.request, self.route) = (authenticator, request, route)
        (self.handler, self.repetitions) = (handler, repetitions)
    }

    /// Brings the token that the request needs before it leaves.
    func prepare() async -> Result<Void, any Error> {
        do { return .success(try await authenticator.prepare(request, by: route)) } catch { return .failure(error) }
    }

    /// Asks what to do after `outcome`: a store or a person may know a password.
    func advice(after outcome: RequestOutcome, _ fields: HTTPFields) async -> Result<AuthenticatorAdvice, any Error> {
        do {
            return .success(
                try await authenticator.advice(
                    after: outcome,
                    of: request,
                    by: route,
                    fields: fields,
                    with: handler,
                    repetitions: repetitions
                )
            )
        } catch {
            return .failure(error)
        }
    }

    /// Lets a store keep the password, now that it is known to be right.
    ///
    /// The request has succeeded; what a store says about its file is for the person who asked it to keep the password.
    func tellAccepted() async { _ = await advice(after: .accepted, [:]) }

    /// Lets the next request have another token than the one that was refused.
    ///
    /// An error is dropped here: the next request asks the source again, and its client gets the reason.
    func renewToken(after refusal: Refusal, _ fields: HTTPFields) async {
        try? await authenticator.renewToken(after: refusal, of: request, by: route, fields: fields, with: handler)
    }

    /// What the party's offer lacks, so that no password can answer it; `nil` if nothing.
    func offerGap(by party: ChallengedParty, _ fields: HTTPFields) -> OfferGap? {
        authenticator.offerGap(by: party, of: request, by: route, fields: fields)
    }
}

internal import HTTPTypes
internal import Sallyport

extension RequestDrive {
    /// Whether the request is sent again, because its authenticator has found a credential.
    func isRepeated(after outcome: RequestOutcome, _ fields: HTTPFields, _ repetitions: Int) async throws -> Bool {
        if let proxy, request.origin.scheme == .https {
            // There was a tunnel, so the proxy has taken what it asked for.
            _ = try await advice(after: .accepted, by: .connect(to: proxy), [:], repetitions)
        }
        return try await advice(after: outcome, by: route, fields, repetitions) == .repeatRequest
    }

    /// The same for a tunnel, before which nothing was sent.
    func isRepeated(after refused: RefusedTunnel, _ repetitions: Int) async throws -> Bool {
        guard let proxy else { return false }
        let route = RequestRoute.connect(to: proxy)
        return try await advice(after: refused.outcome, by: route, refused.fields, repetitions) == .repeatRequest
    }

    /// What the authenticator says after it has heard of the end; `deliver` without an authenticator.
    private func advice(
        after outcome: RequestOutcome,
        by route: RequestRoute,
        _ fields: HTTPFields,
        _ repetitions: Int
    ) async throws -> AuthenticatorAdvice {
        try await client.authenticator?
            .advice(
                afterNoting: outcome,
                of: request.outgoing,
                by: route,
                fields: fields,
                with: handler,
                repetitions: repetitions,
                canRepeat: request.body.canRepeat
            ) ?? .deliver
    }
}

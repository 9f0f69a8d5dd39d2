extension ChallengeHandler {
    /// The token that goes with a request to its server besides the answers to challenges. It is `nil` without one, and where the token may
    /// not go.
    ///
    /// Without placements in the profile this costs one comparison.
    package func placedToken(for request: OutgoingRequest, by route: RequestRoute) -> PlacedToken? {
        guard placesTokens else { return nil }
        // A tunnel's request is not for the origin.
        if case .connect = route { return nil }
        return placedToken(for: request.toOrigin(by: route))
    }
}

extension OutgoingRequest {
    /// The request with a token that goes along in its query.
    func carrying(_ token: PlacedToken) -> OutgoingRequest {
        guard case .query = token.placement.position else { return self }
        return OutgoingRequest(like: self, method: method, target: token.target(target), body: body)
    }
}

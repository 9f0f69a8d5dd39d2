// Where the authentication of a request begins.

extension ChallengeHandler {
    /// Starts to authenticate a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - route: how it reaches its origin.
    ///   - answersInAdvance: whether answers may go out before a challenge, where one was accepted before.
    public func authentication(
        of request: OutgoingRequest,
        by route: RequestRoute = .direct,
        answersInAdvance: Bool = true
    ) -> RequestAuthentication {
        RequestAuthentication(self, request, route, answersInAdvance: answersInAdvance)
    }

    /// Starts to authenticate a request at the proxy of `route` only: challenges of its origin are for the sender, such as the
    /// client of a relay.
    ///
    /// - Parameter placesToken: whether a token of the profile goes to the origin all the same.
    package func proxyAuthentication(
        of request: OutgoingRequest,
        by route: RequestRoute,
        answersInAdvance: Bool = true,
        placesToken: Bool = false
    ) -> RequestAuthentication {
        RequestAuthentication(
            self,
            request,
            route,
            answersInAdvance: answersInAdvance,
            isProxyOnly: true,
            placesToken: placesToken
        )
    }
}

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
        authentication(of: request, by: route, answersInAdvance, isProxyOnly: false, placesToken: true)
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
        authentication(of: request, by: route, answersInAdvance, isProxyOnly: true, placesToken: placesToken)
    }

    @inline(__always)
    private func authentication(
        of request: OutgoingRequest,
        by route: RequestRoute,
        _ answersInAdvance: Bool,
        isProxyOnly: Bool,
        placesToken: Bool
    ) -> RequestAuthentication {
        // Two calls, because most requests carry no token, and a request in a variable would be copied.
        guard placesToken, let token = placedToken(for: request, by: route) else {
            return RequestAuthentication(
                self,
                request,
                route,
                answersInAdvance: answersInAdvance,
                isProxyOnly: isProxyOnly,
                placed: nil
            )
        }
        // An answer of Digest signs the target that is sent.
        return RequestAuthentication(
            self,
            request.carrying(token),
            route,
            answersInAdvance: answersInAdvance,
            isProxyOnly: isProxyOnly,
            placed: token
        )
    }
}

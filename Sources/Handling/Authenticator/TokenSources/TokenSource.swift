internal import ChallengeHandling
public import Hostnames
public import OAuth
public import Secrets

/// Brings the access tokens of one account: from an OAuth service, a portal, a file, an application.
///
/// An ``AccountPlace`` names its source in ``AccountPlace/tokens``, so that a token goes to the sites of that place alone. The
/// authenticator asks one question a place at a time, and all requests that wait share the reply.
public protocol TokenSource: Sendable {
    /// A token for requests, or `nil` if the source has none.
    ///
    /// A source that keeps a token replies with it at once, unless the question names it in ``TokenQuestion/replaced``.
    ///
    /// - Throws: an error whose description names the problem and the remedy, and no secret. No request of the place has a token then.
    func token(for question: TokenQuestion) async throws -> AccessToken?

    /// Takes the tokens back at their service, if it offers that, and forgets them in any case.
    ///
    /// - Returns: whether the service has taken them back.
    /// - Throws: why the service has not.
    func signOut() async throws -> Bool
}

extension TokenSource {
    /// Does nothing: the tokens belong to the application.
    public func signOut() async throws -> Bool { false }
}

/// A request needs a token.
public struct TokenQuestion: Sendable {
    /// Scheme, host and port of the party that the token is for.
    public var origin: Origin
    /// The path of the first request that waits for the token; `nil` outside of requests. Others of the same place share the reply.
    public var path: String?
    /// What the party says about the token that it wants; `nil` for a challenge of another scheme, and before any challenge. It is the
    /// party's own word: a source need not follow its scope.
    public var challenge: BearerChallenge?
    /// The token that was refused or ends soon; `nil` if there was none. A reply with the same token would be of no use.
    public var replaced: SharedSecret?

    /// Makes a question.
    public init(
        origin: Origin,
        path: String? = nil,
        challenge: BearerChallenge? = nil,
        replaced: SharedSecret? = nil
    ) {
        (self.origin, self.path, self.challenge, self.replaced) = (origin, path, challenge, replaced)
    }
}

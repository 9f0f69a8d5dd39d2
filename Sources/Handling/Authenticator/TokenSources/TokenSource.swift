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
    /// The realm of the challenge; `nil` for a challenge without one, and before any challenge.
    public var realm: String?
    /// The scope that the challenge demands (RFC 6750 section 3); it is the party's own word, and a source need not follow it.
    public var scope: String?
    /// The token that was refused or ends soon; `nil` if there was none. A reply with the same token would be of no use.
    public var replaced: SharedSecret?

    /// Makes a question.
    public init(origin: Origin, realm: String? = nil, scope: String? = nil, replaced: SharedSecret? = nil) {
        (self.origin, self.realm, self.scope, self.replaced) = (origin, realm, scope, replaced)
    }
}

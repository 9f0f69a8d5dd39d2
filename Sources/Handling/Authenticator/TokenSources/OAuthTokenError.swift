internal import ChallengeHandling

/// Why an ``OAuthTokenSource`` has no token without asking its service.
public enum OAuthTokenError: Error, Equatable, Sendable {
    /// The store has no refresh token of the source with this name.
    case notSignedIn(String)
    /// The user of the source with this name has been signed in for the longest time that is allowed.
    case signInEnded(String)
    /// The service gave a bearer token to the source of this name, which asked for one that is bound to its key.
    case notBound(String)
    /// The store has a refresh token of the source with this name, and no key for it.
    case noKey(String)
    /// The service gave the source of this name no ID token.
    case noIDToken(String)
}

extension OAuthTokenError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .notSignedIn(let name): "\(name): no refresh token is stored: sign in"
        case .signInEnded(let name): "\(name): the sign-in has lasted as long as it may: sign in again"
        case .notBound(let name):
            "\(name): the service binds no token to a key: allow DPoP there, or ask for bearer tokens"
        case .noKey(let name): "\(name): the store has no key that tokens are bound to: sign in again"
        case .noIDToken(let name):
            "\(name): the service gave no ID token: ask for the scope openid, and sign in again; if it did so at the sign-in, it renews none"
        }
    }
}

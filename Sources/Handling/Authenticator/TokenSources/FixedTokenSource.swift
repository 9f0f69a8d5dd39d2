internal import ChallengeHandling
public import OAuth
internal import Secrets
internal import Synchronization

/// One token that was made elsewhere: a key of a programming interface, or a token that a user has generated.
///
/// A party that refuses it gets no other one.
public final class FixedTokenSource: TokenSource {
    private let token: Mutex<AccessToken?>

    /// Takes the token, with its end and whether it needs TLS.
    public init(_ token: AccessToken) { self.token = Mutex(token) }

    /// The token, unless it is the one to replace.
    public func token(for question: TokenQuestion) async throws -> AccessToken? {
        token.withLock { token in
            guard let known = token, question.replaced.map({ !$0.isSame(as: known.secret) }) ?? true else { return nil }
            return known
        }
    }

    /// Forgets the token. Its service is not told.
    public func signOut() async throws -> Bool {
        token.withLock { $0 = nil }
        return false
    }
}

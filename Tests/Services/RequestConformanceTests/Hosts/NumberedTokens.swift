import Sallyport
import Secrets
import Synchronization

/// Tokens `t1`, `t2` and so on: another one for each question.
final class NumberedTokens: TokenSource {
    private let count = Atomic(0)

    func token(for question: TokenQuestion) async throws -> AccessToken? {
        let number = count.add(1, ordering: .relaxed).newValue
        return AccessToken(SharedSecret(utf8: "t\(number)"), requiresTLS: false)
    }
}

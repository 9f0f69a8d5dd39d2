internal import HTTPAuthentication
internal import HTTPTypes

/// An answer that goes out before any challenge. A class, because it is much larger than the other parts of a request, and many
/// requests have none.
///
/// `@unchecked Sendable` is safe, because one ``PartyAuthentication`` owns it, and that cannot be copied.
final class AdvanceAnswer: @unchecked Sendable {
    let space: KnownSpace
    /// `nil` for a scheme that repeats its answer.
    private let field: HTTPField?
    /// `nil` for a scheme that repeats its answer.
    let digest: DigestAnswer?
    private var attempt: PasswordBudget.Attempt?

    init(_ space: KnownSpace, _ field: HTTPField?, _ digest: DigestAnswer?, _ attempt: consuming PasswordBudget.Attempt)
    {
        self.space = space
        self.field = field
        self.digest = digest
        self.attempt = consume attempt
    }

    /// The field, for the request that sends it.
    func takeField() -> HTTPField? {
        attempt?.hasSentPassword = true
        return field ?? space.repeatedField
    }

    /// Names the attempt, for one of the same request at its other party; `nil` after ``takeAttempt()``.
    var companion: PasswordBudget.Companion? {
        switch attempt {
        case .some(let attempt): return attempt.companion
        case nil: return nil
        }
    }

    /// Whether the password was sent, and its party has not just accepted it.
    var isInDoubt: Bool {
        switch attempt {
        case .some(let attempt): return attempt.isInDoubt
        case nil: return false
        }
    }

    /// Reports the result to the lock-out budget.
    func settle(_ result: AttemptResult) { attempt?.settle(result) }

    /// The attempt, for another answer of the same request.
    func takeAttempt() -> PasswordBudget.Attempt? { attempt.take() }
}

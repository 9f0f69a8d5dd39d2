internal import HTTPAuthentication
internal import HTTPTypes

/// An answer that goes out before any challenge. A class, because it is much larger than the other parts of a request, and many
/// requests have none.
///
/// `@unchecked Sendable` is safe, because one request owns it: its ``PartyAuthentication``, which cannot be copied, or its host, which hands
/// it over to that.
package final class AdvanceAnswer: @unchecked Sendable {
    let space: KnownSpace
    /// `nil` for a scheme that repeats its answer.
    let digest: DigestAnswer?
    /// Whether it repeats a token, whose result no budget counts.
    package let isToken: Bool
    // Unchecked, because only the owner uses it, and no function here is called while another runs: the checks cost a tenth of an answer.
    @exclusivity(unchecked) private var attempt: PasswordBudget.Attempt?

    init(_ space: KnownSpace, _ digest: DigestAnswer?, _ attempt: consuming PasswordBudget.Attempt) {
        self.space = space
        self.digest = digest
        isToken = false
        unsafe self.attempt = consume attempt
    }

    init(token space: KnownSpace) {
        self.space = space
        digest = nil
        isToken = true
    }

    /// The field, for the request that sends it.
    func takeField() -> HTTPField? {
        unsafe attempt?.hasSentPassword = true
        return digest?.value.field(named: space.party.answerField) ?? space.repeatedField
    }

    /// All that the request adds, for one that sends this field alone; `nil` for a field that is made for one request.
    func takeRepeated() -> AddedFields? {
        guard case nil = digest, let added = space.repeatedAlone else { return nil }
        unsafe attempt?.hasSentPassword = true
        return added
    }

    /// All that a request adds if this answer is alone.
    var alone: AddedFields? {
        guard let value = digest?.value else { return space.repeatedAlone }
        return AddedFields(alone: value, for: space.party)
    }

    /// The request begins to leave, with ``sending``.
    package func sendHasBegun() { unsafe attempt?.hasSentPassword = true }

    /// Names the attempt, for one of the same request at its other party; `nil` after ``takeAttempt()``.
    var companion: PasswordBudget.Companion? {
        switch unsafe attempt {
        case .some(let attempt): return attempt.companion
        case nil: return nil
        }
    }

    /// Whether the password was sent, and its party has not just accepted it.
    var isInDoubt: Bool {
        switch unsafe attempt {
        case .some(let attempt): return attempt.isInDoubt
        case nil: return false
        }
    }

    /// Reports the result to the lock-out budget.
    func settle(_ result: AttemptResult) { unsafe attempt?.settle(result) }

    /// The attempt, for another answer of the same request.
    func takeAttempt() -> PasswordBudget.Attempt? { unsafe attempt.take() }
}

package import Credentials
package import NTLM
internal import Secrets

/// An account in the form that the schemes need, with its budget. A class, so that a decision copies one reference.
package final class PreparedAccount: Sendable {
    let keys: AccountKeys
    /// Shared by all requests that send this password.
    let budget: PasswordBudget

    init(_ keys: AccountKeys, budget: PasswordBudget) {
        self.keys = keys
        self.budget = budget
    }

    package var account: Account { keys.assignment.account }
    var assignment: AccountAssignment { keys.assignment }
    var schemes: [AnswerableScheme] { keys.schemes }
    /// What the schemes need of the account.
    var forSchemes: SchemeAccount { keys.forSchemes }
    package var ntlm: NTLMAccount? { keys.forSchemes.ntlm }

    /// The time from now until `end`.
    func wait(_ end: MonotonicTime) -> Duration { .nanoseconds(max(0, end - budget.now)) }
}

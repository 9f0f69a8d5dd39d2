package import Credentials
package import NTLM
internal import Secrets
internal import Synchronization

/// An account in the form that the schemes need, with its budget. A class, so that a decision copies one reference.
package final class PreparedAccount: Sendable {
    private static let lastNumber = Atomic<UInt64>(0)

    /// A number that no other account or password of the process has; not 0.
    let number = PreparedAccount.lastNumber.add(1, ordering: .relaxed).newValue
    let keys: AccountKeys
    /// Shared by all requests that send this password.
    private let budget: PasswordBudget
    /// Whether the budget counts refusals. No directory counts those of a token or a ticket, so it goes out again after one: the page may be
    /// closed to the account, and other pages open. Nor does a request wait for the attempt of another, which may wait for a KDC.
    let isCounted: Bool
    /// A hash of the user name as it is sent. An account without a domain has a budget of its own for each form.
    private let userForm: Int

    init(_ keys: AccountKeys, budget: PasswordBudget) {
        self.keys = keys
        self.budget = budget
        passwordNumber = budget.number
        let credential = keys.assignment.account.credential
        isCounted = credential.token == nil && !credential.isTicket
        let account = keys.assignment.account
        userForm = Self.userForm(of: account)
    }

    private static func userForm(of account: Account) -> Int {
        // Of the bytes: strings that are canonically equal are sent as different bytes.
        account.isOfDirectory ? [UInt8](account.qualifiedUser.utf8).hashValue : 0
    }

    /// Lets the party of `request` see a password of `account` once more, which `budget` counts.
    static func readmit(_ account: Account, _ budget: PasswordBudget, to request: ChallengedRequest) {
        budget.readmit(request.place.receiving(userForm: userForm(of: account)))
    }

    /// Asks the lock-out budget to send the password with `request`.
    ///
    /// - Parameters:
    ///   - turn: from an earlier answer to the same request.
    ///   - companion: the attempt of the same request at its other party.
    func attempt(
        _ request: ChallengedRequest,
        after turn: AttemptTurn?,
        besides companion: PasswordBudget.Companion? = nil
    ) -> PasswordBudget.Answer {
        guard isCounted else {
            return .go(budget.uncounted(request.place, path: request.withheldPath))
        }
        return budget.attempt(
            request.place.receiving(userForm: userForm),
            path: request.withheldPath,
            after: turn,
            besides: companion
        )
    }

    /// Asks the lock-out budget to send the password with `request` if the party has just accepted it; `nil` if the request must ask first.
    func attemptWhileProven(_ request: ChallengedRequest) -> PasswordBudget.Attempt? {
        attemptWhileProven(request.place, path: request.withheldPath)
    }

    /// The same at `place`, for a request with this ``ChallengedRequest/withheldPath``.
    func attemptWhileProven(_ place: Place, path: RequestPath) -> PasswordBudget.Attempt? {
        assert(isCounted, "no budget counts the answer")
        return budget.attemptWhileProven(place.receiving(userForm: userForm), path: path)
    }

    /// The same under a pass of an earlier attempt there; `nil` if the pass does not stand.
    func attempt(under pass: StandingPass, path: RequestPath) -> PasswordBudget.Attempt? {
        budget.attempt(under: pass, path: path)
    }

    /// A number of the password: another handler with the same account and password has it too, and no other password has. A password that
    /// a person has written anew after a refusal counts as another one.
    package let passwordNumber: UInt64

    /// Whether the party of `request` has accepted the password, and has not refused it since.
    /// Always `false` for a token or a ticket, because no budget counts them.
    package func isProven(at request: ChallengedRequest) -> Bool {
        isCounted && budget.isProven(request.place.receiving(userForm: userForm))
    }

    /// Records that the party of `request` refused the password, which a URL loading system has sent without an attempt.
    package func wasRefused(by request: ChallengedRequest) {
        guard isCounted else { return }
        budget.recordRefusal(request.place.receiving(userForm: userForm), path: request.withheldPath)
    }

    /// Whether the lock-out budget would refuse an attempt.
    func isSpent(_ place: Place, path: RequestPath) -> Bool {
        isCounted && budget.isSpent(place.receiving(userForm: userForm), path: path)
    }

    package var account: Account { keys.assignment.account }
    package var assignment: AccountAssignment { keys.assignment }
    var schemes: [AnswerableScheme] { keys.schemes }
    /// What the schemes need of the account.
    var forSchemes: SchemeAccount { keys.forSchemes }
    package var ntlm: NTLMAccount? { keys.forSchemes.ntlm }

    /// The time from now until `end`.
    func wait(_ end: MonotonicTime) -> Duration { .nanoseconds(max(0, end - budget.now)) }
}

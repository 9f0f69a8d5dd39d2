internal import Credentials
internal import Synchronization

/// The budgets of all accounts. A handler that succeeds another keeps its registry.
final class BudgetRegistry: Sendable {
    /// What a directory counts bad log-ons by: user and domain. Without a domain each account of the profile counts alone.
    ///
    /// `jdoe@acme.example` and user `jdoe` of domain `acme.example` are one. A NetBIOS name counts as another domain, because
    /// only the directory knows that `ACME` is `acme.example`.
    private enum Counted: Hashable {
        case account(name: String)
        case directory(user: String, domain: String)

        init(_ account: Account) {
            if let domain = account.domain, !domain.isEmpty {
                self = .directory(user: account.user.lowercased(), domain: domain.lowercased())
            } else if let at = account.user.lastIndex(of: "@") {
                let realm = account.user[account.user.index(after: at)...]
                self = .directory(user: account.user[..<at].lowercased(), domain: realm.lowercased())
            } else {
                self = .account(name: account.name)
            }
        }
    }

    /// The most accounts that are remembered. Beyond it one is forgotten for each new one, if possible one without refusals.
    static let maximumAccounts = 131_072
    /// How many accounts are looked at for one without refusals.
    private static let searched = 64

    private let accounts = Mutex<[Counted: AccountBudget]>([:])
    private let total = PlaceCount()
    private let clock: ManualClock?
    /// Receives changes; `nil` if they are not reported.
    private let report: LockoutReport?

    init(clock: ManualClock? = nil, report: LockoutReport? = nil) {
        self.clock = clock
        self.report = report
    }

    /// The budget of the password of `account`.
    func budget(for account: Account, rules: LockoutRules) -> PasswordBudget {
        self.account(account).budget(for: account, rules: rules, clock: clock, total: total, report: report)
    }

    /// Forgets the refusals of all passwords of `account`.
    func forgive(_ account: Account) { self.account(account).forgive() }

    /// How many accounts are remembered.
    var count: Int { accounts.withLock { $0.count } }

    private func account(_ account: Account) -> AccountBudget {
        accounts.withLock { accounts in
            let counted = Counted(account)
            if let known = accounts[counted] { return known }
            if accounts.count >= Self.maximumAccounts {
                let free = accounts.prefix(Self.searched).first { !$0.value.hasRefusals }
                if let forgotten = free?.key ?? accounts.keys.first { accounts[forgotten] = nil }
            }
            let budget = AccountBudget()
            accounts[counted] = budget
            return budget
        }
    }
}

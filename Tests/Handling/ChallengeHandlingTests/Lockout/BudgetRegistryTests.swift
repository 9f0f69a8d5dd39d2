import Credentials
import Sallyport
import Secrets
import Testing

@testable import ChallengeHandling

@Suite struct BudgetRegistryTests {
    private func account(_ number: Int) -> Account {
        Account(name: "\(number)", user: "user\(number)", password: SharedSecret(utf8: "Correct-Horse"))
    }

    @Test("Above the bound, accounts without refusals are forgotten, and a refused password stays refused")
    func bound() throws {
        let registry = BudgetRegistry(clock: ManualClock())
        let wiki = Place(host: "wiki.acme.example", isProxy: false)
        let refused = registry.budget(for: account(-1), rules: LockoutRules())
        switch refused.attempt(wiki, path: "/") {
        case .go(var attempt):
            attempt.hasSentPassword = true
            attempt.settle(.refused)
        default: Issue.record("the first attempt is allowed")
        }
        for number in 0..<BudgetRegistry.maximumAccounts + 1_000 { registry.forgive(account(number)) }
        #expect(registry.count == BudgetRegistry.maximumAccounts)
        let again = registry.budget(for: account(-1), rules: LockoutRules())
        #expect(again === refused)
        switch again.attempt(wiki, path: "/") {
        case .go: Issue.record("a refused password goes out again")
        default: break
        }
    }

    @Test("Above the bound of one account, the oldest password without refusals is forgotten") func passwords() {
        let registry = BudgetRegistry(clock: ManualClock())
        func budget(_ number: Int) -> PasswordBudget {
            let account = Account(name: "a", user: "user", password: SharedSecret(utf8: "password \(number)"))
            return registry.budget(for: account, rules: LockoutRules())
        }
        let all = (0...AccountBudget.maximumPasswords).map { budget($0) }
        #expect(budget(AccountBudget.maximumPasswords) === all[AccountBudget.maximumPasswords])
        #expect(budget(0) !== all[0])
    }
}

import Testing

@testable import Sallyport

@Suite struct LockoutBudgetTests {
    let budget = LockoutBudget()
    let key = LockoutBudget.Key(account: 0, host: "wiki.acme.example", isProxy: false)

    func go(_ key: LockoutBudget.Key, version: UInt64 = 0) -> LockoutBudget.Attempt? {
        guard case .go(let attempt) = budget.attempt(key, version: version) else { return nil }
        return attempt
    }

    @Test func oneRefusalSpendsTheBudget() throws {
        try #require(go(key)).refused()
        guard case .spent = budget.attempt(key, version: 0) else {
            Issue.record("a refused password was let through")
            return
        }
        #expect(budget.isSpent(key, version: 0))
    }

    @Test func aNewPasswordIsANewBudget() throws {
        try #require(go(key)).refused()
        #expect(!budget.isSpent(key, version: 1))
        try #require(go(key, version: 1)).accepted()
        #expect(go(key, version: 1) != nil)
    }

    @Test func anUnprovenPasswordIsTriedByOneAtATime() throws {
        let first = try #require(go(key))
        guard case .attemptInFlight = budget.attempt(key, version: 0) else {
            Issue.record("two first attempts at once")
            return
        }
        first.accepted()
        let second = go(key)
        let third = go(key)
        #expect(second != nil && third != nil)
    }

    @Test func droppingAnAttemptFreesTheKey() throws {
        var attempt = go(key)
        #expect(attempt != nil)
        attempt = nil
        #expect(go(key) != nil)
    }

    @Test func keysDoNotTouchEachOther() throws {
        try #require(go(key)).refused()
        let others = [
            LockoutBudget.Key(account: 1, host: "wiki.acme.example", isProxy: false),
            LockoutBudget.Key(account: 0, host: "mail.acme.example", isProxy: false),
            LockoutBudget.Key(account: 0, host: "wiki.acme.example", isProxy: true),
        ]
        for other in others { #expect(go(other) != nil) }
    }

    @Test func aLateSuccessDoesNotLiftARefusal() throws {
        try #require(go(key)).accepted()
        let first = try #require(go(key))
        let second = try #require(go(key))
        first.refused()
        second.accepted()
        #expect(budget.isSpent(key, version: 0))
    }

    @Test func anOldPasswordIsNotTriedOnceANewOneIsKnown() throws {
        try #require(go(key, version: 1)).refused()
        #expect(go(key, version: 0) == nil)
        #expect(budget.isSpent(key, version: 1))
    }

    @Test func whatAnOldPasswordMeetsSaysNothingAboutTheNewOne() throws {
        let old = try #require(go(key, version: 0))
        let new = try #require(go(key, version: 1))
        old.refused()
        #expect(!budget.isSpent(key, version: 1))
        new.accepted()
        #expect(go(key, version: 1) != nil)
    }

    @Test("Ten thousand requests at once send a wrong password once") func oneAttemptUnderLoad() async {
        let attempts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    var attempts = 0
                    for _ in 0..<157 {
                        guard case .go(let attempt) = budget.attempt(key, version: 0) else { continue }
                        attempts += 1
                        attempt.refused()
                    }
                    return attempts
                }
            }
            return await group.reduce(0, +)
        }
        #expect(attempts == 1)
    }
}

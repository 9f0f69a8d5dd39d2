import Testing

@testable import Sallyport

@Suite struct LockoutBudgetTests {
    let budget = LockoutBudget()
    let wiki = LockoutBudget.Place(host: "wiki.acme.example", isProxy: false)

    /// An attempt that several may hold.
    final class Held: Sendable {
        let attempt: LockoutBudget.Attempt

        init(_ attempt: consuming LockoutBudget.Attempt) { self.attempt = attempt }
    }

    enum Said: Equatable { case go, spent, inFlight }

    func go(_ place: LockoutBudget.Place, version: UInt64 = 0) -> Held? {
        switch budget.attempt(place, version: version) {
        case .go(let attempt): Held(attempt)
        default: nil
        }
    }

    /// Asks, and gives an attempt back at once.
    func asked(_ place: LockoutBudget.Place, version: UInt64 = 0) -> Said {
        switch budget.attempt(place, version: version) {
        case .go: .go
        case .spent: .spent
        case .attemptInFlight: .inFlight
        }
    }

    @Test func oneRefusalSpendsTheBudget() throws {
        try #require(go(wiki)).attempt.refused()
        #expect(asked(wiki) == .spent)
        #expect(budget.isSpent(wiki, version: 0))
    }

    @Test func aNewPasswordIsANewBudget() throws {
        try #require(go(wiki)).attempt.refused()
        #expect(!budget.isSpent(wiki, version: 1))
        try #require(go(wiki, version: 1)).attempt.accepted()
        #expect(asked(wiki, version: 1) == .go)
    }

    @Test func anUnprovenPasswordIsTriedByOneAtATime() throws {
        let first = try #require(go(wiki))
        #expect(asked(wiki) == .inFlight)
        first.attempt.accepted()
        let second = go(wiki)
        let third = go(wiki)
        #expect(second != nil && third != nil)
    }

    @Test func droppingAnAttemptFreesThePlace() {
        var held = go(wiki)
        #expect(held != nil)
        held = nil
        #expect(asked(wiki) == .go)
    }

    @Test func anAttemptReleasedTwiceDoesNotReleaseAnother() throws {
        var first = go(wiki)
        try #require(first).attempt.released()
        let second = try #require(go(wiki))
        first = nil
        #expect(asked(wiki) == .inFlight)
        second.attempt.accepted()
    }

    @Test func placesDoNotTouchEachOther() throws {
        try #require(go(wiki)).attempt.refused()
        #expect(asked(LockoutBudget.Place(host: "mail.acme.example", isProxy: false)) == .go)
        #expect(asked(LockoutBudget.Place(host: "wiki.acme.example", isProxy: true)) == .go)
        #expect(asked(LockoutBudget.Place(host: "wiki.acme.example", isProxy: false)) == .spent)
    }

    @Test func aLateSuccessDoesNotLiftARefusal() throws {
        try #require(go(wiki)).attempt.accepted()
        let first = try #require(go(wiki))
        let second = try #require(go(wiki))
        first.attempt.refused()
        second.attempt.accepted()
        #expect(budget.isSpent(wiki, version: 0))
    }

    @Test func anOldPasswordIsNotTriedOnceANewOneIsKnown() throws {
        try #require(go(wiki, version: 1)).attempt.refused()
        #expect(asked(wiki, version: 0) == .spent)
        #expect(budget.isSpent(wiki, version: 1))
    }

    @Test func whatAnOldPasswordMeetsSaysNothingAboutTheNewOne() throws {
        let old = try #require(go(wiki, version: 0))
        let new = try #require(go(wiki, version: 1))
        old.attempt.refused()
        #expect(!budget.isSpent(wiki, version: 1))
        new.attempt.accepted()
        #expect(asked(wiki, version: 1) == .go)
    }

    @Test("At the bound proven places are forgotten, refused ones are not") func bound() throws {
        try #require(go(wiki)).attempt.refused()
        for number in 1..<LockoutBudget.maximumPlaces {
            try #require(go(LockoutBudget.Place(host: "\(number).example", isProxy: false))).attempt.accepted()
        }
        #expect(asked(LockoutBudget.Place(host: "one-more.example", isProxy: false)) == .go)
        #expect(asked(wiki) == .spent)
    }

    @Test("At the bound no attempt that is under way loses its refusal", arguments: [false, true])
    func attemptsAtTheBound(isProven: Bool) throws {
        if isProven { try #require(go(wiki)).attempt.accepted() }
        let held = try #require(go(wiki))
        for number in 1..<LockoutBudget.maximumPlaces {
            try #require(go(LockoutBudget.Place(host: "\(number).example", isProxy: false))).attempt.accepted()
        }
        #expect(asked(LockoutBudget.Place(host: "one-more.example", isProxy: false)) == .go)
        held.attempt.refused()
        #expect(asked(wiki) == .spent)
    }

    @Test("Where everything was refused, nothing more goes out") func refusedEverywhere() throws {
        for number in 0..<LockoutBudget.maximumPlaces {
            try #require(go(LockoutBudget.Place(host: "\(number).example", isProxy: false))).attempt.refused()
        }
        #expect(asked(LockoutBudget.Place(host: "one-more.example", isProxy: false)) == .spent)
    }

    @Test("Ten thousand requests at once send a wrong password once") func oneAttemptUnderLoad() async {
        let attempts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    var attempts = 0
                    for _ in 0..<157 {
                        guard let held = go(wiki) else { continue }
                        attempts += 1
                        held.attempt.refused()
                    }
                    return attempts
                }
            }
            return await group.reduce(0, +)
        }
        #expect(attempts == 1)
    }
}

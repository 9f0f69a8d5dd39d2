import Sallyport
import TestLimits
import TestSupport
import Testing

@testable import ChallengeHandling

@Suite(.inTurn) struct StandingPassTests {
    let wiki = Place(host: "wiki.acme.example", isProxy: false)

    /// An attempt at `place` that succeeds, so that the next ones have a pass.
    func prove(_ budget: PasswordBudget, _ place: Place, path: RequestPath = "/") {
        guard case .go(var attempt) = budget.attempt(place, path: path) else { return }
        attempt.hasSentPassword = true
        attempt.settle(.accepted)
    }

    /// The pass that attempts at `place` have.
    func pass(_ budget: PasswordBudget, _ place: Place) throws -> StandingPass {
        let pass = budget.attemptWhileProven(place, path: "/")?.pass
        return try #require(pass)
    }

    /// An attempt under `pass` that succeeds. Returns whether it may begin.
    func succeed(_ budget: PasswordBudget, under pass: StandingPass, path: RequestPath = "/") -> Bool {
        guard var attempt = budget.attempt(under: pass, path: path) else { return false }
        attempt.hasSentPassword = true
        attempt.settle(.accepted)
        return true
    }

    func mayBegin(_ budget: PasswordBudget, _ place: Place) -> Bool {
        let attempt = budget.attemptWhileProven(place, path: "/")
        return if case nil = attempt { false } else { true }
    }

    @Test("After a success attempts have one pass, whose successes keep it, until none has come for the lease")
    func lease() throws {
        let clock = ManualClock(nanoseconds: 1)
        let budget = PasswordBudget(isShared: false, rules: LockoutRules(), clock: clock)
        let beforeAny = budget.attemptWhileProven(wiki, path: "/")?.pass
        #expect(beforeAny == nil)
        prove(budget, wiki)
        let pass = try self.pass(budget, wiki)
        for _ in 0..<3 {
            clock.advance(by: .milliseconds(60))
            #expect(succeed(budget, under: pass))
        }
        clock.advance(by: .milliseconds(100))
        #expect(!succeed(budget, under: pass))
        prove(budget, wiki)
        #expect(succeed(budget, under: try self.pass(budget, wiki)))
    }

    /// Successes under a pass count for the place when the pass is closed for another place.
    @Test("A refusal ends all passes; without a domain the other places get new ones at once") func refusal() throws {
        let mail = Place(host: "mail.acme.example", isProxy: false)
        for isShared in [false, true] {
            let clock = ManualClock(nanoseconds: 1)
            let budget = PasswordBudget(isShared: isShared, rules: LockoutRules(), clock: clock)
            prove(budget, wiki)
            prove(budget, mail)
            let passes = try [wiki, mail].map { try pass(budget, $0) }
            for _ in 0..<3 {
                clock.advance(by: .milliseconds(60))
                #expect(passes.map { succeed(budget, under: $0) } == [true, true])
            }
            budget.recordRefusal(wiki, path: "/secret")
            #expect(passes.map { succeed(budget, under: $0) } == [false, false])
            #expect(mayBegin(budget, mail) == !isShared)
            #expect(!mayBegin(budget, wiki))
        }
    }

    @Test("Other rules end the passes, and the same rules do not") func rules() throws {
        let budget = PasswordBudget(isShared: true, rules: LockoutRules(), clock: ManualClock(nanoseconds: 1))
        prove(budget, wiki)
        let pass = try self.pass(budget, wiki)
        budget.update(LockoutRules())
        #expect(succeed(budget, under: pass))
        var rules = LockoutRules()
        rules.isOneAtATime = true
        budget.update(rules)
        #expect(!succeed(budget, under: pass))
        #expect(!mayBegin(budget, wiki))
    }

    /// A person's word on one place makes its next refusal count in full, until another success says that the password is right.
    @Test("After a person's word at one place, a success at another is noted before it has a pass again")
    func readmitted()
        throws
    {
        let mail = Place(host: "mail.acme.example", isProxy: false)
        let budget = PasswordBudget(isShared: true, rules: LockoutRules(), clock: ManualClock(nanoseconds: 1))
        prove(budget, wiki)
        budget.recordRefusal(mail, path: "/")
        prove(budget, wiki)
        budget.readmit(mail)
        #expect(budget.attemptWhileProven(wiki, path: "/")?.pass == nil)
        prove(budget, wiki)
        #expect(succeed(budget, under: try pass(budget, wiki)))
        // So a page of the other place that is forbidden is withheld alone.
        prove(budget, mail, path: "/docs/a")
        budget.recordRefusal(mail, path: "/docs/secret")
        #expect(!budget.isSpent(mail, path: "/docs/a"))
    }

    @Test("A place is kept while an attempt under its pass runs, and may be forgotten after it") func running() throws {
        let budget = PasswordBudget(isShared: false, rules: LockoutRules(), clock: ManualClock(nanoseconds: 1))
        prove(budget, wiki)
        let pass = try self.pass(budget, wiki)
        var attempt = budget.attempt(under: pass, path: "/")
        attempt?.hasSentPassword = true
        func fill(_ name: String) {
            for index in 0...PasswordState.maximumPlaces {
                budget.recordRefusal(Place(host: "\(name)\(index).example", isProxy: false), path: "/")
            }
        }
        fill("a")
        #expect(budget.isProven(wiki))
        attempt?.settle(.accepted)
        #expect(budget.isProven(wiki))
        fill("b")
        #expect(!budget.isProven(wiki))
    }

    @Test("Of more places than have passes, the one with the oldest success loses its pass") func bound() throws {
        let clock = ManualClock(nanoseconds: 1)
        let budget = PasswordBudget(isShared: false, rules: LockoutRules(), clock: clock)
        let places = (0...PasswordState.maximumPasses).map { Place(host: "host\($0).example", isProxy: false) }
        var passes: [StandingPass] = []
        for place in places {
            clock.advance(by: .milliseconds(1))
            prove(budget, place)
            passes.append(try pass(budget, place))
        }
        let standing = passes.map { succeed(budget, under: $0) }
        #expect(standing == [false] + [Bool](repeating: true, count: PasswordState.maximumPasses))
        #expect(mayBegin(budget, places[0]))
    }

    /// A directory in which an attempt under a pass succeeded is known afterwards: of its pages only the refused one is withheld.
    @Test("What was accepted under a pass counts after a refusal") func directories() throws {
        let budget = PasswordBudget(isShared: false, rules: LockoutRules(), clock: ManualClock(nanoseconds: 1))
        prove(budget, wiki)
        let pass = try self.pass(budget, wiki)
        #expect(succeed(budget, under: pass, path: "/docs/a"))
        budget.recordRefusal(wiki, path: "/docs/secret")
        #expect(budget.isSpent(wiki, path: "/docs/secret"))
        #expect(!budget.isSpent(wiki, path: "/docs/a"))
    }

    @Test("Eight threads, with challenges in between that may be refusals, leave no attempt behind")
    func threads() async throws {
        let budget = PasswordBudget(isShared: true, rules: LockoutRules())
        let underPass = PasswordBudgetTests.Counter()
        await withTaskGroup { group in
            for index in 0..<8 {
                group.addTask {
                    var pass: StandingPass?
                    for round in 0..<5_000 {
                        let path = RequestPath("/\(index)/\(round & 7)")
                        if let pass, succeed(budget, under: pass, path: path) {
                            underPass.add()
                        } else if var attempt = budget.attemptWhileProven(wiki, path: path) {
                            pass = attempt.pass
                            attempt.hasSentPassword = true
                            attempt.settle(index == 0 ? .unjudged : .accepted)
                        } else {
                            prove(budget, wiki, path: path)
                        }
                        if index == 0, round % 512 == 511 { pass = nil }
                    }
                }
            }
        }
        #expect(underPass.value > 0)
        prove(budget, wiki)
        let pass = try self.pass(budget, wiki)
        #expect(pass.close() == 0)
    }
}

import Sallyport
import Synchronization
import TestLimits
import Testing

@testable import ChallengeHandling

@Suite(.inTurn) struct PasswordBudgetTests {
    let wiki = Place(host: "wiki.acme.example", isProxy: false)
    let mail = Place(host: "mail.acme.example", isProxy: false)

    /// A number that many tasks increase.
    final class Counter: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .relaxed) }

        func add() { count.add(1, ordering: .relaxed) }
    }

    func budget(_ clock: ManualClock? = nil) -> PasswordBudget {
        PasswordBudget(isShared: false, rules: LockoutRules(), clock: clock)
    }

    /// Asks until the budget decides, and returns whether the attempt was allowed.
    func tryPassword(_ budget: PasswordBudget, _ place: Place, _ body: @Sendable () async -> AttemptResult) async
        -> Bool
    {
        var turn: AttemptTurn?
        while true {
            switch budget.attempt(place, path: "/", after: turn.take()) {
            case .go(var attempt):
                attempt.hasSentPassword = true
                let result = await body()
                attempt.settle(result)
                return true
            case .wait(let next):
                turn = next
                do { try await next.ready() } catch { return false }
            case .refused: return false
            case .withheld: return false
            case .accountPaused: return false
            case .resultUnknown: return false
            }
        }
    }

    @Test("Ten thousand requests at once send a wrong password once") func wrongPassword() async {
        let budget = budget()
        let sent = Counter()
        await withTaskGroup { group in
            for _ in 0..<10_000 {
                group.addTask {
                    _ = await tryPassword(budget, wiki) {
                        sent.add()
                        return .refused
                    }
                }
            }
        }
        #expect(sent.value == 1)
    }

    @Test("Ten thousand requests at once all go out after the first success") func rightPassword() async {
        let budget = budget()
        let sent = Counter()
        await withTaskGroup { group in
            for _ in 0..<10_000 {
                group.addTask {
                    let isSent = await tryPassword(budget, wiki) { .accepted }
                    if isSent { sent.add() }
                }
            }
        }
        #expect(sent.value == 10_000)
    }

    @Test("A cancelled request stops waiting, and the next one gets its turn") func cancellation() async {
        // Its time stands still, so that no attempt is given up on a busy machine.
        let budget = budget(ManualClock(nanoseconds: 1))
        guard case .go(var attempt) = budget.attempt(wiki, path: "/") else {
            Issue.record("the first attempt is allowed")
            return
        }
        let cancelled = Task { await tryPassword(budget, wiki) { .accepted } }
        let other = Task { await tryPassword(budget, wiki) { .accepted } }
        cancelled.cancel()
        #expect(await !cancelled.value)
        attempt.settle(.unsent)
        #expect(await other.value)
    }

    @Test("A dropped attempt counts as silence if the password was sent, and as nothing otherwise") func dropped() {
        let clock = ManualClock(nanoseconds: 1)
        let budget = budget(clock)
        do {
            guard case .go = budget.attempt(wiki, path: "/") else {
                Issue.record("the first attempt is allowed")
                return
            }
        }
        for _ in 0..<2 {
            guard case .go(var attempt) = budget.attempt(wiki, path: "/") else {
                Issue.record("nothing was sent, or once")
                return
            }
            attempt.hasSentPassword = true
        }
        guard case .resultUnknown(let end) = budget.attempt(wiki, path: "/") else {
            Issue.record("the server was silent twice")
            return
        }
        #expect(end - clock.now == 60_000_000_000)
    }

    @Test("The turn of one password is no place in the queue of another") func ticketOfAnother() throws {
        func turn(_ budget: PasswordBudget, after other: AttemptTurn? = nil) throws -> AttemptTurn {
            switch budget.attempt(wiki, path: "/", after: other) {
            case .wait(let turn): return turn
            default: throw CancellationError()
            }
        }
        func attempt(_ budget: PasswordBudget) throws -> PasswordBudget.Attempt {
            switch budget.attempt(wiki, path: "/") {
            case .go(let attempt): return attempt
            default: throw CancellationError()
            }
        }
        let (one, other) = (budget(ManualClock()), budget(ManualClock()))
        // While they run, others wait.
        let first = try attempt(one)
        let second = try attempt(other)
        let (mine, foreign) = (try turn(one), try turn(other))
        #expect(mine.number == foreign.number)
        #expect(try turn(one, after: foreign).number != mine.number)
        _ = consume first
        _ = consume second
    }

    @Test("A turn is called once, also if it is asked after the call") func calledOnce() {
        let budget = budget()
        guard case .go(var attempt) = budget.attempt(wiki, path: "/"),
            case .wait(let turn) = budget.attempt(wiki, path: "/")
        else {
            Issue.record("one attempt, one turn")
            return
        }
        let calls = Counter()
        turn.whenReady { calls.add() }
        attempt.settle(.accepted)
        attempt.settle(.refused)
        #expect(calls.value == 1)
        turn.whenReady { calls.add() }
        #expect(calls.value == 2)
        #expect(!budget.isSpent(wiki, path: "/"))
    }

    @Test("At the bound of all accounts together a password keeps one place, and an untried host is answered")
    func totalBound() {
        let total = PlaceCount()
        total.add(PlaceCount.maximum)
        do {
            var state = PasswordState(isShared: false, rules: .init(LockoutRules()), total: total)
            for index in 0..<10 {
                let place = Place(host: "\(index).example", isProxy: false)
                let now = MonotonicTime(nanoseconds: 0)
                guard case .go(let number) = state.admit(place, path: "/", waiting: nil, now: now) else {
                    Issue.record("an untried host is not answered")
                    return
                }
                state.settle(number, place, path: "/", .refused, now: now)
                #expect(state.placeCount == 1)
            }
        }
        let budget = PasswordBudget(isShared: false, rules: LockoutRules(), total: total)
        guard case .go(var attempt) = budget.attempt(wiki, path: "/") else {
            Issue.record("an untried host is not answered")
            return
        }
        attempt.settle(.refused)
        #expect(budget.isSpent(wiki, path: "/"))
    }

    @Test("A hung attempt delays others until its limit only") func hung() async {
        var rules = LockoutRules()
        rules.attemptLimit = .milliseconds(50)
        let budget = PasswordBudget(isShared: false, rules: rules)
        guard case .go(let attempt) = budget.attempt(wiki, path: "/") else {
            Issue.record("the first attempt is allowed")
            return
        }
        #expect(await tryPassword(budget, wiki) { .accepted })
        _ = consume attempt
    }
}

import Sallyport
import Synchronization
import TestLimits
import TestSupport
import Testing

@testable import ChallengeHandling

/// The budget, whose attempts mostly run under passes, beside the state alone, which counts each: both decide alike.
@Suite(.inTurn) struct PasswordBudgetAgreementTests {
    @Test("Budget and state decide alike", arguments: 0..<20 as Range<UInt64>) func agreement(group: UInt64) {
        var attemptsUnderPass = 0
        for seed in group * 10..<group * 10 + 10 {
            var pair = BudgetPair(seed: seed)
            for step in 0..<600 { pair.step("seed \(seed), step \(step)") }
            attemptsUnderPass += pair.attemptsUnderPass
        }
        #expect(attemptsUnderPass > 0)
    }
}

/// One budget and its twin, with what runs at both.
private struct BudgetPair: ~Copyable {
    /// An attempt at the budget, and its number at the twin.
    private final class Pair {
        var attempt: PasswordBudget.Attempt?
        let number: UInt64
        let place: Place
        let path: RequestPath

        init(_ attempt: consuming PasswordBudget.Attempt, _ number: UInt64, _ place: Place, path: RequestPath) {
            self.attempt = consume attempt
            (self.number, self.place, self.path) = (number, place, path)
        }
    }

    /// A request that waits at both.
    private struct Waiting {
        let turn: AttemptTurn
        let number: UInt64
        /// The number of an attempt that nothing has judged, which the turn knows, too.
        let unjudged: UInt64?
        let place: Place
        let path: RequestPath
    }

    /// More than may have passes.
    private static let places = (0..<24).map { Place(host: "host\($0).acme.example", isProxy: $0 == 3) }
    private static let paths: [RequestPath] = ["/docs/a", "/docs/secret", "/other/b", "/deep/c/d"]

    private var generator: SeededGenerator
    private let clock = ManualClock(nanoseconds: 1)
    private let budget: PasswordBudget
    private var twin: PasswordState
    private var rules = LockoutRules()
    private let places: ArraySlice<Place>
    private var running: [Pair] = []
    /// An attempt that nothing has judged, and its number at the twin.
    private var unjudged: (PasswordBudget.Companion, number: UInt64, Place, RequestPath)?
    /// The requests that the twin has called.
    private var called: Set<UInt64> = []
    private var waiting: [Waiting] = []
    private var passes: [String: StandingPass] = [:]
    private(set) var attemptsUnderPass = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        places = Self.places.prefix(seed % 4 == 0 ? Self.places.count : 4)
        rules.refusalLifetime = seed % 3 == 0 ? nil : .seconds(60)
        budget = PasswordBudget(isShared: seed & 1 == 1, rules: rules, clock: clock)
        twin = PasswordState(isShared: seed & 1 == 1, rules: .init(rules))
    }

    private mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    mutating func step(_ context: String) {
        let (place, path) = (places[random(places.count)], Self.paths[random(Self.paths.count)])
        switch random(100) {
        case 0..<40: beginWhileProven(place, path, context)
        case 40..<50: begin(place, path, context)
        case 50..<85: settle()
        case 85..<90: askAgain(context)
        case 90: drop()
        case 91: budget.recordRefusal(place, path: path); twin.recordRefusal(place, path: path, now: clock.now)
        case 92: budget.readmit(place); _ = twin.readmit(place)
        case 93 where random(4) == 0: forgive()
        case 94 where random(4) == 0: changeRules()
        default: clock.advance(by: .milliseconds([1, 10, 40, 99, 100, 700, 3_000, 70_000, 1_900_000][random(9)]))
        }
        compare(context)
    }

    private mutating func beginWhileProven(_ place: Place, _ path: RequestPath, _ context: String) {
        let attempt = attempt(place, path)
        let number = twin.admitWhileProven(place, path: path, now: clock.now)
        guard var found = attempt else {
            #expect(number == nil, "\(context): only the state lets it begin")
            return
        }
        guard let number else {
            Issue.record("\(context): only the budget lets it begin")
            return
        }
        if let pass = found.pass {
            attemptsUnderPass += 1
            passes[place.host] = pass
        }
        found.hasSentPassword = true
        running.append(Pair(found, number, place, path: path))
    }

    /// An attempt under the pass of an earlier one, or with another.
    private func attempt(_ place: Place, _ path: RequestPath) -> PasswordBudget.Attempt? {
        if let pass = passes[place.host], let attempt = budget.attempt(under: pass, path: path) { return attempt }
        return budget.attemptWhileProven(place, path: path)
    }

    private mutating func begin(_ place: Place, _ path: RequestPath, _ context: String) {
        if let (companion, number, place, path) = unjudged.take(), random(2) == 0 {
            let admission = twin.admit(place, path: path, waiting: nil, after: number, now: clock.now)
            let answer = budget.attempt(place, path: path, after: AttemptTurn(after: companion))
            return note(answer, admission, place, path, after: number, context)
        }
        // An attempt of the same request at its other party.
        let beside = running.isEmpty || random(4) > 0 ? nil : running[random(running.count)]
        ask(place, path, nil, besides: beside, context)
    }

    private mutating func askAgain(_ context: String) {
        guard !waiting.isEmpty else { return }
        let request = waiting.remove(at: random(waiting.count))
        // It keeps its number with another turn.
        called.remove(request.number)
        ask(request.place, request.path, request, besides: nil, context)
    }

    private mutating func ask(
        _ place: Place,
        _ path: RequestPath,
        _ request: Waiting?,
        besides other: Pair?,
        _ context: String
    ) {
        let companion = other?.attempt?.companion
        let admission = twin.admit(
            place,
            path: path,
            waiting: request?.number,
            besides: other?.number,
            after: request?.unjudged,
            now: clock.now
        )
        let answer = budget.attempt(place, path: path, after: request?.turn, besides: companion)
        note(answer, admission, place, path, after: request?.unjudged, context)
    }

    private mutating func note(
        _ answer: consuming PasswordBudget.Answer,
        _ admission: PasswordState.Admission,
        _ place: Place,
        _ path: RequestPath,
        after unjudged: UInt64?,
        _ context: String
    ) {
        switch consume answer {
        case .go(var attempt):
            guard case .go(let number) = admission else { break }
            attempt.hasSentPassword = random(8) > 0
            running.append(Pair(attempt, number, place, path: path))
            return
        case .wait(let turn):
            guard case .wait(let number, let deadline) = admission else { break }
            #expect(turn.timeLeft == .nanoseconds(max(0, deadline - clock.now)), "\(context)")
            waiting.append(Waiting(turn: turn, number: number, unjudged: unjudged, place: place, path: path))
            return
        case .refused: if admission == .refused { return }
        case .withheld(let end, let isDoubted): if admission == .withheld(until: end, isDoubted: isDoubted) { return }
        case .accountPaused(let end): if admission == .accountPaused(until: end) { return }
        case .resultUnknown(let end): if admission == .resultUnknown(until: end) { return }
        }
        Issue.record("\(context): the state says \(admission)")
    }

    private mutating func settle() {
        guard !running.isEmpty else { return }
        let pair = running.remove(at: random(running.count))
        guard var attempt = pair.attempt.take() else { return }
        var results = [AttemptResult](repeating: .accepted, count: 12)
        results += [.refused, .letIn, .redirected, .inconclusive, .unjudged, .unanswered, .unsent]
        let result = results[random(results.count)]
        if result == .unjudged { unjudged = (attempt.companion, pair.number, pair.place, pair.path) }
        // One that is dropped is settled by itself.
        let isDropped = result == .unsent
        let settled = isDropped && attempt.hasSentPassword ? .unanswered : result
        if isDropped { _ = consume attempt } else { attempt.settle(result) }
        twin.settle(pair.number, pair.place, path: pair.path, settled, now: clock.now)
    }

    /// A request that waits gives up.
    private mutating func drop() {
        guard !waiting.isEmpty else { return }
        let request = waiting.remove(at: random(waiting.count))
        twin.leave(request.number, request.place, now: clock.now)
    }

    private mutating func forgive() {
        budget.forgive()
        twin.forgive()
    }

    private mutating func changeRules() {
        rules.isOneAtATime.toggle()
        budget.update(rules)
        twin.rules = .init(rules)
    }

    /// Looks at one place now and then, because to ask whether it is in doubt takes over what passes have noted.
    private mutating func compare(_ context: String) {
        called.formUnion(twin.calls)
        twin.calls = []
        for request in waiting { #expect(request.turn.isCalled == called.contains(request.number), "\(context)") }
        #expect(budget.hasRefusals == twin.hasRefusals, "\(context)")
        let place = places[random(places.count)]
        #expect(budget.isProven(place) == twin.isProven(place), "\(context)")
        for path in Self.paths {
            #expect(budget.isSpent(place, path: path) == twin.isSpent(place, path: path, now: clock.now), "\(context)")
        }
        guard random(8) == 0 else { return }
        #expect(budget.isInDoubt(place) == twin.isInDoubt(place, now: clock.now), "\(context)")
    }
}

extension AttemptTurn {
    /// Whether the request may ask again before its deadline.
    fileprivate var isCalled: Bool {
        let isCalled = Called()
        whenReady { isCalled.set() }
        return isCalled.value
    }

    private final class Called: Sendable {
        private let flag = Atomic(false)

        var value: Bool { flag.load(ordering: .relaxed) }

        func set() { flag.store(true, ordering: .relaxed) }
    }
}

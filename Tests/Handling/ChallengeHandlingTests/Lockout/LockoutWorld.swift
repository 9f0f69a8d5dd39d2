import Sallyport
import TestSupport

@testable import ChallengeHandling

/// A small world around one password: requests that come, wait, send and give up, servers that ask a directory, and a
/// password that may be wrong from the start or be changed behind our back. It keeps the counts that the rules promise.
struct LockoutWorld {
    /// The facts of one world.
    struct Setting {
        var isShared: Bool
        var isRightAtFirst: Bool
        /// When the directory gets another password.
        var change = Change.never
        /// Whether one page of one place refuses the account although its password is right.
        var hasForbiddenPage = false
        /// Whether connections may hang or be dropped after the password was sent.
        var stalls = false
        var isOneAtATime = false
        /// Whether answers go out in advance to servers that do not say when a nonce is stale, and lose some.
        var losesNonces = false

        enum Change { case never, inQuietTime, atAnyTime }
    }

    private struct Request {
        let id: Int
        let place: Int
        let path: String
        var turn: UInt64?
        /// An attempt in advance that nothing has judged.
        var unjudged: UInt64?
        var wakeAt = MonotonicTime(nanoseconds: .max)
        var isCalled = false
        var asked = 0
    }

    private enum Reply { case none, accepted, refused, failure, lost }

    private struct Attempt {
        let number: UInt64
        let place: Int
        let path: String
        let start: MonotonicTime
        /// The request, if the answer went out in advance.
        var inAdvance: Request?
        /// `nil` until the server has processed the message.
        var reply: Reply?
    }

    static let forbidden = (place: 0, path: "/docs/secret")
    private static let placeCount = 5
    /// More requests and events than any run needs.
    private static let (mostPages, mostSettlings) = (1_000, 20_000)
    private static let paths = ["/docs/a", "/docs/b", "/docs/secret", "/other/c"]

    let setting: Setting
    private var generator: SeededGenerator
    private var now = MonotonicTime(nanoseconds: 1)
    private var state: PasswordState
    private let places: [Place]
    private var requests: [Request] = []
    private var attempts: [Attempt] = []
    private var isRight: Bool
    private var nextID = 0

    /// Bad log-ons that the directory saw in its observation window, and the highest count.
    private var badLogOns: [MonotonicTime] = []
    private(set) var mostBadLogOns = 0
    /// Bad log-ons at each place, over all time.
    private(set) var badLogOnsAtPlace = [Int](repeating: 0, count: placeCount)
    /// The same for attempts that began after the first refusal was known, in one observation window.
    private(set) var badLogOnsAfterRefusal = 0
    private var firstRefusal: MonotonicTime?
    /// Attempts without an answer in their time limit: the rules give them up, and the directory may count them.
    private(set) var givenUp = 0
    /// Requests that were turned away although the password was right all the time and the page is allowed.
    private(set) var wronglyTurnedAway = 0
    private(set) var mostAsked = 0
    private(set) var finished = 0

    init(setting: Setting, seed: UInt64) {
        self.setting = setting
        generator = SeededGenerator(seed: seed)
        isRight = setting.isRightAtFirst
        var rules = LockoutRules()
        rules.isOneAtATime = setting.isOneAtATime
        state = PasswordState(isShared: setting.isShared, rules: .init(rules))
        places = (0..<Self.placeCount).map { Place(host: "host\($0).acme.example", isProxy: $0 == 4) }
    }

    /// Runs `steps` random events, then lets everything end. Returns whether every request ended.
    mutating func run(steps: Int) -> Bool {
        // An allowed page comes first: a refusal before any success counts as a wrong password.
        for _ in 0..<Self.mostPages where setting.isRightAtFirst && state.standing(of: places[0]).stage != .proven {
            arrive(place: 0, path: "/docs/a")
            guard settleAll() else { return false }
            // After lost attempts a pause may have begun, before which requests end.
            now = now + Int64(60) * 1_000_000_000
        }
        guard !setting.isRightAtFirst || state.standing(of: places[0]).stage == .proven else { return false }
        for step in 0..<steps {
            if setting.change != .never, step == steps / 2 { change() }
            self.step()
        }
        return settleAll()
    }

    /// Lets everything end; `false` if it does not.
    private mutating func settleAll() -> Bool {
        for _ in 0..<Self.mostSettlings {
            if requests.isEmpty, attempts.isEmpty { return true }
            settle()
        }
        return false
    }

    private mutating func step() {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<30:
            let place = Int.random(in: 0..<Self.placeCount, using: &generator)
            arrive(place: place, path: Self.paths[Int.random(in: 0..<Self.paths.count, using: &generator)])
        case 30..<55: process()
        case 55..<80: deliver()
        case 80..<92: askAgain()
        case 92..<95: giveUp()
        default: advance()
        }
    }

    /// One event that brings the end nearer.
    private mutating func settle() {
        if attempts.contains(where: { $0.reply == nil }) { return process() }
        if !attempts.isEmpty { return deliver() }
        if requests.contains(where: { $0.isCalled }) { return askAgain() }
        if let next = requests.map(\.wakeAt).min() { now = max(now, next) }
        askAgain()
    }

    private mutating func arrive(place: Int, path: String) {
        nextID += 1
        ask(Request(id: nextID, place: place, path: path))
    }

    private mutating func ask(_ request: Request) {
        var request = request
        request.asked += 1
        mostAsked = max(mostAsked, request.asked)
        let (place, path) = (places[request.place], RequestPath(request.path))
        if setting.losesNonces, request.turn == nil, request.unjudged == nil,
            let number = state.admitWhileProven(place, path: path, now: now)
        {
            attempts.append(
                Attempt(number: number, place: request.place, path: request.path, start: now, inAdvance: request)
            )
            return
        }
        let admission = state.admit(place, path: path, waiting: request.turn, after: request.unjudged, now: now)
        switch admission {
        case .go(let number):
            attempts.append(Attempt(number: number, place: request.place, path: request.path, start: now))
        case .wait(let number, let deadline):
            request.turn = number
            request.wakeAt = deadline
            request.isCalled = false
            requests.append(request)
        case .refused, .withheld, .accountPaused, .resultUnknown:
            finished += 1
            let isForbidden = setting.hasForbiddenPage && (request.place, request.path) == Self.forbidden
            if setting.isRightAtFirst, setting.change == .never, !isForbidden { wronglyTurnedAway += 1 }
        }
        call()
    }

    private mutating func call() {
        for number in state.calls {
            for index in requests.indices where requests[index].turn == number { requests[index].isCalled = true }
        }
        state.calls = []
    }

    /// A server checks a password against the directory.
    private mutating func process() {
        let open = attempts.indices.filter { attempts[$0].reply == nil }
        guard let index = open.randomElement(using: &generator) else { return }
        let attempt = attempts[index]
        if setting.stalls, Int.random(in: 0..<20, using: &generator) == 0 {
            // The connection fails; the directory may have seen the password all the same.
            if Bool.random(using: &generator), !isRight { countBadLogOn(attempt) }
            attempts[index].reply = Reply.none
            return
        }
        if attempt.inAdvance != nil, Int.random(in: 0..<4, using: &generator) == 0 {
            // The server does not know the nonce, so it asks no directory.
            attempts[index].reply = .lost
            return
        }
        guard isRight else {
            countBadLogOn(attempt)
            attempts[index].reply = .refused
            return
        }
        if setting.hasForbiddenPage, (attempt.place, attempt.path) == Self.forbidden {
            attempts[index].reply = .refused
        } else {
            let fails = Int.random(in: 0..<20, using: &generator) == 0
            attempts[index].reply = fails ? .failure : .accepted
        }
    }

    private mutating func countBadLogOn(_ attempt: Attempt) {
        badLogOnsAtPlace[attempt.place] += 1
        let window = Int64(30 * 60) * 1_000_000_000
        if let firstRefusal, attempt.start > firstRefusal, now < firstRefusal + window { badLogOnsAfterRefusal += 1 }
        badLogOns.removeAll { $0 + window <= now }
        badLogOns.append(now)
        mostBadLogOns = max(mostBadLogOns, badLogOns.count)
    }

    private mutating func deliver() {
        let answered = attempts.indices.filter { attempts[$0].reply != nil }
        guard let index = answered.randomElement(using: &generator) else { return }
        let attempt = attempts.remove(at: index)
        if let request = attempt.inAdvance, attempt.reply == .refused || attempt.reply == .lost {
            return deliverUnjudged(attempt, of: request)
        }
        finished += 1
        if now >= attempt.start + Int64(60) * 1_000_000_000 || attempt.reply == Reply.none { givenUp += 1 }
        let result: AttemptResult
        switch attempt.reply {
        case .accepted?: result = .accepted
        case .refused?:
            result = .refused
            if !isRight, firstRefusal == nil {
                firstRefusal = now
                now = now + 1
            }
        case .failure?, .lost?: result = .inconclusive
        case Reply.none?, nil:
            result = .unanswered
        }
        state.settle(attempt.number, places[attempt.place], path: RequestPath(attempt.path), result, now: now)
        call()
    }

    /// The challenge of a lost nonce and that of a refusal look alike.
    private mutating func deliverUnjudged(_ attempt: Attempt, of request: Request) {
        if attempt.reply == .refused, !isRight, firstRefusal == nil {
            firstRefusal = now
            now = now + 1
        }
        state.settle(attempt.number, places[attempt.place], path: RequestPath(attempt.path), .unjudged, now: now)
        call()
        var request = request
        request.unjudged = attempt.number
        ask(request)
    }

    private mutating func askAgain() {
        let ready = requests.indices.filter { requests[$0].isCalled || requests[$0].wakeAt <= now }
        guard let index = ready.randomElement(using: &generator) else { return }
        ask(requests.remove(at: index))
    }

    private mutating func giveUp() {
        guard let index = requests.indices.randomElement(using: &generator) else { return }
        let request = requests.remove(at: index)
        finished += 1
        if let turn = request.turn { state.leave(turn, places[request.place], now: now) }
        call()
    }

    private mutating func advance() {
        guard attempts.isEmpty || setting.stalls else { return }
        let jumps: [Double] = [0.001, 0.05, 0.3, 3, 70, 400]
        let jump = jumps[Int.random(in: 0..<jumps.count, using: &generator)]
        now = now + Int64(jump * 1e9)
    }

    private mutating func change() {
        if setting.change == .inQuietTime {
            // What does not end now is seen at the end of the run.
            _ = settleAll()
            now = now + Int64(1) * 1_000_000_000
        }
        isRight = false
    }
}

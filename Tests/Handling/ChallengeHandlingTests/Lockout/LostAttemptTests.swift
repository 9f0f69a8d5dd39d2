import Sallyport
import TestSupport
import Testing

@testable import ChallengeHandling

/// Attempts whose connection is lost before a response.
@Suite struct LostAttemptTests {
    static let wiki = Place(host: "wiki.acme.example", isProxy: false)
    static let mail = Place(host: "mail.acme.example", isProxy: false)
    static let proxy = Place(host: "proxy.acme.example", isProxy: true)

    static func seconds(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    static func state(isShared: Bool = true, maximumRefusals: Int = 2) -> PasswordState {
        var rules = LockoutRules()
        rules.maximumRefusals = maximumRefusals
        return PasswordState(isShared: isShared, rules: .init(rules))
    }

    /// The number of an attempt that must be allowed.
    static func go(
        _ state: inout PasswordState,
        _ place: Place,
        _ time: Double,
        besides companion: UInt64? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) -> UInt64 {
        let admission = state.admit(place, path: "/", waiting: nil, besides: companion, now: seconds(time))
        guard case .go(let number) = admission else {
            Issue.record("\(admission)", sourceLocation: location)
            return 0
        }
        return number
    }

    /// An attempt with a result.
    static func attempt(
        _ state: inout PasswordState,
        _ place: Place,
        _ time: Double,
        _ result: AttemptResult,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let number = go(&state, place, time, location)
        state.settle(number, place, path: "/", result, now: seconds(time))
    }

    @Test(
        "The next attempt goes out at once while a log-on is left of those that the directory may count, then none does",
        arguments: 1...5
    )
    func lost(maximum: Int) {
        var state = Self.state(maximumRefusals: maximum)
        for number in 0..<maximum { Self.attempt(&state, Self.wiki, Double(number) * 10, .unanswered) }
        // The first one is forgotten after the observation window.
        let paused = PasswordState.Admission.resultUnknown(until: Self.seconds(1_800))
        for place in [Self.wiki, Self.mail] {
            #expect(state.admit(place, path: "/", waiting: nil, now: Self.seconds(1_790)) == paused)
        }
        Self.attempt(&state, Self.mail, 1_800, .unanswered)
        if maximum > 1 {
            let next = PasswordState.Admission.resultUnknown(until: Self.seconds(1_810))
            #expect(state.admit(Self.mail, path: "/", waiting: nil, now: Self.seconds(1_800)) == next)
        }
    }

    @Test("A lost attempt and a refusal count together, in either order", arguments: [false, true])
    func withRefusal(isLostFirst: Bool) {
        var state = Self.state()
        Self.attempt(&state, Self.wiki, 0, isLostFirst ? .unanswered : .refused)
        Self.attempt(&state, Self.mail, 10, isLostFirst ? .refused : .unanswered)
        let paused = PasswordState.Admission.resultUnknown(until: Self.seconds(1_800))
        #expect(state.admit(Self.proxy, path: "/", waiting: nil, now: Self.seconds(10)) == paused)
    }

    @Test("A success in between shows that the password was right") func success() {
        var state = Self.state()
        for time in 0..<100 {
            Self.attempt(&state, Self.wiki, Double(time), .unanswered)
            Self.attempt(&state, Self.mail, Double(time) + 0.5, .accepted)
        }
        // A success of an attempt that began before the loss does not: the password may have changed in between.
        Self.attempt(&state, Self.mail, 200, .accepted)
        let early = Self.go(&state, Self.mail, 200)
        Self.attempt(&state, Self.wiki, 200, .unanswered)
        state.settle(early, Self.mail, path: "/", .accepted, now: Self.seconds(201))
        Self.attempt(&state, Self.wiki, 201, .unanswered)
        let paused = PasswordState.Admission.resultUnknown(until: Self.seconds(2_000))
        #expect(state.admit(Self.wiki, path: "/", waiting: nil, now: Self.seconds(201)) == paused)
    }

    @Test("Where the password is proven, lost connections hold up nothing") func proven() {
        for isShared in [false, true] {
            var state = Self.state(isShared: isShared)
            Self.attempt(&state, Self.wiki, 0, .accepted)
            for time in 1..<100 { Self.attempt(&state, Self.wiki, Double(time), .unanswered) }
        }
    }

    @Test("Requests that wait learn of the loss at once: the first one goes, and of two losses all") func waiting()
        throws
    {
        var state = Self.state()
        let first = Self.go(&state, Self.wiki, 0)
        var waiting: [UInt64] = []
        for _ in 0..<3 {
            guard case .wait(let number, _) = state.admit(Self.wiki, path: "/", waiting: nil, now: Self.seconds(0))
            else {
                Issue.record("two attempts run at once")
                return
            }
            waiting.append(number)
        }
        state.settle(first, Self.wiki, path: "/", .unanswered, now: Self.seconds(1))
        #expect(state.calls == [waiting[0]])
        state.calls = []
        guard case .go(let second) = state.admit(Self.wiki, path: "/", waiting: waiting[0], now: Self.seconds(1)) else {
            Issue.record("the second attempt waits")
            return
        }
        state.settle(second, Self.wiki, path: "/", .unanswered, now: Self.seconds(2))
        #expect(state.calls == [waiting[1], waiting[2]])
        for number in waiting[1...] {
            let answer = state.admit(Self.wiki, path: "/", waiting: number, now: Self.seconds(2))
            #expect(answer == .resultUnknown(until: Self.seconds(1_801)))
        }
    }

    @Test("A request that carries the password to its proxy and its origin loses one log-on", arguments: [false, true])
    func companions(proxyEndsFirst: Bool) {
        var state = Self.state()
        let proxy = Self.go(&state, Self.proxy, 0)
        let origin = Self.go(&state, Self.wiki, 0, besides: proxy)
        let order =
            proxyEndsFirst ? [(proxy, Self.proxy), (origin, Self.wiki)] : [(origin, Self.wiki), (proxy, Self.proxy)]
        for (number, place) in order { state.settle(number, place, path: "/", .unanswered, now: Self.seconds(0)) }
        // One is left, and is lost in one of its two parts only.
        let second = Self.go(&state, Self.proxy, 1)
        let other = Self.go(&state, Self.wiki, 1, besides: second)
        state.settle(second, Self.proxy, path: "/", .unanswered, now: Self.seconds(1))
        state.settle(other, Self.wiki, path: "/", .unsent, now: Self.seconds(1))
        let paused = PasswordState.Admission.resultUnknown(until: Self.seconds(1_800))
        #expect(state.admit(Self.mail, path: "/", waiting: nil, now: Self.seconds(1)) == paused)
    }

    @Test("Attempts that were given up count until they end") func givenUp() {
        var state = Self.state()
        let first = Self.go(&state, Self.wiki, 0)
        let second = Self.go(&state, Self.mail, 60)
        // Both may still be counted. The next may begin when one of them has ended, so it asks again soon.
        let paused = PasswordState.Admission.resultUnknown(until: Self.seconds(180))
        #expect(state.admit(Self.proxy, path: "/", waiting: nil, now: Self.seconds(120)) == paused)
        var freed = state
        freed.settle(first, Self.wiki, path: "/", .inconclusive, now: Self.seconds(130))
        _ = Self.go(&freed, Self.proxy, 130)
        state.settle(first, Self.wiki, path: "/", .unanswered, now: Self.seconds(300))
        state.settle(second, Self.mail, path: "/", .unanswered, now: Self.seconds(360))
        let later = PasswordState.Admission.resultUnknown(until: Self.seconds(2_100))
        #expect(state.admit(Self.proxy, path: "/", waiting: nil, now: Self.seconds(400)) == later)
    }

    @Test("Without a domain the first loss costs nothing, the second a minute, at this place only") func local() {
        var state = Self.state(isShared: false)
        for _ in 0..<2 { Self.attempt(&state, Self.wiki, 0, .unanswered) }
        #expect(
            state.admit(Self.wiki, path: "/", waiting: nil, now: Self.seconds(0))
                == .resultUnknown(until: Self.seconds(60))
        )
        Self.attempt(&state, Self.mail, 0, .unanswered)
        // A pause that is nearly over is waited for.
        let wait = state.admit(Self.wiki, path: "/", waiting: nil, now: Self.seconds(55))
        guard case .wait(_, let end) = wait else {
            Issue.record("\(wait)")
            return
        }
        #expect(end == Self.seconds(60))
    }

    @Test("A person who says that the password is right lets it go out again") func waysBack() {
        var state = Self.state()
        for _ in 0..<2 { Self.attempt(&state, Self.wiki, 0, .unanswered) }
        state.forgive()
        Self.attempt(&state, Self.wiki, 1, .refused)
        Self.attempt(&state, Self.mail, 1, .unanswered)
        let isReadmitted = state.readmit(Self.wiki)
        #expect(isReadmitted)
        Self.attempt(&state, Self.wiki, 1, .accepted)
    }
}

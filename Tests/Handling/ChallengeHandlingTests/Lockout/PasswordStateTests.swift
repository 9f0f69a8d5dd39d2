import Sallyport
import Testing

@testable import ChallengeHandling

@Suite struct PasswordStateTests {
    let wiki = Place(host: "wiki.acme.example", isProxy: false)
    let mail = Place(host: "mail.acme.example", isProxy: false)
    let build = Place(host: "build.acme.example", isProxy: false)
    var local = PasswordState(isShared: false, rules: .init(LockoutRules()))
    var domain = PasswordState(isShared: true, rules: .init(LockoutRules()))

    static func seconds(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    /// Admits a request that must be allowed, and returns its number.
    func go(
        _ state: inout PasswordState,
        _ place: Place,
        _ path: RequestPath = "/",
        _ time: Double = 0,
        waiting: UInt64? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) -> UInt64 {
        let admission = state.admit(place, path: path, waiting: waiting, now: Self.seconds(time))
        guard case .go(let number) = admission else {
            Issue.record("\(admission)", sourceLocation: location)
            return 0
        }
        return number
    }

    func waits(_ admission: PasswordState.Admission) -> UInt64? {
        guard case .wait(let number, _) = admission else { return nil }
        return number
    }

    func prove(_ state: inout PasswordState, _ place: Place, _ path: RequestPath = "/", _ time: Double = 0) {
        let number = go(&state, place, path, time)
        state.settle(number, place, path: path, .accepted, now: Self.seconds(time))
    }

    @Test("A refused password is not sent to the place again") mutating func refused() {
        let number = go(&local, wiki)
        local.settle(number, wiki, path: "/", .refused, now: Self.seconds(0))
        #expect(local.admit(wiki, path: "/", waiting: nil, now: Self.seconds(1e6)) == .refused)
        #expect(local.isSpent(wiki, path: "/other", now: Self.seconds(1)))
        #expect(!local.isSpent(mail, path: "/", now: Self.seconds(1)))
        _ = go(&local, mail)
    }

    @Test("Without a domain each place has its own attempt; with a domain there is one for all")
    mutating func attemptsAtOnce() {
        _ = go(&local, wiki)
        _ = go(&local, mail)
        #expect(waits(local.admit(wiki, path: "/", waiting: nil, now: Self.seconds(0))) != nil)
        _ = go(&domain, wiki)
        #expect(waits(domain.admit(mail, path: "/", waiting: nil, now: Self.seconds(0))) != nil)
    }

    @Test("After an unknown result one waiting request is called; after a success or a refusal all are")
    mutating func calls() throws {
        let first = go(&local, wiki)
        let second = try #require(waits(local.admit(wiki, path: "/", waiting: nil, now: Self.seconds(0))))
        let third = try #require(waits(local.admit(wiki, path: "/", waiting: nil, now: Self.seconds(0))))
        local.settle(first, wiki, path: "/", .unsent, now: Self.seconds(0))
        #expect(local.calls == [second])
        local.calls = []
        // A new request does not overtake the one that was called.
        let fourth = try #require(waits(local.admit(wiki, path: "/", waiting: nil, now: Self.seconds(0))))
        let number = go(&local, wiki, waiting: second)
        local.settle(number, wiki, path: "/", .accepted, now: Self.seconds(0))
        #expect(local.calls == [third, fourth])
        _ = go(&local, wiki, waiting: third)
        _ = go(&local, wiki, waiting: fourth)
    }

    @Test("A request that gives up its call passes it on") mutating func givenUpCall() throws {
        let first = go(&local, wiki)
        let second = try #require(waits(local.admit(wiki, path: "/", waiting: nil, now: Self.seconds(0))))
        let third = try #require(waits(local.admit(wiki, path: "/", waiting: nil, now: Self.seconds(0))))
        local.settle(first, wiki, path: "/", .unsent, now: Self.seconds(0))
        local.leave(second, wiki, now: Self.seconds(0))
        #expect(local.calls == [second, third])
        _ = go(&local, wiki, waiting: third)
    }

    @Test("A hung attempt is given up after its limit, and its late refusal still counts") mutating func hung() throws {
        let first = go(&local, wiki)
        let early = local.admit(wiki, path: "/", waiting: nil, now: Self.seconds(59))
        #expect(early == .wait(number: 2, deadline: Self.seconds(60)))
        let second = go(&local, wiki, "/", 60, waiting: 2)
        local.settle(first, wiki, path: "/", .refused, now: Self.seconds(61))
        #expect(local.admit(wiki, path: "/", waiting: nil, now: Self.seconds(62)) == .refused)
        local.settle(second, wiki, path: "/", .unanswered, now: Self.seconds(63))
    }

    @Test(
        "An attempt that nothing has judged closes the place until its request is judged; older ones take that outcome"
    )
    mutating func unjudged() throws {
        prove(&local, wiki)
        let inAdvance = (0..<4).compactMap { _ in local.admitWhileProven(wiki, path: "/a", now: Self.seconds(0)) }
        try #require(inAdvance.count == 4)
        local.settle(inAdvance[0], wiki, path: "/a", .unjudged, now: Self.seconds(0))
        local.settle(inAdvance[1], wiki, path: "/a", .unjudged, now: Self.seconds(0))
        #expect(local.admitWhileProven(wiki, path: "/a", now: Self.seconds(0)) == nil)
        // A success of an attempt that began before tells nothing of the password now.
        local.settle(inAdvance[2], wiki, path: "/a", .accepted, now: Self.seconds(0))
        #expect(local.admitWhileProven(wiki, path: "/a", now: Self.seconds(0)) == nil)
        let again = local.admit(wiki, path: "/a", waiting: nil, after: inAdvance[0], now: Self.seconds(0))
        guard case .go(let number) = again else { throw Unexpected(admission: again) }
        let waiting = try #require(
            waits(local.admit(wiki, path: "/b", waiting: nil, after: inAdvance[1], now: Self.seconds(0)))
        )
        #expect(waits(local.admit(wiki, path: "/c", waiting: nil, now: Self.seconds(0))) != nil)
        var accepted = local
        local.settle(number, wiki, path: "/a", .refused, now: Self.seconds(0))
        let end = Self.seconds(1_800)
        #expect(
            local.admit(wiki, path: "/b", waiting: waiting, after: inAdvance[1], now: Self.seconds(0))
                == .withheld(until: end, isDoubted: true)
        )
        // One that comes later takes the outcome, too; a request that has sent nothing may try.
        local.settle(inAdvance[3], wiki, path: "/d", .unjudged, now: Self.seconds(0))
        #expect(
            local.admit(wiki, path: "/d", waiting: nil, after: inAdvance[3], now: Self.seconds(0))
                == .withheld(until: end, isDoubted: true)
        )
        let second = go(&local, wiki, "/c")
        local.settle(second, wiki, path: "/c", .refused, now: Self.seconds(0))
        #expect(local.admit(wiki, path: "/e", waiting: nil, now: Self.seconds(0)) == .refused)

        // A success opens the place again, and a late challenge closes it: the password may have changed since.
        accepted.settle(number, wiki, path: "/a", .accepted, now: Self.seconds(0))
        #expect(accepted.admitWhileProven(wiki, path: "/f", now: Self.seconds(0)) != nil)
        accepted.settle(inAdvance[3], wiki, path: "/d", .unjudged, now: Self.seconds(0))
        #expect(accepted.admitWhileProven(wiki, path: "/f", now: Self.seconds(0)) == nil)
        let late = accepted.admit(wiki, path: "/d", waiting: nil, after: inAdvance[3], now: Self.seconds(0))
        guard case .go(let last) = late else { throw Unexpected(admission: late) }
        #expect(waits(accepted.admit(wiki, path: "/b", waiting: nil, after: inAdvance[1], now: Self.seconds(0))) != nil)
        accepted.settle(last, wiki, path: "/d", .accepted, now: Self.seconds(0))
        #expect(accepted.admitWhileProven(wiki, path: "/f", now: Self.seconds(0)) != nil)
        #expect(accepted.admitWhileProven(wiki, path: "/f", now: Self.seconds(0.1)) == nil)
    }

    private struct Unexpected: Error { let admission: PasswordState.Admission }

    @Test("Two refusals in a row stop a domain password everywhere for the observation window")
    mutating func directory() {
        for place in [wiki, mail] {
            let number = go(&domain, place)
            domain.settle(number, place, path: "/", .refused, now: Self.seconds(0))
        }
        let later = domain.admit(build, path: "/", waiting: nil, now: Self.seconds(1_799))
        #expect(later == .accountPaused(until: Self.seconds(1_800)))
        _ = go(&domain, build, "/", 1_800)
        #expect(domain.admit(wiki, path: "/", waiting: nil, now: Self.seconds(1_801)) == .refused)
    }

    @Test("A success between two refusals resets the count") mutating func successBetween() {
        let first = go(&domain, wiki)
        domain.settle(first, wiki, path: "/", .refused, now: Self.seconds(0))
        prove(&domain, mail)
        let second = go(&domain, build)
        domain.settle(second, build, path: "/", .refused, now: Self.seconds(0))
        prove(&domain, Place(host: "other.acme.example", isProxy: false))
    }

    @Test("A page without permission withholds that page, and all others still work")
    mutating func forbiddenPage() {
        prove(&domain, wiki, "/docs/a")
        let number = go(&domain, wiki, "/docs/secret")
        domain.settle(number, wiki, path: "/docs/secret", .refused, now: Self.seconds(0))
        let again = domain.admit(wiki, path: "/docs/secret", waiting: nil, now: Self.seconds(1))
        #expect(again == .withheld(until: Self.seconds(1_800), isDoubted: true))
        for page in 0..<1_000 { prove(&domain, wiki, RequestPath("/docs/\(page)"), Double(page) / 10) }
        let later = domain.admit(wiki, path: "/docs/secret", waiting: nil, now: Self.seconds(101))
        #expect(later == .withheld(until: Self.seconds(300), isDoubted: false))
        #expect(domain.isSpent(wiki, path: "/docs/secret", now: Self.seconds(299)))
        _ = go(&domain, wiki, "/docs/secret", 301)
    }

    @Test("A directory in which nothing was accepted is withheld as a whole") mutating func forbiddenDirectory() {
        prove(&domain, wiki, "/docs/a")
        let number = go(&domain, wiki, "/hr/salaries")
        domain.settle(number, wiki, path: "/hr/salaries", .refused, now: Self.seconds(0))
        #expect(domain.isSpent(wiki, path: "/hr/bonuses/2026", now: Self.seconds(1)))
        #expect(!domain.isSpent(wiki, path: "/hr", now: Self.seconds(1)))
    }

    @Test("Two attempts of one request hold the gate together, in whatever order they end", arguments: [false, true])
    mutating func companions(proxyEndsFirst: Bool) throws {
        let proxy = go(&domain, wiki)
        guard case .go(let origin) = domain.admit(mail, path: "/", waiting: nil, besides: proxy, now: Self.seconds(0))
        else {
            Issue.record("the request waits for itself")
            return
        }
        let waiting = try #require(waits(domain.admit(build, path: "/", waiting: nil, now: Self.seconds(0))))
        let order = proxyEndsFirst ? [(proxy, wiki), (origin, mail)] : [(origin, mail), (proxy, wiki)]
        domain.settle(order[0].0, order[0].1, path: "/", .unsent, now: Self.seconds(0))
        #expect(domain.calls.isEmpty)
        #expect(waits(domain.admit(mail, path: "/", waiting: nil, now: Self.seconds(0))) != nil)
        domain.settle(order[1].0, order[1].1, path: "/", .unsent, now: Self.seconds(0))
        #expect(domain.calls == [waiting])
        // An attempt that does not hold the gate opens it for no other.
        _ = go(&domain, build, waiting: waiting)
        #expect(waits(domain.admit(mail, path: "/", waiting: nil, besides: origin, now: Self.seconds(0))) != nil)
    }

    @Test("A password that was changed costs two refusals: one, and one probe") mutating func changedPassword() throws {
        prove(&local, wiki, "/a")
        let first = go(&local, wiki, "/a", 10)
        #expect(waits(local.admit(wiki, path: "/b", waiting: nil, now: Self.seconds(10))) != nil)
        local.settle(first, wiki, path: "/a", .refused, now: Self.seconds(10))
        let next = try #require(local.calls.first)
        let probe = go(&local, wiki, "/b", 10, waiting: next)
        #expect(waits(local.admit(wiki, path: "/c", waiting: nil, now: Self.seconds(10))) != nil)
        local.settle(probe, wiki, path: "/b", .refused, now: Self.seconds(10))
        #expect(local.admit(wiki, path: "/d", waiting: nil, now: Self.seconds(10)) == .refused)
    }

    @Test("Several attempts run at once while successes come in; after a quiet time one runs first")
    mutating func lease() {
        prove(&local, wiki, "/", 0)
        _ = go(&local, wiki, "/a", 0.05)
        _ = go(&local, wiki, "/b", 0.05)
        var quiet = PasswordState(isShared: false, rules: .init(LockoutRules()))
        prove(&quiet, wiki, "/", 0)
        _ = go(&quiet, wiki, "/a", 2)
        let waiting = quiet.admit(wiki, path: "/b", waiting: nil, now: Self.seconds(3.9))
        #expect(waiting == .wait(number: 3, deadline: Self.seconds(4)))
        // A refusal would have come by now: the first page is slow.
        _ = go(&quiet, wiki, "/b", 4, waiting: 3)
        _ = go(&quiet, wiki, "/c", 4)
    }

    @Test("Attempts that began before a refusal was known add nothing to it") mutating func oldAttempts() {
        prove(&local, wiki, "/a/1")
        let first = go(&local, wiki, "/b/x")
        let second = go(&local, wiki, "/b/x")
        let third = go(&local, wiki, "/a/2")
        local.settle(first, wiki, path: "/b/x", .refused, now: Self.seconds(0))
        local.settle(second, wiki, path: "/b/x", .refused, now: Self.seconds(0))
        // This success began before the refusal: the password may have changed in between.
        local.settle(third, wiki, path: "/a/2", .accepted, now: Self.seconds(0))
        let probe = go(&local, wiki, "/a/3")
        #expect(waits(local.admit(wiki, path: "/a/4", waiting: nil, now: Self.seconds(0))) != nil)
        local.settle(probe, wiki, path: "/a/3", .accepted, now: Self.seconds(0))
        _ = go(&local, wiki, "/a/5")
        _ = go(&local, wiki, "/a/6")
    }

    @Test("Two forbidden pages that are read at once are withheld, and the place is not")
    mutating func forbiddenPagesAtOnce() {
        for isShared in [false, true] {
            var state = isShared ? domain : local
            prove(&state, wiki, "/a/1")
            let first = go(&state, wiki, "/a/secret")
            let second = go(&state, wiki, "/b/secret")
            state.settle(first, wiki, path: "/a/secret", .refused, now: Self.seconds(0))
            state.settle(second, wiki, path: "/b/secret", .refused, now: Self.seconds(0))
            #expect(state.isSpent(wiki, path: "/a/secret", now: Self.seconds(0)))
            #expect(state.isSpent(wiki, path: "/b/secret", now: Self.seconds(0)))
            // The next attempt is alone, and its result decides.
            let probe = go(&state, wiki, "/a/2")
            #expect(waits(state.admit(wiki, path: "/a/3", waiting: nil, now: Self.seconds(0))) != nil)
            var refused = state
            refused.settle(probe, wiki, path: "/a/2", .refused, now: Self.seconds(0))
            #expect(refused.isSpent(wiki, path: "/a/3", now: Self.seconds(0)))
            state.settle(probe, wiki, path: "/a/2", .accepted, now: Self.seconds(0))
            _ = go(&state, wiki, "/a/3")
        }
    }

    @Test("Unknown results delay the next attempt more and more; before a long delay requests end at once")
    mutating func pauses() {
        var ends: [Double] = []
        var time = 0.0
        for _ in 0..<6 {
            let number = go(&local, wiki, "/", time)
            local.settle(number, wiki, path: "/", .inconclusive, now: Self.seconds(time))
            switch local.admit(wiki, path: "/", waiting: nil, now: Self.seconds(time)) {
            case .go(let number):
                ends.append(0)
                local.settle(number, wiki, path: "/", .unsent, now: Self.seconds(time))
            case .wait(let waiting, let end):
                #expect(end <= Self.seconds(time + 5))
                ends.append(Double(end.nanoseconds) / 1e9 - time)
                local.leave(waiting, wiki, now: Self.seconds(time))
            case .resultUnknown(let end):
                #expect(end > Self.seconds(time + 5))
                ends.append(Double(end.nanoseconds) / 1e9 - time)
            case let other: Issue.record("\(other)")
            }
            time += 100
        }
        #expect(ends == [0, 1, 2, 4, 8, 16])
    }

    @Test("Forgiveness frees every place") mutating func forgiven() {
        for place in [wiki, mail] {
            let number = go(&domain, place)
            domain.settle(number, place, path: "/", .refused, now: Self.seconds(0))
        }
        #expect(domain.hasRefusals)
        domain.forgive()
        #expect(!domain.hasRefusals)
        _ = go(&domain, wiki)
    }

    @Test("A refusal ends after its lifetime") mutating func lifetime() {
        var rules = LockoutRules()
        rules.refusalLifetime = .seconds(3_600)
        var state = PasswordState(isShared: false, rules: .init(rules))
        let number = go(&state, wiki)
        state.settle(number, wiki, path: "/", .refused, now: Self.seconds(0))
        #expect(state.admit(wiki, path: "/", waiting: nil, now: Self.seconds(3_599)) == .refused)
        _ = go(&state, wiki, "/", 3_600)
    }

    @Test("A refusal without an attempt counts like one with an attempt, also beside running attempts and again")
    mutating func refusalWithoutAttempt() {
        local.recordRefusal(wiki, path: "/", now: Self.seconds(0))
        #expect(local.admit(wiki, path: "/", waiting: nil, now: Self.seconds(1)) == .refused)
        _ = go(&local, mail)
        local.recordRefusal(mail, path: "/", now: Self.seconds(1))
        local.recordRefusal(mail, path: "/", now: Self.seconds(1))
        #expect(local.isSpent(mail, path: "/", now: Self.seconds(2)))

        domain.recordRefusal(wiki, path: "/", now: Self.seconds(0))
        #expect(!domain.isSpent(mail, path: "/", now: Self.seconds(1)))
        domain.recordRefusal(mail, path: "/", now: Self.seconds(1))
        #expect(domain.isSpent(build, path: "/", now: Self.seconds(2)))
        // A password that was proven is doubted first, and not sent to the path that refused it.
        var proven = PasswordState(isShared: false, rules: .init(LockoutRules()))
        prove(&proven, wiki, "/open/a")
        proven.recordRefusal(wiki, path: "/secret/a", now: Self.seconds(1))
        #expect(proven.isSpent(wiki, path: "/secret/a", now: Self.seconds(2)))
        #expect(!proven.isSpent(wiki, path: "/open/a", now: Self.seconds(2)))
    }

    @Test("At the bound accepted places are forgotten before refused ones, and a new place is answered")
    mutating func bound() {
        let number = go(&local, wiki)
        local.settle(number, wiki, path: "/", .refused, now: Self.seconds(0))
        for index in 1..<PasswordState.maximumPlaces + 100 {
            prove(&local, Place(host: "\(index).example", isProxy: false))
        }
        #expect(local.placeCount == PasswordState.maximumPlaces)
        #expect(local.isSpent(wiki, path: "/", now: Self.seconds(0)))
        var refused = PasswordState(isShared: false, rules: .init(LockoutRules()))
        for index in 0..<PasswordState.maximumPlaces + 100 {
            let place = Place(host: "\(index).example", isProxy: false)
            let number = go(&refused, place)
            refused.settle(number, place, path: "/", .refused, now: Self.seconds(0))
        }
        _ = go(&refused, wiki)
        #expect(refused.placeCount == PasswordState.maximumPlaces)
    }
}

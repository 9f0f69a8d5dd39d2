import NTLM
import Synchronization
import TestLimits
import Testing

@testable import ClientAuthentication

@Suite(.inTurn) struct GuessLimitsTests {
    private let time = ManualTime()
    private let limits: GuessLimits

    init() {
        let time = time
        limits = GuessLimits(GuessRules(perAccount: 3, perAddress: 5, windowSeconds: 100)) { time.now }
    }

    private func guess(_ account: String, _ address: String?, isRight: Bool?) -> Bool {
        guard case .success(let attempt) = limits.admit(.init(account: account, address: address)) else { return false }
        attempt.end(isRight: isRight)
        return true
    }

    private func isAdmitted(_ account: String, _ address: String?) -> Bool { guess(account, address, isRight: nil) }

    @Test("After the last wrong password of an account it gets no more until the window has passed")
    func account() {
        for address in ["10.0.0.1", "10.0.0.2", "10.0.0.3"] { #expect(guess("a", address, isRight: false)) }
        #expect(limits.admit(.init(account: "a", address: "10.0.0.4")).failure == TooManyGuesses(seconds: 100))
        #expect(isAdmitted("b", "10.0.0.4"))
        time.add(seconds: 40)
        #expect(limits.admit(.init(account: "a", address: "10.0.0.4")).failure == TooManyGuesses(seconds: 60))
        time.add(seconds: 60)
        #expect(isAdmitted("a", "10.0.0.4"))
    }

    @Test("An address that guesses many accounts gets no more; others do")
    func address() {
        for account in ["a", "b", "c", "d", "e"] { #expect(guess(account, "10.0.0.1", isRight: false)) }
        #expect(!isAdmitted("f", "10.0.0.1"))
        #expect(isAdmitted("f", "10.0.0.2"))
    }

    @Test("A known address is let in while strangers guess, and gets as many wrong passwords of its own")
    func familiar() {
        #expect(guess("a", "10.0.0.9", isRight: true))
        for address in ["10.0.0.1", "10.0.0.2", "10.0.0.3"] { #expect(guess("a", address, isRight: false)) }
        #expect(!isAdmitted("a", "10.0.0.4"))
        #expect(guess("a", "10.0.0.9", isRight: true))
        #expect(!isAdmitted("a", "10.0.0.4"))
        for _ in 0..<3 { #expect(guess("a", "10.0.0.9", isRight: false)) }
        #expect(!isAdmitted("a", "10.0.0.9"))
        time.add(seconds: 100)
        #expect(isAdmitted("a", "10.0.0.9"))
    }

    @Test("A host where an account logged on long ago is a stranger again", arguments: [999, 1_000] as [Int64])
    func forgottenHost(seconds: Int64) {
        let rules = GuessRules(perAccount: 3, perAddress: 5, windowSeconds: 100, familiarSeconds: 1_000)
        let time = time
        let limits = GuessLimits(rules) { time.now }
        func guess(_ address: String, isRight: Bool?) -> Bool {
            guard case .success(let attempt) = limits.admit(.init(account: "a", address: address)) else { return false }
            attempt.end(isRight: isRight)
            return true
        }
        #expect(guess("10.0.0.9", isRight: true))
        time.add(seconds: Double(seconds))
        for address in ["10.0.0.1", "10.0.0.2", "10.0.0.3"] { #expect(guess(address, isRight: false)) }
        #expect(guess("10.0.0.9", isRight: nil) == (seconds < 1_000))
    }

    @Test("A log-on forgives nothing: a stranger beside a user gets as many guesses as without him")
    func interleaved() {
        var guesses = 0
        while guess("a", "10.0.0.9", isRight: false), guesses < 50 {
            guesses += 1
            if guesses == 2 || guesses == 3 { #expect(guess("a", "10.0.0.9", isRight: true) == (guesses == 2)) }
        }
        #expect(guesses == 3)
        #expect(isAdmitted("b", "10.0.0.9"))
    }

    @Test(
        "A pair of account and address that has logged on is not held by the address's bound, in any spelling of the address",
        arguments: [
            ("10.0.0.1", "10.0.0.1"), ("2001:db8::1", "2001:db8:0:0::2"), ("::ffff:10.0.0.1", "10.0.0.1"),
            ("64:ff9b::10.0.0.1", "::ffff:10.0.0.1"), ("fe80::1%eth0", "fe80::2"), ("uid 1000", "uid 1000"),
        ]
    )
    func sameNetwork(user: String, stranger: String) {
        #expect(guess("known", user, isRight: true))
        for account in ["a", "b", "c", "d", "e"] { #expect(guess(account, stranger, isRight: false)) }
        #expect(!isAdmitted("f", stranger) && !isAdmitted("f", user))
        #expect(guess("known", user, isRight: true))
        // Another host of the network has not logged on.
        if GuessPlace(user).host != GuessPlace(stranger).host { #expect(!isAdmitted("known", stranger)) }
        for _ in 0..<3 { #expect(guess("known", user, isRight: false)) }
        #expect(!isAdmitted("known", user))
    }

    @Test(
        "Guesses of IPv6 are counted by the first 64 bits, and those of carried IPv4 addresses one by one",
        arguments: [
            ("2001:db8::1", "2001:db8::ffff", true), ("2001:db8::1", "2001:db8:0:1::1", false),
            ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false), ("64:ff9b::10.0.0.1", "64:ff9b::10.0.0.2", false),
            ("::ffff:0:10.0.0.1", "10.0.0.1", true), ("::FFFF:A00:1", "10.0.0.1", true), ("::1", "::2", true),
            ("uid 1", "uid 2", false),
        ]
    )
    func networks(first: String, second: String, areOne: Bool) {
        for account in ["a", "b", "c", "d", "e"] { #expect(guess(account, first, isRight: false)) }
        #expect(isAdmitted("f", second) == !areOne)
    }

    @Test("A connection that has logged on is not held, until it sends a wrong password")
    func knownConnection() {
        func known(isRight: Bool) -> Bool {
            let guess = GuessLimits.Guess(account: "a", address: "10.0.0.9", isOnKnownConnection: true)
            guard case .success(let attempt) = limits.admit(guess) else { return false }
            attempt.end(isRight: isRight)
            return true
        }
        #expect(guess("a", "10.0.0.9", isRight: true))
        for _ in 0..<2 { #expect(guess("a", "10.0.0.9", isRight: false)) }
        for _ in 0..<9 { #expect(known(isRight: true)) }
        // It counts like any other.
        #expect(known(isRight: false))
        #expect(!isAdmitted("a", "10.0.0.9"))
        #expect(known(isRight: true))
    }

    /// Attempts of one account and address that wait for their turn, in a row; their task says whether they got it.
    private func waiting(_ count: Int) async throws -> [(attempt: GuessAttempt, task: Task<Void, any Error>)] {
        var all: [(GuessAttempt, Task<Void, any Error>)] = []
        for _ in 0..<count {
            let attempt = try limits.admit(.init(account: "a", address: "10.0.0.1")).get()
            let before = limits.waiterCount
            let hasTurn = Atomic(false)
            let task = Task {
                try await attempt.turn()
                hasTurn.store(true, ordering: .relaxed)
            }
            try await eventually("the attempt waits, or need not") {
                limits.waiterCount > before || hasTurn.load(ordering: .relaxed)
            }
            #expect(limits.waiterCount == before + 1, "the attempt got its turn at once")
            all.append((attempt, task))
        }
        return all
    }

    @Test("Guesses at once get no further than guesses in a row: the others wait, and are refused unchecked")
    func concurrent() async throws {
        let first = try (0..<3).map { _ in try limits.admit(.init(account: "a", address: "10.0.0.1")).get() }
        let others = try await waiting(4)
        for attempt in first { try await attempt.turn() }
        for attempt in first.dropLast() { attempt.end(isRight: false) }
        #expect(limits.waiterCount == 4)
        first[2].end(isRight: false)
        for (_, task) in others { await #expect(throws: TooManyGuesses(seconds: 100)) { try await task.value } }
        #expect(limits.waiterCount == 0)
        #expect(!isAdmitted("a", "10.0.0.2"))
    }

    @Test("A user who sends the right password on many connections at once is never refused")
    func manyConnections() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<200 {
                group.addTask { [limits] in
                    for round in 0..<20 {
                        let attempt = try limits.admit(.init(account: "a", address: "10.0.0.1")).get()
                        try await attempt.turn()
                        if round % 3 == 0 { await Task.yield() }
                        attempt.end(isRight: true)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(limits.waiterCount == 0)
    }

    @Test("A wait ends with its task and with its attempt, and takes no turn from the others")
    func endedWaits() async throws {
        let first = try (0..<3).map { _ in try limits.admit(.init(account: "a", address: "10.0.0.1")).get() }
        let others = try await waiting(3)
        others[0].task.cancel()
        others[1].attempt.end(isRight: nil)
        for (_, task) in others.prefix(2) { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(limits.waiterCount == 1)
        first[0].end(isRight: nil)
        try await others[2].task.value
        for attempt in first + others.map(\.attempt) { attempt.end(isRight: nil) }
        #expect(limits.recordCount == 0)
    }

    @Test("Strangers who wait do not keep a known user from his turn")
    func waitingStrangers() async throws {
        #expect(guess("a", "10.0.0.9", isRight: true))
        let first = try (0..<3).map { _ in try limits.admit(.init(account: "a", address: "10.0.0.1")).get() }
        let strangers = try await waiting(2)
        #expect(guess("a", "10.0.0.9", isRight: true))
        for attempt in first { attempt.end(isRight: nil) }
        for (attempt, task) in strangers {
            try await task.value
            attempt.end(isRight: nil)
        }
    }

    @Test("An attempt that is dropped proves nothing, and the records of idle accounts are gone")
    func dropped() {
        for _ in 0..<20 { _ = limits.admit(.init(account: "a", address: "10.0.0.1")) }
        #expect(limits.recordCount == 0)
        #expect(isAdmitted("a", nil))
        for _ in 0..<3 { #expect(guess("a", nil, isRight: false)) }
        #expect(!isAdmitted("a", nil))
    }

    @Test("Without an address a log-on forgives nothing, so that a stranger cannot guess on beside a user")
    func withoutAddress() {
        for _ in 0..<2 {
            #expect(guess("a", nil, isRight: false))
            #expect(guess("a", nil, isRight: true))
        }
        #expect(guess("a", nil, isRight: false))
        #expect(!isAdmitted("a", nil))
        time.add(seconds: 100)
        #expect(isAdmitted("a", nil))
    }

    /// How many wrong passwords are admitted, for an account or from an address.
    private func wrongGuesses(_ names: (Int) -> (account: String, address: String)) -> Int {
        (0..<20).count { guess(names($0).account, names($0).address, isRight: false) }
    }

    @Test("A flood of guesses forgets no guess, no lock and no known address", arguments: [33_000, 120_000])
    func flood(count: Int) {
        #expect(guess("known", "192.0.2.1", isRight: true))
        for number in 0..<3 { #expect(guess("locked", "192.0.2.1\(number)", isRight: false)) }
        // One below the bound of an account, and of an address.
        for number in 0..<2 { #expect(guess("almost", "192.0.2.3\(number)", isRight: false)) }
        for number in 0..<4 { #expect(guess("of an address \(number)", "192.0.2.40", isRight: false)) }
        for number in 0..<count { _ = guess("\(number)", "10.\(number)", isRight: false) }
        #expect(!isAdmitted("locked", "192.0.2.99"))
        // Where there is no room for the other key of a guess, even the last one may be refused.
        let least = 2 * count < GuessTable.mostRecords ? 1 : 0
        #expect((least...1).contains(wrongGuesses { ("almost", "192.0.2.\(100 + $0)") }))
        #expect((least...1).contains(wrongGuesses { ("of an address \(4 + $0)", "192.0.2.40") }))
        #expect(wrongGuesses { ("known", "192.0.2.\(200 + $0)") } <= 3)
        #expect(guess("known", "192.0.2.1", isRight: true))
    }

    @Test(
        "When a flood fills the table, further accounts are refused earlier, never later, and only until the window ends"
    )
    func sharedRecords() {
        for number in 0..<120_000 { _ = guess("\(number)", "10.\(number)", isRight: false) }
        for account in (0..<100).map({ "new \($0)" }) {
            var guesses = 0
            while guess(account, "192.0.2.\(guesses)", isRight: false), guesses < 20 { guesses += 1 }
            #expect(guesses <= 3)
        }
        time.add(seconds: 100)
        #expect(guess("new 1", "192.0.2.1", isRight: false))
    }

    @Test("A user who logs on from many addresses makes no other user's address unknown")
    func manyPlaces() {
        #expect(guess("user", "192.0.2.1", isRight: true))
        for number in 0..<100_000 {
            time.add(seconds: 0.0001)
            #expect(guess("insider", "10.\(number)", isRight: true))
        }
        #expect(limits.recordCount <= GuessTable.mostKnownOfAccount + 1)
        for number in 0..<3 { #expect(guess("user", "192.0.2.2\(number)", isRight: false)) }
        #expect(isAdmitted("user", "192.0.2.1"))
    }

    @Test("The number of records is bounded")
    func bound() {
        let time = time
        let limits = GuessLimits(GuessRules(perAddress: .max)) { time.now }
        for number in 0..<40_000 {
            guard case .success(let attempt) = limits.admit(.init(account: "\(number)", address: "\(number)")) else {
                Issue.record("guess \(number) was not admitted")
                return
            }
            attempt.end(isRight: false)
            time.add(seconds: 0.001)
        }
        #expect(limits.recordCount <= GuessTable.mostRecords + 2 * GuessTable.sharedRecords)
        #expect(limits.recordCount > GuessTable.mostRecords / 2)
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

/// A clock that a test sets.
final class ManualTime: Sendable {
    private let steps = Atomic<UInt64>(FileTime(unixSeconds: 1_700_000_000).rawValue)

    var now: FileTime { FileTime(rawValue: steps.load(ordering: .relaxed)) }

    func add(seconds: Double) {
        steps.add(UInt64(seconds * Double(FileTime.stepsPerSecond)), ordering: .relaxed)
    }
}

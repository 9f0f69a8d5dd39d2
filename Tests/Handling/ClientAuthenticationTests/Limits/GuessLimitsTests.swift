import NTLM
import Synchronization
import Testing

@testable import ClientAuthentication

@Suite struct GuessLimitsTests {
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

    @Test("A user whose address is known is let in while strangers guess, and his own wrong passwords are forgiven")
    func familiar() {
        #expect(guess("a", "10.0.0.9", isRight: false))
        #expect(guess("a", "10.0.0.9", isRight: true))
        for address in ["10.0.0.1", "10.0.0.2", "10.0.0.3"] { #expect(guess("a", address, isRight: false)) }
        #expect(!isAdmitted("a", "10.0.0.4"))
        #expect(guess("a", "10.0.0.9", isRight: true))
        #expect(!isAdmitted("a", "10.0.0.4"))
        // Also a known address gets only so many.
        for _ in 0..<3 { #expect(guess("a", "10.0.0.9", isRight: false)) }
        #expect(!isAdmitted("a", "10.0.0.9"))
    }

    @Test("Guesses at once get no further than guesses in a row")
    func concurrent() {
        let attempts = (0..<5).map { _ in limits.admit(.init(account: "a", address: "10.0.0.1")) }
        #expect(attempts.filter { $0.failure == nil }.count == 3)
        #expect(attempts.last?.failure == TooManyGuesses(seconds: 1))
    }

    @Test("An attempt that is dropped proves nothing, and the records of idle accounts are gone")
    func dropped() {
        for _ in 0..<20 { _ = limits.admit(.init(account: "a", address: "10.0.0.1")) }
        #expect(limits.recordCount == 0)
        #expect(isAdmitted("a", nil))
        for _ in 0..<3 { #expect(guess("a", nil, isRight: false)) }
        #expect(!isAdmitted("a", nil))
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
        #expect(limits.recordCount <= GuessLimits.maximumRecords)
        #expect(limits.recordCount > GuessLimits.maximumRecords / 2)
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

import Sallyport
import Testing

@testable import ChallengeHandling

/// A password that was refused, and that a person has written anew: the place sees it once more.
@Suite struct ReadmittedPasswordTests {
    private let wiki = Place(host: "wiki.acme.example", isProxy: false)
    private let mail = Place(host: "mail.acme.example", isProxy: false)
    private let build = Place(host: "build.acme.example", isProxy: false)
    private let now = MonotonicTime(nanoseconds: 0)

    /// Sends the password if it is let through; returns whether it was.
    private func isSent(_ state: inout PasswordState, _ place: Place, _ result: AttemptResult) -> Bool {
        guard case .go(let number) = state.admit(place, path: "/", waiting: nil, now: now) else { return false }
        state.settle(number, place, path: "/", result, now: now)
        return true
    }

    private func isReadmitted(_ state: inout PasswordState, _ place: Place) -> Bool { state.readmit(place) }

    @Test("One attempt for each decision, also if the directory had accepted the password", arguments: [false, true])
    func once(isShared: Bool) {
        var state = PasswordState(isShared: isShared, rules: .init(LockoutRules()))
        #expect(isSent(&state, wiki, .accepted))
        #expect(isSent(&state, wiki, .refused))
        for _ in 0..<3 {
            #expect(!isSent(&state, wiki, .refused))
            #expect(isReadmitted(&state, wiki))
            #expect(isSent(&state, wiki, .refused))
        }
        #expect(!isSent(&state, wiki, .refused))
        #expect(isReadmitted(&state, wiki))
        #expect(isSent(&state, wiki, .accepted))
        #expect(isSent(&state, wiki, .accepted))
    }

    @Test(
        "After a block one more refusal blocks all places again, and a place that has refused nothing changes nothing"
    )
    func block() {
        var state = PasswordState(isShared: true, rules: .init(LockoutRules()))
        #expect(isSent(&state, wiki, .refused))
        #expect(isSent(&state, mail, .refused))
        #expect(!isSent(&state, build, .refused))
        #expect(!isReadmitted(&state, build))
        #expect(!isSent(&state, build, .refused))
        #expect(isReadmitted(&state, wiki))
        #expect(isSent(&state, wiki, .refused))
        #expect(!isSent(&state, build, .refused))
    }
}

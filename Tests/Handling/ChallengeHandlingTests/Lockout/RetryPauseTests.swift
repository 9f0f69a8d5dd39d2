import Sallyport
import Testing

@testable import ChallengeHandling

@Suite struct RetryPauseTests {
    private static let second: Int64 = 1_000_000_000

    @Test("Unknown results one after another pause for 0, 1, 2, 4 … 64 seconds") func grows() {
        var pause = RetryPause()
        var now = MonotonicTime(nanoseconds: 0)
        for seconds: Int64 in [0, 1, 2, 4, 8, 16, 32, 64, 64] {
            pause.afterResponse(isRedirect: false, now: now)
            #expect(max(pause.end, now) == now + seconds * Self.second)
            now = max(pause.end, now)
        }
    }

    @Test("Without a response the first time costs nothing, then a minute, then fifteen") func silence() {
        var pause = RetryPause()
        let now = MonotonicTime(nanoseconds: 0)
        for seconds: Int64 in [0, 60, 900, 900] {
            pause.afterSilence(now: now)
            #expect(max(pause.end, now) == now + seconds * Self.second)
        }
    }

    @Test("Unknown results of attempts that ran side by side count as one repetition") func sideBySide() {
        var pause = RetryPause()
        let now = MonotonicTime(nanoseconds: 0)
        for _ in 0..<64 { pause.afterResponse(isRedirect: false, now: now) }
        #expect(pause.end == now + Self.second)
        pause.afterResponse(isRedirect: false, now: pause.end)
        #expect(pause.end == now + 3 * Self.second)
    }
}

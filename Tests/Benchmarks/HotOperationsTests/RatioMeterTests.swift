import HotOperations
import PeerComparison
import Testing

@Suite struct RatioMeterTests {
    @Test func onlyQuietRoundsCount() {
        let rounds = [(5, 9.0), (1, 2), (2, 4), (9, 9), (3, 3), (4, 1)].map { RatioMeter.Round(ratio: $1, noise: $0) }
        #expect(RatioMeter.Round.median(rounds, quietest: 3) == 3)
        #expect(RatioMeter.Round.median(rounds, quietest: 1) == 2)
    }

    @Test func aRatioIsTheQuickestPerQuickestOfQuietRounds() {
        // A clock that only the implementations move: each operation takes a fixed time. In three of five rounds another program
        // disturbs all but one of them, so most ratios are wrong by a half.
        let time = FakeTime()
        let slow = MeasuredImplementation("a", "slow") { time.pass(30 * $0, whenBusy: 45 * $0) }
        let unit = MeasuredImplementation("a", "unit") { time.pass(10 * $0, whenBusy: 10 * $0) }
        let probe = MeasuredImplementation("a", "probe") { time.pass(7 * $0, whenBusy: 8 * $0) }
        let meter = RatioMeter(rounds: 30, quietRounds: 15, samples: 4, sampleNanoseconds: 5_000) { time.now }
        #expect(abs(meter.ratio(of: slow, to: unit, probe: probe) - 3) < 0.01)
        #expect(abs(meter.ratio(of: unit, to: slow, probe: probe) - 1 / 3) < 0.01)
    }

    /// Busy for nine rounds of 12 calls, then quiet for six.
    private final class FakeTime {
        private(set) var now: UInt64 = 0
        private var calls = 0

        func pass(_ nanoseconds: Int, whenBusy busy: Int) -> Int {
            calls += 1
            now += UInt64(calls / 12 % 15 < 9 ? busy : nanoseconds)
            return 0
        }
    }

    @Test("A loop that takes a tenth longer is seen beside every yardstick of code")
    func toleranceOfCode() {
        for yardstick in [Yardstick.scalar, .wide, .sha256] {
            guard case .part(let part) = yardstick.tolerance else {
                Issue.record("\(yardstick.name) waits for memory")
                continue
            }
            #expect(part < 0.1)
        }
    }
}

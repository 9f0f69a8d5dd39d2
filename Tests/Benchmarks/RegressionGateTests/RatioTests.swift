import HotOperations
import PeerComparison
import RegressionGate
import Testing

@Suite struct RatioTests {
    private let committed = CommittedNumbers.Ratio(yardstick: "wide", value: 2, tolerance: 0.05)

    @Test func runsThatAgreeNeedNoOther() {
        #expect(RatioVote([2], committed) == .passes)
        #expect(RatioVote([1.2, 2.1], committed) == .passes)
    }

    @Test("Three runs that are not slower decide, independent of the others", arguments: 0...6)
    func threeRunsPass(slower: Int) {
        let ratios = [Double](repeating: 3, count: slower)
        #expect(RatioVote(ratios + [2, 2, 2.1], committed) == .passes)
        #expect(RatioVote(ratios + [2, 2], committed) == (slower == 0 ? .passes : .isOpen))
    }

    @Test("Seven slower runs settle it, with two others at most", arguments: 0...2)
    func sevenRunsFail(others: Int) {
        let ratios = [Double](repeating: 2, count: others)
        let slower = [Double](repeating: 2.101, count: 6)
        #expect(RatioVote(ratios + slower, committed) == .isOpen)
        #expect(RatioVote(ratios + slower + [2.2], committed) == .fails(slower: 7, runs: 7 + others))
    }

    @Test func nothingMeasuredIsNoVote() {
        #expect(RatioVote([], committed) == .isOpen)
    }

    @Test func toleranceIsLearnedFromTheQuieterHalf() {
        #expect(Tolerance.code.learned(from: [2, 2, 2]) == (2, Tolerance.code.least(for: 2)))
        // Whatever the slower half does, it is the machine's doing.
        #expect(Tolerance.code.learned(from: [9, 2, 5, 2, 2, 2, 7, 2]) == (2, Tolerance.code.least(for: 2)))
        let (value, tolerance) = Tolerance.code.learned(from: [1.94, 2, 2.02, 2.5])
        #expect(value == 2 && abs(tolerance - 0.06) < 1e-9)
        let above = Tolerance.code.learned(from: [2, 2, 2.06, 2.5, 2.5])
        #expect(above.value == 2 && abs(above.tolerance - 0.06) < 1e-9)
    }

    @Test func whatStraysTooFarIsNotGated() {
        let (value, tolerance) = Tolerance.code.learned(from: [1.9, 2, 2.02, 2.5])
        #expect(abs(tolerance - 0.1) < 1e-9)
        #expect(!CommittedNumbers.Ratio(yardstick: "wide", value: value, tolerance: tolerance).isGated)
        #expect(Tolerance.code.most(for: value) < 0.1, "a loop that takes a tenth longer has to be seen")
    }

    @Test("One more wait is seen, however many there are", arguments: [0.5, 0.86, 1.02, 3.85, 6.05, 9.39])
    func oneMoreWaitIsSeen(waits: Double) {
        let (value, tolerance) = Tolerance.memory.learned(from: [waits, waits, waits * 1.01, waits * 1.5])
        let committed = CommittedNumbers.Ratio(yardstick: "lines", value: value, tolerance: tolerance)
        #expect(committed.isGated)
        #expect(RatioVote([waits * 1.09], committed) == .passes)
        #expect(RatioVote([Double](repeating: waits + 1, count: 7), committed) == .fails(slower: 7, runs: 7))
        let strays = CommittedNumbers.Ratio(yardstick: "lines", value: value, tolerance: 1 / waits)
        #expect(!strays.isGated)
    }

    @Test func onlyWhatWaitsForMemoryHasItsLimits() {
        #expect(Tolerance.beside(Yardstick.lines.name) == .memory)
        for yardstick in [Yardstick.scalar, .wide, .sha256] { #expect(Tolerance.beside(yardstick.name) == .code) }
        #expect(!CommittedNumbers.Ratio(yardstick: "wide", value: 1, tolerance: 0.25).isGated)
    }

    @Test func onlyQuietRoundsCount() {
        let rounds = [(5, 9.0), (1, 2), (2, 4), (9, 9), (3, 3), (4, 1)].map { RatioMeter.Round(ratio: $1, noise: $0) }
        #expect(RatioMeter.Round.median(rounds, quietest: 3) == 3)
        #expect(RatioMeter.Round.median(rounds, quietest: 1) == 2)
    }

    @Test func aRatioIsTheQuickestPerQuickestOfQuietRounds() {
        // A clock that only the implementations move: each operation takes so long. In three of five rounds somebody disturbs
        // all but one of them, so most ratios are wrong by a half.
        let time = FakeTime()
        let slow = MeasuredImplementation("a", "slow") { time.pass(30 * $0, whenBusy: 45 * $0) }
        let unit = MeasuredImplementation("a", "unit") { time.pass(10 * $0, whenBusy: 10 * $0) }
        let probe = MeasuredImplementation("a", "probe") { time.pass(7 * $0, whenBusy: 8 * $0) }
        let meter = RatioMeter(rounds: 30, quietRounds: 15, samples: 4, sampleNanoseconds: 5_000) { time.now }
        let ratios = meter.ratios([(slow, unit), (unit, slow)], probe: probe)
        #expect(abs(ratios[0] - 3) < 0.01 && abs(ratios[1] - 1 / 3) < 0.01)
    }

    /// Busy for nine rounds of two pairs, which are 24 calls each, then quiet for six.
    private final class FakeTime {
        private(set) var now: UInt64 = 0
        private var calls = 0

        func pass(_ nanoseconds: Int, whenBusy busy: Int) -> Int {
            calls += 1
            now += UInt64(calls / 24 % 15 < 9 ? busy : nanoseconds)
            return 0
        }
    }
}

import HotOperations
import PeerComparison
import Testing

/// By a clock that only calls move.
@Suite struct TailMeterTests {
    @Test("A stall of one call in 500 is seen in the p99.9 alone, and not in a mean or in the quickest calls")
    func stall() {
        let time = FakeTime()
        let (stalled, unit) = (time.calls(of: 1_000, stall: 20_000), time.calls(of: 500))
        let ratios = TailMeter(rounds: TailMeter.quietRounds) { time.now }.ratios(of: stalled, calls: 1, to: unit)
        #expect(ratios[.p50] == 2)
        #expect(ratios[.p99] == 2)
        // 21,000 / 500, in a histogram of three digits.
        #expect(abs((ratios[.p999] ?? 0) - 42) < 0.05)

        // 1,000 + 20,000 / 500, in whole periods of the stall; ratios of code may differ by 5 %.
        #expect(stalled.mean(of: 5_000) { time.now } == 1_040)
        let meter = RatioMeter(rounds: 15, samples: 4, sampleNanoseconds: 5_000) { time.now }
        #expect(meter.ratio(of: stalled, to: unit, probe: unit) == 2)
    }

    @Test("A sample of eight calls has a stall eight times as often, which the p99 shows") func batch() {
        let time = FakeTime()
        let (stalled, unit) = (time.calls(of: 100, stall: 20_000), time.calls(of: 50))
        let ratios = TailMeter(rounds: TailMeter.quietRounds) { time.now }.ratios(of: stalled, calls: 8, to: unit)
        #expect(ratios[.p50] == 2)
        // (100 + 20,000 / 8) / 50.
        #expect(abs((ratios[.p99] ?? 0) - 52) < 0.06)
    }

    @Test(
        "An operation without a stall shows none, be the machine quiet, busy for a while or busy all the time",
        arguments: [0, 100_000, .max]
    )
    func interruptions(until last: Int) {
        let time = FakeTime(isBusyUntil: last)
        let (steady, unit) = (time.calls(of: 1_000), time.calls(of: 500))
        // A round takes 6,000 calls.
        let ratios = TailMeter(rounds: 40) { time.now }.ratios(of: steady, calls: 1, to: unit)
        #expect(ratios == [.p50: 2, .p99: 2, .p999: 2])
    }

    private final class FakeTime {
        private(set) var now: UInt64 = 0
        private var calls = 0
        private let busyUntil: Int

        /// A time in which another program takes 50 µs in every 301st call, until so many calls were made.
        init(isBusyUntil last: Int = 0) {
            busyUntil = last
        }

        /// Calls of which one in 500 takes `stall` longer.
        func calls(of nanoseconds: UInt64, stall: UInt64 = 0) -> MeasuredImplementation {
            var own = 0
            return MeasuredImplementation("a", "call") { count in
                for _ in 0..<count {
                    own += 1
                    self.calls += 1
                    self.now += nanoseconds + (own % 500 == 0 ? stall : 0)
                    if self.calls < self.busyUntil, self.calls % 301 == 0 { self.now += 50_000 }
                }
                return own
            }
        }
    }
}

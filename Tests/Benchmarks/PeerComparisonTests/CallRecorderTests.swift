import Histogram
import PeerComparison
import Testing

@Suite struct CallRecorderTests {
    /// Nothing to do, but for one call that takes 20 ms.
    private static func hiccup(at slow: Int) -> MeasuredImplementation {
        var call = 0
        return MeasuredImplementation("ours", "hiccup") { _ in
            call += 1
            guard call == slow else { return 0 }
            let end = Clock.monotonic() + 20_000_000
            while Clock.monotonic() < end {}
            return 1
        }
    }

    @Test("In the open loop, those who wait behind a slow call are counted with their waiting") func omission() {
        let recorder = CallRecorder(readings: 1_001)
        // A call every millisecond: behind the slow one the next waits 19 ms, the one after it 18, and so on.
        let open = recorder.openLoop(Self.hiccup(at: 3), interval: 1_000_000, calls: 40)
        #expect(open.totalCount == 40)
        #expect(open.count(within: 4_900_000...999_999_999) >= 15)
        #expect(open.max >= 19_900_000)
    }

    @Test func theClosedLoopMakesTheCallsThatItIsToldTo() {
        let recorder = CallRecorder(readings: 1_001)
        let closed = recorder.closedLoop(Self.hiccup(at: 30), calls: 2_000)
        #expect(closed.latencies.totalCount == 2_000)
        #expect(closed.cycle > 0)
    }

    @Test func bothLoopsEndWhenTheirTimeIsOver() {
        let recorder = CallRecorder(readings: 1_001)
        let implementation = Self.hiccup(at: 0)
        #expect(
            recorder.closedLoop(implementation, calls: .max / 2, budget: 1_000_000).latencies.totalCount < 10_000_000
        )
        let open = recorder.openLoop(implementation, interval: 10_000, calls: .max / 2, budget: 1_000_000)
        #expect(open.totalCount <= 102)
    }

    @Test func aBatchIsOneCall() {
        var operations = 0
        let batch = MeasuredImplementation("ours", "batch", items: 16) { repetitions in
            operations += 16 * repetitions
            return operations
        }
        _ = batch.once { 0 }
        #expect(operations == 16)
        _ = batch.once({ 0 }, calls: 3)
        #expect(operations == 64)
    }
}

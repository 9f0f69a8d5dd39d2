import Histogram
import HotOperations
import LatencyCurves
import Testing

@Suite struct ContentionTests {
    @Test(
        "While the handler is replaced, every decision stays the one that the profile demands",
        arguments: RecordedDecisions.Work.allCases
    ) func reloads(
        work: RecordedDecisions.Work
    ) throws {
        var outcome = try Contention().run(work, threads: 2, seconds: 0.1, reloadEvery: 1)
        #expect(outcome.wrong == 0)
        // On a busy machine a thread may not get the processor in this time.
        for seconds in [3.0, 30] where outcome.reloads == 0 || outcome.latencies.totalCount == 0 {
            outcome = try Contention().run(work, threads: 2, seconds: seconds, reloadEvery: 1)
            #expect(outcome.wrong == 0)
        }
        #expect(outcome.reloads > 0)
        #expect(outcome.latencies.totalCount > 0)
        #expect(outcome.threads == 2)
    }
}

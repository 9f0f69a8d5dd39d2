import Metrics
import MetricsTestKit
import Sallyport
import Synchronization
import Testing

@testable import SallyportTelemetry

@Suite struct MetricsTests {
    @Test("Requests, answers, refusals and bad log-ons are counted") func counters() throws {
        let metrics = TestMetrics()
        let world = try TelemetryWorld(.metrics(to: metrics))
        try world.get("https://wiki.acme.example/a", 401, 200)
        try world.get("https://wiki.acme.example/b", 200)
        try world.get("https://evil.example/", 401)
        try world.get("https://wiki.acme.example/c", 401, 401)
        try world.get("https://wiki.acme.example/d", 401)
        func count(_ label: MetricLabel, _ dimensions: [(String, String)] = []) -> Int64 {
            metrics.counterTotal(label: label.rawValue, dimensions: dimensions)
        }
        #expect(count(.requests, [("outcome", "accepted")]) == 1)
        #expect(count(.requests, [("outcome", "not-challenged")]) == 1)
        #expect(count(.requests, [("outcome", "refused")]) == 1)
        #expect(count(.requests, [("outcome", "withheld")]) == 1)
        #expect(count(.withheld, [("reason", "site-not-allowed")]) == 1)
        #expect(count(.badLogOns) == 1)
        #expect(count(.answers, [("scheme", "basic"), ("party", "origin"), ("in_advance", "false")]) == 3)
        // The request that was answered and dropped.
        #expect(count(.requests, [("outcome", "abandoned")]) == 1)
        let known = Set(MetricLabel.allCases.map(\.rawValue))
        #expect(metrics.counters.allSatisfy { known.contains($0.label) })
    }

    @Test("The duration of a request is the time between its first and its last event") func durations() throws {
        let metrics = TestMetrics()
        let time = Mutex<Int64>(0)
        let clock: EventObserver.Clock = {
            time.withLock { time in
                time += 250
                return time
            }
        }
        let ends = Mutex<[Duration]>([])
        let world = try TelemetryWorld(
            EventObserver(
                clock: clock,
                [
                    .metrics(to: metrics),
                    EventObserver { event in
                        if case .ended(let end) = event.content { ends.withLock { $0.append(end.duration) } }
                    },
                ]
            )
        )
        try world.get("https://wiki.acme.example/a", 200)
        let timer = try #require(metrics.timers(label: MetricLabel.requestDuration.rawValue).first)
        // Each reading of the clock is 250 µs later: begin, started, response, end.
        #expect(timer.values == [750_000])
        #expect(ends.withLock { $0 } == [.microseconds(750)])
    }
}

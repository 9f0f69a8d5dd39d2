import LiveServers
import Sallyport
import TestLimits
import Testing

@testable import ChallengeHandling

@Suite(.inTurn) struct EventStreamTests {
    @Test("A stream that is not read drops the oldest events and counts them") func bound() async throws {
        let stream = EventStream(bound: 4, clock: { 5_000_000 })
        let handler = try ChallengeHandler(profile: TestProfile.make(), at: 0, observer: stream.observer)
        for _ in 0..<9 { try handler.forgive(account: "jdoe") }
        try handler.forgive(account: "builder")
        stream.finish()
        var seen: [String] = []
        for await event in stream.events {
            #expect(event.unixMicroseconds == 5_000_000 && event.request == nil)
            if case .forgiven(let account) = event.content { seen.append(account) }
        }
        #expect(seen == ["jdoe", "jdoe", "jdoe", "builder"])
        #expect(stream.dropped == 7)
    }

    @Test("Several observers get each event, in their order, with one time") func several() throws {
        let (first, second) = (EventRecorder(), EventRecorder())
        let both = EventObserver(clock: { 7 }, [first.observer, second.observer])
        let handler = try ChallengeHandler(profile: TestProfile.make(), at: 0, observer: both)
        try handler.forgive(account: "jdoe")
        for recorder in [first, second] {
            #expect(recorder.codes == ["profile", "forgiven"])
            #expect(recorder.all.allSatisfy { $0.unixMicroseconds == 7 })
        }
    }

    @Test("The clock of the system counts microseconds since 1970") func systemClock() {
        let now = EventObserver.systemClock()
        // Between the years 2024 and 2100.
        #expect((1_704_067_200_000_000..<4_102_444_800_000_000).contains(now))
    }
}

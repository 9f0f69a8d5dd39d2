import Logging
import Sallyport
import Testing

@testable import SallyportTelemetry

@Suite struct LoggingTests {
    @Test("Each event is a line with its keys, and no line has a secret") func lines() throws {
        let lines = RecordedLines()
        let world = try TelemetryWorld(.logging(to: lines.logger(.trace)))
        try world.get("https://wiki.acme.example/a/b?token=Query-Secret", 401, 200)
        let all = lines.all
        #expect(
            all.map { $0.metadata[LogKey.event.rawValue] } == [
                "profile", "started", "response", "selection", "answered", "response", "lockout", "ended",
            ]
        )
        #expect(all[1].metadata["sallyport.path"] == "/a/b" && all[1].metadata["sallyport.method"] == "GET")
        #expect(all[2].metadata["sallyport.offers"] == "basic" && all[2].metadata["sallyport.status"] == "401")
        #expect(all[3].metadata["sallyport.offers"] == "basic:chosen")
        #expect(all[3].metadata["sallyport.rule"] == "wiki.acme.example")
        #expect(all[4].metadata["sallyport.account"] == "jdoe" && all[4].metadata["sallyport.scheme"] == "basic")
        #expect(all[7].metadata["sallyport.outcome"] == "accepted" && all[7].level == .debug)
        #expect(
            all.dropFirst().allSatisfy {
                $0.metadata["sallyport.request"] == "1" || $0.metadata["sallyport.event"] == "lockout"
            }
        )
        let known = Set(LogKey.allCases.map(\.rawValue))
        #expect(all.allSatisfy { known.isSuperset(of: $0.metadata.keys) })
        let text = "\(all)"
        // RFC 4648 of "jdoe:Correct-Horse", from Python's base64.
        for secret in [TelemetryWorld.password, "Query-Secret", "amRvZTpDb3JyZWN0LUhvcnNl"] {
            #expect(!text.contains(secret))
        }
    }

    @Test("Levels: a refused password is a warning, a withheld answer a notice") func levels() throws {
        let lines = RecordedLines()
        let world = try TelemetryWorld(.logging(to: lines.logger(.notice)))
        try world.get("https://wiki.acme.example/", 401, 401)
        try world.get("https://wiki.acme.example/", 401)
        try world.get("https://evil.example/", 401)
        try world.handler.forgive(account: "jdoe")
        #expect(
            lines.all.map {
                "\($0.level) \($0.metadata["sallyport.event"] ?? "") \($0.metadata["sallyport.reason"] ?? "")"
            }
                == [
                    "warning lockout ", "warning ended credentials-refused", "notice ended budget-spent",
                    "notice ended site-not-allowed", "notice forgiven ",
                ]
        )
    }
}

import Corpora
import Foundation
import TestSupport
import Testing

@Suite struct ChallengeRecordingTests {
    @Test func theShippedRecordingIsWhatItPromises() throws {
        let recording = try ShippedRecording.corporateDay.load()
        #expect(recording.exchangeCount >= 1_500)
        #expect(Set(recording.events.map(\.origin)).count >= 40)
        #expect(recording.headers.map(\.madeByHand) == [false, true])
        var exchanges: [String: Set<Int>] = [:]
        for event in recording.events { exchanges[event.kind, default: []].insert(event.exchange) }
        let demanded = [
            "ntlm-401", "ntlm-407", "basic", "digest-md5", "digest-sha256", "offer-of-three", "client-certificate",
            "pin-leaf", "pin-backup", "pin-reissued", "pin-rogue", "site-not-allowed", "plain-http",
            "foreign-redirect", "wrong-password", "domain-missing", "header-confusion", "ntlm-truncated",
            "ntlm-oversized", "lookalike-host",
        ]
        for kind in demanded { #expect(exchanges[kind, default: []].count >= 20, "\(kind)") }
    }

    @Test("Events of an exchange are contiguous and numbered") func order() throws {
        let recording = try ShippedRecording.corporateDay.load()
        var seen: Set<Int> = []
        var current = (exchange: -1, leg: -1)
        for event in recording.events {
            if event.exchange == current.exchange {
                #expect(event.leg == current.leg + 1)
            } else {
                #expect(seen.insert(event.exchange).inserted)
                #expect(event.leg == 0)
            }
            current = (event.exchange, event.leg)
        }
    }

    // MARK: - Malformed recordings

    static let header =
        #"{"type":"header","format":"sallyport-challenge-recording","version":1,"recorded":"2026-01-01T00:00:00Z","madeByHand":true}"#

    static let event = """
        {"type":"response","exchange":1,"leg":0,"kind":"basic","time":"2026-01-31T09:30:00.250000Z","connection":1,\
        "origin":"https://a.example","via":null,"method":"GET","target":"/","status":401,\
        "fields":[["WWW-Authenticate","Basic realm=x"]],"chain":[],"answer":null,"expected":{"verdict":"withheld"}}
        """

    private func read(_ lines: [String], pool: String = "") throws -> ChallengeRecording {
        let folder = TemporaryFolder.place("recording")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(pool.utf8).write(to: folder.appending(path: "certificates.pem"))
        try Data(lines.joined(separator: "\n").utf8).write(to: folder.appending(path: "events.ndjson"))
        return try ChallengeRecording(folder: folder)
    }

    @Test func aSmallRecordingIsRead() throws {
        let recording = try read([Self.header, Self.event, ""])
        #expect(recording.events.count == 1)
        #expect(recording.events.first?.unixMicroseconds == 1_769_851_800_250_000)
        #expect(recording.events.first?.expected.verdict == "withheld")
        // The lines of an editor that ends them with CR LF, and blank ones.
        let other = try read(["", "\r", Self.header + "\r", " \t\r", Self.event + "\r", "\r", ""])
        #expect(other.events.count == 1)
    }

    @Test(
        "Each defect names its line",
        arguments: [
            ([String](), nil, "no header"),
            ([header.replacing("\"version\":1", with: "\"version\":2")], 1, "version 2"),
            ([header.replacing("sallyport-challenge-recording", with: "har")], 1, "har"),
            ([header], nil, "holds no event"),
            (["not JSON"], 1, "not JSON"),
            ([header, event, "{"], 3, "not JSON"), ([header, event, "[]"], 3, "another type"),
            ([header, event.replacing("\"leg\":0", with: "\"leg\":0,\"leg\":1")], 2, "'leg' stands twice"),
            (
                [header, event.replacing("\"verdict\":", with: "\"verdict\":\"answered\",\"verdict\":")], 2,
                "'verdict' stands twice"
            ),
            ([header, event.replacing("01-31T", with: "02-30T")], 2, "the day 30 is not in 1 to 28"),
            ([header, event.replacing("T09:", with: "T25:")], 2, "the hour 25 is not in 0 to 23"),
            ([header, event.replacing("\"status\":401,", with: "")], 2, "'status' is missing"),
            ([header, event.replacing("401", with: "\"401\"")], 2, "'status' has another type"),
            ([header, event.replacing("\"response\"", with: "\"request\"")], 2, "'request'"),
            ([header, event.replacing("2026-01-31T", with: "31.1.2026 ")], 2, "time"),
            ([header, event.replacing("2026-01-31T", with: "300000-01-31T")], 2, "time"),
            ([header, event.replacing("\"chain\":[]", with: "\"chain\":[\"ab\"]")], 2, "certificates.pem"),
            ([header, event.replacing(",\"Basic realm=x\"", with: "")], 2, "name and value"),
        ] as [([String], Int?, String)]
    )
    func malformed(lines: [String], line: Int?, problem: String) throws {
        let error = try #require(throws: RecordingError.self) { try read(lines) }
        #expect(error.line == line)
        #expect(error.problem.contains(problem), "\(error)")
    }

    @Test func aMissingFolderSaysWhich() throws {
        let error = try #require(throws: RecordingError.self) {
            try ChallengeRecording(folder: URL(filePath: "/nonexistent"))
        }
        #expect(error.description.contains("/nonexistent/"))
    }
}

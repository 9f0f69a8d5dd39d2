import Foundation
import HTTPTypes
import LiveServers
import Sallyport
import Synchronization
import TestSupport
import Testing

/// `sallyport replay` of a transcript.
@Suite(.inTurn) struct ReplayTranscriptTests {
    /// The transcript of a request that is answered with Basic.
    private func transcript() throws -> URL {
        let events = Mutex<[AuthenticationEvent]>([])
        let account = Account(name: "wiki", user: "jdoe", password: SharedSecret(utf8: "Correct-Horse"))
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "wiki.acme.example", name: "test"),
            schemes: [.basic],
            accounts: [.init(account, sites: ["wiki.acme.example"])]
        )
        let observer = EventObserver { event in events.withLock { $0.append(event) } }
        let handler = try ChallengeHandler(profile: profile, at: 0, observer: observer)
        var authentication = handler.authentication(of: try OutgoingRequest(url: "https://wiki.acme.example/a"))
        _ = authentication.begin()
        _ = authentication.received(status: 401, fields: [.wwwAuthenticate: "Basic realm=x"])
        _ = authentication.received(status: 200, fields: [:])
        var transcript = Transcript()
        var bytes: [UInt8] = []
        for event in events.withLock({ $0 }) { bytes += transcript.record(event) }
        let file = TemporaryFolder.place("transcript", extension: ".ndjson")
        try Data(bytes).write(to: file)
        return file
    }

    @Test("A transcript is one file, and needs no profile and no secret") func file() throws {
        let file = try transcript()
        defer { try? FileManager.default.removeItem(at: file) }
        let run = try SallyportRun(["replay", "--json", file.path])
        #expect(run.status == 0 && run.error.isEmpty)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 3)
        let last = try #require(lines.last)
        let summary = try #require(try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
        #expect(summary["differences"] as? Int == 0 && summary["events"] as? Int == 2)
        #expect(summary["recording"] as? String == file.lastPathComponent)
    }

    @Test("Another profile shows what would change") func otherProfile() throws {
        let file = try transcript()
        let profile = file.appendingPathExtension("yaml")
        defer {
            try? FileManager.default.removeItem(at: file)
            try? FileManager.default.removeItem(at: profile)
        }
        try Data("version: 1\nsites: []\nschemes: [basic]\n".utf8).write(to: profile)
        let run = try SallyportRun(["replay", file.path, "--profile", profile.path])
        #expect(run.status == 1)
        #expect(run.output.contains("expected answered, got withheld (site-not-allowed)"))
    }

    @Test("A file that is no transcript is one error") func noTranscript() throws {
        let file = TemporaryFolder.place("transcript", extension: ".ndjson")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("{}\n".utf8).write(to: file)
        let run = try SallyportRun(["replay", file.path])
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error.contains("\(file.lastPathComponent):1: "))
    }
}

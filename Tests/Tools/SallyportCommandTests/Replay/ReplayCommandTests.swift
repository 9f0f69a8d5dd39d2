import Foundation
import LiveServers
import TestSupport
import Testing

/// The built command, run as a user runs it.
@Suite(.inTurn) struct ReplayCommandTests {
    @Test func theShippedRecordingHasNoDifferences() throws {
        let run = try SallyportRun(["replay", "--json"])
        #expect(run.status == 0)
        #expect(run.error.isEmpty)
        let lines = run.output.split(separator: "\n")
        let last = try #require(lines.last)
        let summary = try #require(try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
        #expect(summary["differences"] as? Int == 0)
        #expect(summary["events"] as? Int == lines.count - 1)
        for line in lines.dropLast() {
            let event = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(event["verdict"] is String && event["kind"] is String)
        }
    }

    @Test func theTableIsForPeople() throws {
        let run = try SallyportRun(["replay"])
        #expect(run.status == 0)
        for word in ["ntlm-401", "decision", "p99.9", "no differences"] { #expect(run.output.contains(word)) }
    }

    @Test func aDifferenceEndsWithOne() throws {
        let folder = TemporaryFolder.place("profile")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let profile = folder.appending(path: "profile.yaml")
        try Data("version: 1\nsites: []\nschemes: [basic]\n".utf8).write(to: profile)
        let run = try SallyportRun(["replay", "--profile", profile.path])
        #expect(run.status == 1)
        #expect(run.output.contains("expected answered, got withheld (site-not-allowed)"))
    }

    @Test(
        "What cannot run ends with two and one line",
        arguments: [
            (["replay", "/nonexistent"], "/nonexistent"),
            (["replay", "--profile", "/nonexistent.yaml"], "/nonexistent.yaml"),
            (["replay", "--repeat", "0"], "--repeat"),
            (["replay", "--frobnicate"], "--frobnicate"),
            (["frobnicate"], "unknown verb"),
        ]
    )
    func couldNotRun(arguments: [String], word: String) throws {
        let run = try SallyportRun(arguments)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.error.contains(word))
    }

    @Test func helpIsNoError() throws {
        let run = try SallyportRun(["--help"])
        #expect(run.status == 0)
        #expect(run.output.contains("replay"))
    }
}

import Foundation
import Testing

@Suite struct StudyImportCommandTests {
    private static func run(_ arguments: [String], files: [String: String]) throws -> (SallyportRun, String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "import-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        let run = try SallyportRun(["study", "import"] + arguments.map { $0.replacing("@", with: folder.path + "/") })
        let observations = folder.appending(path: "out/observations.ndjson")
        return (run, (try? String(contentsOf: observations, encoding: .utf8)) ?? "")
    }

    // The fixtures' leaf is leaf.example's, valid from 2026-11-21 for 90 days.
    @Test(
        "A chain is validated at its own time",
        arguments: [
            ("2026-12-01T00:00:00Z", "leaf.example", 1), ("2030-01-01T00:00:00Z", "leaf.example", 0),
            (
                "2026-12-01T00:00:00Z", "other.example", 0
            ),
        ]
    )
    func validation(time: String, host: String, validated: Int) throws {
        let (run, observations) = try Self.run(
            ["pem", "@chain.pem", "--host", host, "--at", time, "--roots", "@roots.pem", "--out", "@out"],
            files: ["chain.pem": PinsRun.chain(["leaf", "issuer"]), "roots.pem": PinsRun.chain(["anchor"])]
        )
        #expect(run.status == 0)
        #expect(run.output == "1 chains imported, \(validated) of them validated; 0 entries without\n")
        let line = try JSONSerialization.jsonObject(with: Data(observations.utf8)) as? [String: Any] ?? [:]
        #expect((line["chain"] as? [String])?.count == (validated == 1 ? 3 : nil))
        #expect((line["presented"] as? [String])?.count == 2)
        #expect(line["time"] as? String == time)
        #expect((line["note"] == nil) == (validated == 1))
    }

    @Test func entriesWithoutAChainAreANo() throws {
        let (run, _) = try Self.run(
            ["openssl", "@a.example.txt", "--out", "@out"],
            files: ["a.example.txt": "CONNECTED(00000003)\n---\nno peer certificate available\n---\n"]
        )
        #expect(run.status == 1)
        #expect(run.output == "0 chains imported, 0 of them validated; 1 entries without\n")
    }

    @Test(
        "What cannot be read ends with 2 and one line",
        arguments: [
            ["unknown", "@x", "--out", "@out"], ["pem", "@absent", "--out", "@out"], ["limbo", "@x", "--out", "@out"],
            ["zgrab2", "@x", "--out", "@out"], ["pem", "@x", "--host", "a b", "--out", "@out"],
            ["pem", "@x", "--at", "yesterday", "--out", "@out"], ["pem", "@x"],
        ]
    )
    func unreadable(arguments: [String]) throws {
        let (run, _) = try Self.run(arguments, files: ["x": "[1]\n"])
        #expect(run.status == 2)
        #expect(run.error.split(separator: "\n").count == 1)
    }
}

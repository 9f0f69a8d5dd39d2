import Foundation
import TestLimits
import TestSupport
import Testing

/// The committed array of public suffixes, and its generator.
@Suite(.inTurn) struct PublicSuffixArrayTests {
    private static let array = "Sources/Base/CPublicSuffixes/rules.c"
    /// What `make-table --check` ends with if this machine has no list, or another version of it.
    private static let otherList: Int32 = 3

    /// The exit status of `make-table --check`, run in the repository at `root`, and its errors.
    private static func check(root: URL = Repository.root, list: [String] = []) throws -> (
        status: Int32, errors: String
    ) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let path = root.appending(path: "Data/Sites/PublicSuffixes/make-table").path(percentEncoded: false)
        process.arguments = ["python3", path, "--check"] + list
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    @Test("A list older than the bound fails, with its date and the remedy") func age() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let path = Repository.root.appending(path: "Data/Sites/PublicSuffixes/make-table").path(percentEncoded: false)
        // The clock of a machine with this list in it is past its date.
        process.arguments = ["python3", path, "--age", "0"]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 1 && text.contains("update it as ORIGIN.md says"), "\(text)")
    }

    private static let hasList = (try? check().status != otherList) ?? false

    @Test("The array is what the generator makes of the list", .enabled(if: hasList, "pip install publicsuffixlist"))
    func isGenerated() throws {
        let outcome = try Self.check()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("The generator reports an edited array and another list") func isChecked() throws {
        let root = TemporaryFolder.place("suffixes")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = root.appending(path: "Data/Sites/PublicSuffixes")
        let copy = root.appending(path: Self.array)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
        for (path, place) in [
            ("Data/Sites/PublicSuffixes/make-table", folder.appending(path: "make-table")),
            ("Data/Sites/PublicSuffixes/ORIGIN.md", folder.appending(path: "ORIGIN.md")), (Self.array, copy),
        ] {
            try Repository.text(path).write(to: place, atomically: true, encoding: .utf8)
        }
        let missing = root.appending(path: "missing").path(percentEncoded: false)
        #expect(try Self.check(root: root, list: [missing]).status == Self.otherList)
        let edited = try Repository.text(Self.array).replacing("    \"com\\n\"\n", with: "")
        try edited.write(to: copy, atomically: true, encoding: .utf8)
        let outcome = try Self.check(root: root, list: [missing])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("SHA-256"), "\(outcome.errors)")
    }
}

import Foundation
import Sallyport
import TestSupport
import Testing

@testable import ProfileFiles

@Suite struct YAMLProblemTests {
    private func problem(_ yaml: String) throws -> String {
        let file = TemporaryFolder.place("profile", extension: ".yaml")
        try Data(yaml.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let error = try #require(throws: ProfileFileError.self) { try ProfileReader.read(file) }
        return error.description.replacing(file.path, with: "profile.yaml")
    }

    @Test(
        "Syntax errors name line, problem and remedy in our words",
        arguments: [
            ("version: [1\n", 2, "a list that begins with '[' does not end"),
            ("a: {b: 1\n", 2, "a mapping that begins"),
            ("a: b: c", 1, "unexpected ':'"), ("a: \"x", 1, "a text in quotes does not end"),
            ("a:\n\t- b", 2, "unexpected character"),
            ("a: 1\n\nb: 3\na: 2", 4, "the field 'a' occurs twice"),
            ("x:\n  - a: 1\n    a: 2\n  - a: 3", 3, "the field 'a' occurs twice"),
            ("{a: 1, a: 2}", 1, "the field 'a' occurs twice"),
            ("a: 1\nb: \u{1}", 2, "holds a control character"), ("--- a\n--- b", 2, "a second document begins"),
            ("a: *x", 1, "anchors and aliases"), ("%YAML 3.0\n---\na: 1", 1, "a directive of another version"),
            ("a:\n  b: 1\n c: 2", 3, "the indent is not that of the fields above"),
            ("a: \"\\q\"", 1, "unknown escape in a text"),
            ("a: !<bad", 1, "is not YAML here"), ("a: 1\nbc\nd: 2", 3, "a field has no ':'"),
        ]
    )
    func syntax(yaml: String, line: Int, problem: String) throws {
        let description = try self.problem(yaml)
        #expect(description.hasPrefix("profile.yaml:\(line): \(problem)"), "\(description)")
        #expect(!description.contains("\n") && description.components(separatedBy: ": ").count >= 3, "\(description)")
        for word in ["did not find", "found", "token", "context", "while", "Yams", "scan"] {
            #expect(!description.contains(word), "\(description)")
        }
    }

    @Test(
        "Times that do not exist name field, value and remedy",
        arguments: [
            ("2036-02-30T00:00:00Z", "the day 30 is not in 1 to 29"), ("2036-01-01T25:00:00Z", "the hour 25"),
            ("2036-01-01T00:00:61Z", "the second 61"), ("10000-01-01T00:00:00Z", "the year 10000"),
        ]
    )
    func times(time: String, reason: String) throws {
        let pin = #"[{ sha256: "lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8=" }]"#
        let yaml = """
            version: 1
            sites: []
            schemes: []
            pins:
              - host: a.example
                pins: \(pin)
                withoutBackup: a test
                expires: \(time)
            """
        let description = try problem(yaml)
        #expect(description.hasPrefix("profile.yaml:8: pins[0].expires: '\(time)' is not a time, because \(reason)"))
        #expect(description.hasSuffix("write a time like 2036-01-01T00:00:00Z"))
    }

    @Test func theSystemsReasonIsNamed() throws {
        let error = try #require(throws: ProfileFileError.self) {
            try ProfileReader.read(URL(filePath: "/nonexistent/p"))
        }
        #expect(error.problem == "cannot be read (No such file or directory): check path and mode")
        let folder = try #require(throws: ProfileFileError.self) { try ProfileReader.read(URL(filePath: "/tmp")) }
        #expect(folder.problem == "cannot be read (Is a directory): check path and mode")
    }
}

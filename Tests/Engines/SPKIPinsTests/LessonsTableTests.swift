import Foundation
import Testing

/// The table of lessons in the documentation names suites; each of them has a test with the lesson's number in its name.
@Suite struct LessonsTableTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("The table of lessons names the suites that bear them")
    func suitesOfLessons() throws {
        let page = Self.package.appending(path: "Sources/Engines/SPKIPins/SPKIPins.docc/SPKIPins.md")
        let rows = try String(contentsOf: page, encoding: .utf8).matches(of: /(?m)^\| (S\d+) \| .* \| (.*) \|$/)
        #expect(rows.count == 17)
        let suites = try bearers()
        for row in rows {
            let named = Set(row.output.2.matches(of: /\w+Tests/).map { String($0.output) })
            #expect(named == suites[String(row.output.1), default: []], "\(row.output.1)")
        }
    }

    /// The files of tests, by the numbers that their tests' names start with.
    private func bearers() throws -> [String: Set<String>] {
        let tests = Self.package.appending(path: "Tests")
        let files = try FileManager.default.subpathsOfDirectory(atPath: tests.path).filter {
            $0.hasSuffix("Tests.swift")
        }
        var bearers: [String: Set<String>] = [:]
        for file in files where file.hasPrefix("Engines/SPKIPinsTests") || file.hasPrefix("Study/Pin") {
            let text = try String(contentsOf: tests.appending(path: file), encoding: .utf8)
            let suite = URL(filePath: file).deletingPathExtension().lastPathComponent
            for name in text.matches(of: #/"(S\d+(?:, S\d+)*): /#) {
                for number in name.output.1.split(separator: ", ") {
                    bearers[String(number), default: []].insert(suite)
                }
            }
        }
        return bearers
    }
}

import Foundation
import Testing

/// The table of lessons in the documentation names suites; each of them has a test with the lesson's number in its name.
@Suite struct LessonsTableTests {
    @Test("The table of lessons names the suites that bear them")
    func suitesOfLessons() throws {
        let page = try Repository.text("Sources/Engines/SPKIPins/SPKIPins.docc/SPKIPins.md")
        let rows = page.matches(of: /(?m)^\| (S\d+) \| .* \| (.*) \|$/)
        #expect(rows.count == 17)
        let suites = try bearers()
        for row in rows {
            let named = Set(row.output.2.matches(of: /\w+Tests/).map { String($0.output) })
            #expect(named == suites[String(row.output.1), default: []], "\(row.output.1)")
        }
    }

    /// The files of tests, by the numbers that their tests' names start with.
    private func bearers() throws -> [String: Set<String>] {
        var bearers: [String: Set<String>] = [:]
        let folders = ["Engines/SPKIPinsTests", "Study/Pin", "RepositoryTests"]
        for (file, text) in try Repository.swiftFiles(below: "Tests") where file.hasSuffix("Tests.swift") {
            guard folders.contains(where: { file.hasPrefix($0) }) else { continue }
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

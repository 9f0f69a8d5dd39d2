import Foundation
import Hostnames
import TestSupport
import Testing

@testable import OfflineVerbs

/// Which of the program's list, the system's and the option's is used.
@Suite struct PublicSuffixOptionsTests {
    private func with<R>(_ text: String, _ body: (String) throws -> R) throws -> R {
        let file = TemporaryFolder.place("suffixes")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file.path(percentEncoded: false))
    }

    private func text(_ version: String?, rules: String = "a.example\n") -> String {
        (version.map { "// VERSION: \($0)\n" } ?? "") + rules + "// ===END PRIVATE DOMAINS===\n"
    }

    @Test("The system's list is taken if it is newer, and only then") func system() throws {
        let date = try #require(PublicSuffixList.builtIn.date)
        let newer = try with(text("2099-01-01_00-00-00_UTC")) { try PublicSuffixOptions.newer(in: $0) }
        #expect(newer?.date == "2099-01-01")
        for version in ["2023-02-09_23-26-00_UTC", nil, PublicSuffixList.builtIn.version] {
            #expect(
                try with(text(version)) { try PublicSuffixOptions.newer(in: $0) }?.date == nil,
                "\(version ?? "none")"
            )
        }
        // The same day, an hour that no list has.
        #expect(try with(text("\(date)_23-59-59_UTC")) { try PublicSuffixOptions.newer(in: $0) }?.date == date)
        #expect(try PublicSuffixOptions.newer(in: "/nonexistent/list") == nil)
    }

    @Test("A newer list of the system that is broken is one problem, with its file") func brokenSystem() throws {
        try with("// VERSION: 2099-01-01_00-00-00_UTC\na.example\n") { path in
            let problem = #expect(throws: PublicSuffixOptions.Problem.self) { try PublicSuffixOptions.newer(in: path) }
            #expect(problem?.text.hasPrefix("\(path): the line '// ===END") == true)
        }
    }

    @Test("The option's list may have no date, but is never older than the program's") func named() throws {
        #expect(try with(text(nil)) { try PublicSuffixOptions.named($0) }.count == 1)
        try with(text("2023-02-09_23-26-00_UTC")) { path in
            let problem = #expect(throws: PublicSuffixOptions.Problem.self) { try PublicSuffixOptions.named(path) }
            #expect(problem?.text.contains("2023-02-09 is older than the program's public suffix list") == true)
        }
        let missing = #expect(throws: PublicSuffixOptions.Problem.self) {
            try PublicSuffixOptions.named("/nonexistent")
        }
        #expect(missing?.text == "/nonexistent: the file does not exist; check the path")
    }
}

import Foundation
import Testing

/// What README and the pages say about other files.
@Suite struct PageTests {
    @Test("The table of peers is the one of the newest report") func peersAreThoseOfTheNewestReport() throws {
        let reports = "Benchmarks/Reports"
        let folder = Repository.root.appending(path: reports).path
        // Names of reports of peers begin with the date.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".md") && $0.hasPrefix("20") }
        let newest = try #require(names.max())
        let lines = try Repository.text("\(reports)/\(newest)").split(separator: "\n")
        let heading = try #require(lines.firstIndex(of: "## In short"))
        let table = lines[(heading + 1)...].prefix { $0.hasPrefix("|") }
        #expect(table.count > 2)
        let page = try Repository.text("Sources/Handling/Sallyport/Sallyport.docc/GuardingPerformance.md")
        #expect(page.contains(table.joined(separator: "\n")), "the table of \(newest) is not in GuardingPerformance.md")
        #expect(page.contains(newest))
    }

    @Test("README has at most 150 lines, and its links lead to files") func readme() throws {
        let readme = try Repository.text("README.md")
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
        let links = readme.matches(of: /\]\(([^)]+)\)/).map { String($0.output.1) }.filter { !$0.hasPrefix("http") }
        #expect(links.count > 7)
        for link in links {
            #expect(FileManager.default.fileExists(atPath: Repository.root.appending(path: link).path), "\(link)")
        }
    }

    @Test("The page about the architecture names every target of Sources") func wingsAreComplete() throws {
        let page = try Repository.text("Sources/Handling/Sallyport/Sallyport.docc/Architecture.md")
        let others: Set = ["benchmarks", "programs", "peers", "tests"]
        let targets = try Repository.text("Package.swift").matches(of: /(\w+)\.(?:library|cLibrary|program)\("(\w+)"/)
            .filter { !others.contains(String($0.output.1)) }.map(\.output.2)
        #expect(targets.count > 20)
        for target in targets { #expect(page.contains("`\(target)`"), "\(target)") }
    }
}

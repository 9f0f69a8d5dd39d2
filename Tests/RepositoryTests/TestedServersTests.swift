import Foundation
import Testing

/// The page about the matrix of tests names tests that exist.
@Suite struct TestedServersTests {
    @Test("Each cell that names a test names one of Tests") func names() throws {
        let page = try Repository.text("Sources/Adapters/SallyportNIO/SallyportNIO.docc/TestedServers.md")
        let files = try Repository.swiftFiles(below: "Tests")
        let names = page.matches(of: /`([A-Z][A-Za-z]+Tests)\.([a-zA-Z0-9]+)`/)
        #expect(names.count > 40)
        for name in names {
            let file = files.first { $0.file.hasSuffix("/\(name.1).swift") }
            let declaration = try Regex("@Test[^@]*func \(name.2)\\(")
            #expect(file?.text.contains(declaration) == true, "\(name.0)")
        }
    }
}

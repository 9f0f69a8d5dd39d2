import Foundation
import Testing

/// The pages about porting from AWController and from ArcGIS.
@Suite struct PortedSnippetTests {
    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test(
        "Every Swift snippet of the page is in its file, word for word",
        arguments: [
            ("PortingFromAWController.md", "SnippetProgram/PortedSnippets.swift", 2),
            ("PortedFlows.md", "RepositoryTests/Readme/PortedFlows.swift", 5),
            ("PortingFromArcGIS.md", "RepositoryTests/Readme/ArcGISFlows.swift", 2),
        ]
    )
    func snippetsAreCompiled(page: String, file: String, count: Int) throws {
        let text = try Repository.text("Sources/Adapters/SallyportURLSession/SallyportURLSession.docc/\(page)")
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().map {
            Self.lines($0.components(separatedBy: "```")[0])
        }
        #expect(blocks.count == count)
        let source = Self.lines(try Repository.text("Tests/\(file)"))
        for block in blocks {
            let places = source.indices.filter { source[$0...].starts(with: block) }
            #expect(places.count == 1, "\(block.first ?? "")")
        }
    }
}

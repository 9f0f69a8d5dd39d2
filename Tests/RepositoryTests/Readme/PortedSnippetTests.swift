import Foundation
import Hostnames
import LiveServers
import Sallyport
import SallyportURLSession
import Secrets
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The pages about porting from AWController and from ArcGIS.
@Suite(.serialized) struct PortedSnippetTests {
    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test(
        "Every Swift snippet of the page is in its file, word for word",
        arguments: [
            ("PortingFromAWController.md", "PortedSnippets.swift", 2), ("PortedFlows.md", "PortedFlows.swift", 5),
            ("PortingFromArcGIS.md", "ArcGISFlows.swift", 2),
        ]
    )
    func snippetsAreCompiled(page: String, file: String, count: Int) throws {
        let text = try Repository.text("Sources/Adapters/SallyportURLSession/SallyportURLSession.docc/\(page)")
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().map {
            Self.lines($0.components(separatedBy: "```")[0])
        }
        #expect(blocks.count == count)
        let source = Self.lines(try Repository.text("Tests/RepositoryTests/Readme/\(file)"))
        for block in blocks {
            let places = source.indices.filter { source[$0...].starts(with: block) }
            #expect(places.count == 1, "\(block.first ?? "")")
        }
    }

    @Test(
        "At a real server a wrong password is sent once, asked for, and the page arrives",
        .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP),
        .inTurn
    )
    func live() async throws {
        let server = try await GuardedServer.started(.apacheBasic)
        let url = try #require(URL(string: "\(try server.address())\(server.page(1))"))
        let questions = Mutex<[String]>([])
        let (data, response) = try await PortedSnippets.page(url, server.handler(password: "Wrong")) { names in
            questions.withLock { $0.append(names.user) }
            return SharedSecret(utf8: GuardedServer.password)
        }
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(!data.isEmpty)
        #expect(questions.withLock { $0 } == ["jdoe"])
        #expect(try server.takeBadLogOns() == 1)
    }
}

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

/// The page about porting from AWController.
@Suite(.serialized) struct PortedSnippetTests {
    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test("Every Swift snippet of the page is in PortedSnippets.swift, word for word") func snippetsAreCompiled() throws
    {
        let catalogue = "Sources/Adapters/SallyportURLSession/SallyportURLSession.docc"
        let page = try Repository.text("\(catalogue)/PortingFromAWController.md")
        let blocks = page.components(separatedBy: "```swift\n").dropFirst().map {
            Self.lines($0.components(separatedBy: "```")[0])
        }
        #expect(blocks.count == 2)
        let source = Self.lines(try Repository.text("Tests/RepositoryTests/Readme/PortedSnippets.swift"))
        for block in blocks {
            let places = source.indices.filter { source[$0...].starts(with: block) }
            #expect(places.count == 1, "\(block.first ?? "")")
        }
    }

    @Test(
        "At a real server a wrong password is sent once, asked for, and the page arrives",
        .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP),
        .timeLimit(.minutes(5))
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

import Sallyport
import Testing

@testable import ChallengeHandling

@Suite struct AssignmentTableTests {
    private let table: AssignmentTable

    init() throws {
        let sites = [["*.acme.example"], ["https://ecm.acme.example/repository/"], ["build.acme.example"]]
        table = try AssignmentTable(sites: sites) { "\($0)" }
    }

    @Test(
        "The most specific rule that covers the path decides, and one for a path leaves other paths to wider rules",
        arguments: [
            ("https://wiki.acme.example", "/", 0), ("https://ecm.acme.example", "/start", 0),
            ("https://ecm.acme.example", "/repository/1", 1), ("https://ecm.acme.example", "/repositoryX", 0),
            ("https://build.acme.example", "/repository/1", 2), ("https://evil.example", "/repository/1", nil),
            ("http://ecm.acme.example", "/repository/1", nil),
        ] as [(String, String, Int?)]
    )
    func assignments(origin: String, path: String, assignment: Int?) throws {
        #expect(table.assignment(for: try Origin(parsing: origin), path: path) == assignment)
    }

    @Test(
        "A path that servers read in two ways belongs to no assignment of a host with paths",
        arguments: [
            "/start/..%2frepository/1", "/%2e%2e/repository/1", "/start//../repository/1", "/a\\..\\repository",
        ]
    )
    func uncertain(path: String) throws {
        #expect(table.assignment(for: try Origin(parsing: "https://ecm.acme.example"), path: path) == nil)
    }
}

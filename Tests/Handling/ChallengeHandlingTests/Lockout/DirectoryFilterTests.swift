import Sallyport
import Testing

@testable import ChallengeHandling

@Suite struct DirectoryFilterTests {
    @Test("What was inserted is contained; of ten directories at most one other in a hundred is") func agreement() {
        var wrong = 0
        for round in 0..<1_000 {
            var filter = DirectoryFilter()
            let inserted = (0..<10).map { RequestPath("/space-\(round)/\($0)/page") }
            for path in inserted { filter.insert(path) }
            #expect(inserted.allSatisfy(filter.contains))
            let others = (0..<10).map { RequestPath("/other-\(round)/\($0)/page") }
            wrong += others.filter(filter.contains).count
        }
        // 10,000 questions.
        #expect(wrong <= 100, "\(wrong)")
    }

    @Test(
        "A directory is the path to its last slash",
        arguments: [("/a/b", "/a/"), ("/a/", "/a/"), ("/", "/"), ("host:443", "host:443"), ("", "")]
    )
    func directories(path: String, directory: String) {
        #expect(RequestPath(path).directory == directory)
    }
}

import Hostnames
import TestSupport
import Testing

@testable import AllowedSites

@Suite struct SiteTrieAllPathsTests {
    @Test("A verdict for all paths is the naive matcher's for each path", arguments: Effort.seeds(8, thorough: 32))
    func agreesWithNaiveMatcher(seed: UInt64) throws {
        var generator = SiteGenerator(seed: seed)
        var lines = ["#! allow-public-suffix"]
        var oracle = NaiveSites(rules: [])
        for _ in 0..<40 {
            var (rule, text) = generator.rule()
            lines.append(text)
            rule.line = lines.count
            oracle.rules.append(rule)
        }
        let trie = SiteTrie(compiling: try SiteList(parsing: lines.joined(separator: "\n"), name: "world"))
        var (independent, dependent) = (0, 0)
        for _ in 0..<200 {
            var (request, host) = generator.request()
            let origin = try Origin(parsing: "\(request.scheme)://\(host):\(request.port)")
            guard let verdict = trie.verdict(forAllPathsOf: origin) else {
                dependent += 1
                continue
            }
            independent += 1
            for path in ["/", "/a", "/a/b/c", "/%61/b", "/a/..", "/x;v=1", "/%zz", request.path] {
                request.path = path
                #expect(word(verdict) == oracle.answer(request), "\(origin)\(path)")
            }
        }
        #expect(independent > 10 && dependent > 10)
    }

    @Test("Without rules for paths every verdict holds for all paths")
    func noPaths() throws {
        let trie = try trie("*.a.example", "!x.a.example", "https://b.example:8443", "10.0.0.0/8")
        for text in ["https://w.a.example", "https://x.a.example", "http://b.example", "https://10.1.2.3", "https://c"]
        {
            let origin = try Origin(parsing: text)
            #expect(trie.verdict(forAllPathsOf: origin) == trie.verdict(for: origin, path: "/"))
        }
    }

    @Test("A rule for a path leaves the other hosts as they are")
    func onePath() throws {
        let trie = try trie("*.a.example", "docs.a.example/public")
        #expect(trie.verdict(forAllPathsOf: try Origin(parsing: "https://docs.a.example")) == nil)
        #expect(trie.verdict(forAllPathsOf: try Origin(parsing: "https://wiki.a.example"))?.isAllowed == true)
    }
}

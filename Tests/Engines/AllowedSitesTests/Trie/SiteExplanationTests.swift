import Hostnames
import Testing

@testable import AllowedSites

@Suite struct SiteExplanationTests {
    @Test("An explanation walks from the labels to the winner") func walk() throws {
        let explanation = try trie("*.h.example", "!d.h.example/admin").explain(url: "https://D.h.example/guide?q")
        #expect(
            explanation.description == """
                request: https://d.h.example with path /guide
                host: a name, labels from the right: example, h, d
                d.h.example has 1 rule
                  test, line 2: !d.h.example/admin: another path
                all of them are exceptions that do not fit, so the next wider rule is asked
                *.h.example has 1 rule
                  test, line 1: *.h.example: fits
                the rule in line 1 wins: most specific host, then longest path, then '!'
                allowed by line 1
                """
        )
    }

    @Test("An uncertain path is named") func uncertainPath() throws {
        let explanation = try trie("h.example", "!h.example/admin").explain(url: "https://h.example/x/../y")
        #expect(word(explanation.verdict) == "exception 2")
        #expect(explanation.steps.contains { $0.contains("uncertain at offset 5") })
        #expect(explanation.steps.contains { $0.contains("the exception in line 2 wins") })
    }

    @Test("A path stands there as it is, in one line") func paths() throws {
        let origin = try Origin(parsing: "https://h.example")
        for (path, text) in [("/it's", "/it's"), ("/a\"b\\c", "/a\"b\\c"), ("/a\n\u{2028}b", "/a\\u{a}\\u{2028}b")] {
            let steps = try trie("h.example/app").explain(origin, path: path).steps
            #expect(steps[0] == "request: https://h.example with path \(text)")
        }
        let doubt = try trie("h.example/app").explain(origin, path: "/app/../x")
        #expect(doubt.steps.contains("  test, line 1: h.example/app: an uncertain path"))
    }

    @Test("A host that closes the search, and a host without rules") func closedAndUnknown() throws {
        let closed = try trie("*.h.example", "w.h.example:8443").explain(url: "https://w.h.example/")
        #expect(word(closed.verdict) == "otherPort 2")
        #expect(closed.steps.contains { $0.contains("wider rules are not asked") })
        let unknown = try trie("h.example").explain(url: "https://10.0.0.1/")
        #expect(unknown.verdict == .denied(.noRule))
        #expect(unknown.steps.last == "no rule covers this host")
        let open = try trie("!h.example/x").explain(url: "https://h.example/")
        #expect(open.steps.last == "no further rule covers this host")
        #expect(unknown.steps.contains { $0.contains("the address 10.0.0.1") })
    }

    @Test("An invalid URL is explained as such") func invalid() throws {
        let explanation = try trie("h.example").explain(url: "https://u@h.example")
        #expect(explanation.verdict == .invalid(.origin(.userinfo(offset: 9))))
        #expect(explanation.description.contains("offset 9"))
    }

    @Test("Of many rules, some are written out") func manyRules() throws {
        let rules = (1...25).map { "h.example/p\($0)" }.joined(separator: "\n")
        let explanation = SiteTrie(compiling: try SiteList(parsing: rules, name: "many")).explain(
            url: "https://h.example/"
        )
        #expect(explanation.steps.count { $0.hasPrefix("  many, line ") } == SiteExplanation.maximumRulesPerPlace)
        #expect(explanation.steps.contains("  and 5 more"))
    }
}

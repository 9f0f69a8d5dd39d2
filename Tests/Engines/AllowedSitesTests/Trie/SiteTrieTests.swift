import Hostnames
import TestSupport
import Testing

@testable import AllowedSites

/// The verdict as the oracle writes it.
func word(_ verdict: SiteVerdict) -> String {
    switch verdict {
    case .allowed(let rule): "allowed \(rule.line)"
    case .denied(.noRule): "noRule"
    case .denied(.otherScheme(let rule)): "otherScheme \(rule.line)"
    case .denied(.otherPort(let rule)): "otherPort \(rule.line)"
    case .denied(.otherPath(let rule)): "otherPath \(rule.line)"
    case .denied(.uncertainPath(let rule)): "uncertainPath \(rule.line)"
    case .denied(.exception(let rule)): "exception \(rule.line)"
    case .invalid: "invalid"
    }
}

@Suite struct SiteTrieTests {
    /// A world of 40 rules with some empty lines and comments, and the oracle of the same rules.
    private func world(_ generator: inout SiteGenerator, _ form: TrieForm = .fast) throws -> (SiteTrie, NaiveSites) {
        var lines = ["#! allow-public-suffix"]
        var oracle = NaiveSites(rules: [])
        for _ in 0..<40 {
            if generator.flip(0.1) { lines.append("  # nothing") }
            var (rule, text) = generator.rule()
            lines.append(text)
            rule.line = lines.count
            oracle.rules.append(rule)
        }
        return (
            SiteTrie(compiling: try SiteList(parsing: lines.joined(separator: "\n"), name: "world"), form), oracle
        )
    }

    private static let seeds = Effort.seeds(12, thorough: 64)

    @Test("The trie and the naive matcher agree", arguments: seeds, TrieForm.allCases)
    func agreesWithNaiveMatcher(seed: UInt64, form: TrieForm) throws {
        var generator = SiteGenerator(seed: seed)
        let (trie, oracle) = try world(&generator, form)
        #expect(trie.brokenInvariant() == nil)
        for _ in 0..<Effort.rounds(200, thorough: 10_000) {
            let (request, host) = generator.request()
            let base = "\(request.scheme)://\(host):\(request.port)"
            let origin = try Origin(parsing: base)
            let verdict = trie.verdict(for: origin, path: request.path)
            #expect(word(verdict) == oracle.answer(request), "\(base)\(request.path)")
            #expect(trie.explain(origin, path: request.path).verdict == verdict)
            // As a URL, a path must begin with a slash; without one it would be part of the port.
            if request.path.isEmpty || request.path.hasPrefix("/") {
                #expect(trie.verdict(forURL: base + request.path) == verdict, "\(base)\(request.path)")
            }
        }
    }

    @Test("The seeds reach every kind of answer") func seedsReachEveryAnswer() throws {
        var counts: [Substring: Int] = [:]
        for seed in Self.seeds {
            var generator = SiteGenerator(seed: seed)
            let (_, oracle) = try world(&generator)
            for _ in 0..<200 {
                counts[oracle.answer(generator.request().request).prefix { $0 != " " }, default: 0] += 1
            }
        }
        for kind in ["allowed", "exception", "otherScheme", "otherPort", "otherPath", "uncertainPath", "noRule"] {
            #expect(counts[Substring(kind), default: 0] > 4 * Self.seeds.count, "\(kind): \(counts)")
        }
    }

    @Test("A list without rules denies everything") func emptyList() throws {
        #expect(word(try trie("").verdict(forURL: "https://host.example/")) == "noRule")
        #expect(try trie("").brokenInvariant() == nil)
    }

    @Test("Several lists stand side by side, and references lead to rule and list") func severalLists() throws {
        var builder = SiteTrieBuilder()
        builder.add(try SiteList(parsing: "a.example\n*.b.example", name: "first"))
        builder.add(try SiteList(parsing: "# c\n!x.b.example\na.example", name: "second"))
        let trie = builder.build()
        // a.example stands in both.
        #expect(trie.count == 3)
        let allowed = try #require(trie.verdict(forURL: "https://a.example").rule)
        #expect(trie.listName(of: allowed) == "first")
        #expect(trie.rule(at: allowed) == (try SiteRule(parsing: "a.example")))
        let denied = try #require(trie.verdict(forURL: "https://x.b.example").rule)
        #expect(denied.line == 2)
        #expect(trie.listName(of: denied) == "second")
        #expect(trie.rule(at: denied)?.description == "!x.b.example")
        let foreign = RuleReference(line: 9, position: 9)
        #expect(trie.rule(at: foreign) == nil)
        #expect(trie.listName(of: RuleReference(line: 9, position: 0)) == nil)
    }

    @Test("Equal rules are accepted; the verdict names the first one") func duplicates() throws {
        #expect(
            word(try trie("a.example", "a.example", "A.EXAMPLE.").verdict(forURL: "https://a.example")) == "allowed 1"
        )
    }
}

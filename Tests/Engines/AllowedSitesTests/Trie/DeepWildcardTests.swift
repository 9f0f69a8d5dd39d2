import TestSupport
import Testing

@testable import AllowedSites

/// Names of many labels, and wildcards above parents of many.
@Suite struct DeepWildcardTests {
    private struct World {
        /// Names without `*.`, each with its line.
        var wildcards: [(name: String, line: Int)] = []
        var names: [(name: String, line: Int)] = []

        /// What a scan of all rules says of `host`.
        func answer(_ host: String) -> String {
            if let exact = names.first(where: { $0.name == host }) { return "allowed \(exact.line)" }
            let around = wildcards.filter { host.hasSuffix("." + $0.name) }
            guard let longest = around.map(\.name.utf8.count).max() else { return "noRule" }
            let line = around.filter { $0.name.utf8.count == longest }.map(\.line).min() ?? 0
            return "allowed \(line)"
        }
    }

    /// The last `count` labels, one of them another one now and then.
    private func suffix(_ labels: [String], _ count: Int, _ random: inout SeededGenerator) -> String {
        var chosen = Array(labels.suffix(count))
        if Int.random(in: 0..<3, using: &random) == 0 {
            chosen[Int.random(in: 0..<chosen.count, using: &random)] = "q"
        }
        return chosen.joined(separator: ".")
    }

    @Test(
        "Wildcards at any depth are found as a scan of all finds them",
        arguments: Effort.seeds(8, thorough: 16),
        TrieForm.allCases
    )
    func agreesWithScan(seed: UInt64, form: TrieForm) throws {
        var random = SeededGenerator(seed: seed)
        // With labels of one byte a name has 127 of them.
        let letters = seed % 2 == 0 ? ["a", "b"] : ["a", "bcd", "ef-g"]
        var labels: [String] = []
        while labels.joined(separator: ".").utf8.count < 253 {
            labels.append(letters[Int.random(in: 0..<letters.count, using: &random)])
        }
        while labels.joined(separator: ".").utf8.count > 253 { labels.removeFirst() }
        let deepest = seed % 4 < 2 ? labels.count - 1 : 12
        var lines = ["#! allow-public-suffix"]
        var world = World()
        for _ in 0..<150 {
            let name = suffix(labels, Int.random(in: 1...deepest, using: &random), &random)
            let isWildcard = Int.random(in: 0..<4, using: &random) > 0
            lines.append((isWildcard ? "*." : "") + name)
            if isWildcard {
                world.wildcards.append((name, lines.count))
            } else {
                world.names.append((name, lines.count))
            }
        }
        let trie = SiteTrie(compiling: try SiteList(parsing: lines.joined(separator: "\n"), name: "deep"), form)
        #expect(trie.brokenInvariant() == nil)
        var hits = 0
        for _ in 0..<Effort.rounds(400, thorough: 4000) {
            let host = suffix(labels, Int.random(in: 1...labels.count, using: &random), &random)
            let expected = world.answer(host)
            if expected != "noRule" { hits += 1 }
            #expect(word(trie.verdict(forURL: "https://\(host)/")) == expected, "\(host)")
        }
        #expect(hits > 100)
    }

    @Test("Numbers of labels are a set") func labelCounts() {
        var counts = LabelCounts()
        #expect(counts.greatest == 0)
        for count in [1, 4, 63, 64, 126, 127] {
            counts.insert(count)
            #expect(counts.greatest == count)
        }
        #expect((1...127).filter(counts.contains) == [1, 4, 63, 64, 126, 127])
    }
}

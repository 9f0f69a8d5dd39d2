import Testing

@testable import AllowedSites

@Suite struct SiteListEntriesTests {
    @Test("A packed rule is the rule that was packed", arguments: UInt64(1)...64)
    func packing(seed: UInt64) throws {
        var generator = SiteGenerator(seed: seed)
        let texts = (0..<200).map { _ in generator.rule().text }
        let rules = try texts.map { try SiteRule(parsing: $0, allowingPublicSuffix: true) }
        var entries = SiteListEntries()
        for (index, rule) in rules.enumerated() { entries.append(rule, line: index * 3 + 1) }
        #expect(entries.map(\.rule) == rules)
        #expect(entries.map(\.line) == rules.indices.map { $0 * 3 + 1 })
        // The list reader has a shorter way for plain names.
        let list = try SiteList(parsing: "#! allow-public-suffix\n" + texts.joined(separator: "\n"), name: "seeded")
        #expect(list.entries.map(\.rule) == rules)
    }

    @Test("Rules can be taken away", arguments: UInt64(1)...16)
    func removing(seed: UInt64) throws {
        var generator = SiteGenerator(seed: seed)
        var entries = SiteListEntries()
        for line in 1...50 {
            entries.append(try SiteRule(parsing: generator.rule().text, allowingPublicSuffix: true), line: line)
        }
        let gone = (0..<50).filter { _ in generator.flip(seed % 2 == 0 ? 0.1 : 0.9) }
        let kept = entries.indices.filter { !gone.contains($0) }.map { entries[$0] }
        entries.remove(at: gone)
        #expect(Array(entries) == kept)
    }
}

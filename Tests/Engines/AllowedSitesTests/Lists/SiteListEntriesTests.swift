import TestSupport
import Testing

@testable import AllowedSites

@Suite struct SiteListEntriesTests {
    @Test("A packed rule is the rule that was packed", arguments: Effort.seeds(16, thorough: 64))
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

    @Test("Lines far apart, equal or out of order are kept", arguments: Effort.seeds(4, thorough: 16))
    func lines(seed: UInt64) throws {
        var generator = SiteGenerator(seed: seed)
        var random = SeededGenerator(seed: seed)
        var entries = SiteListEntries()
        var expected: [SiteList.Entry] = []
        var line = 1
        for _ in 0..<100 {
            let rule = try SiteRule(parsing: generator.rule().text, allowingPublicSuffix: true)
            entries.append(rule, line: line)
            expected.append(SiteList.Entry(line: line, rule: rule))
            line = max(1, line + [0, 1, 255, 256, 70_000, -3][Int.random(in: 0..<6, using: &random)])
        }
        #expect(Array(entries) == expected)
        #expect(entries.lastLine == expected.last?.line)
        // In any order, and with names lent instead of copied.
        for position in entries.indices.shuffled(using: &random) { #expect(entries[position] == expected[position]) }
        var lent = 0
        var constraints: [UInt32: ConstraintTable.Constraint] = [:]
        let positions = entries.indices.filter { _ in generator.flip(0.3) }
        entries.forEachName(at: positions) { position, name, fields in
            lent += 1
            guard let fields else { return #expect(!expected[position].rule.hasName) }
            let bytes = name.indices.map { name[$0] }
            let place = fields.isBelow ? SiteRule.Place.below(bytes) : .name(bytes)
            #expect(expected[position].rule.place == place)
            #expect(fields.line == expected[position].line)
            let rule = expected[position].rule
            #expect((fields.condition == nil) == (rule.path != nil))
            guard let condition = fields.condition else { return }
            // Equal conditions are equal constraints.
            let constraint = ConstraintTable.Constraint(rule)
            let known = constraints.updateValue(constraint, forKey: condition)
            #expect(known == nil || known == constraint)
        }
        #expect(lent == positions.count)
    }

    @Test("Rules can be taken away", arguments: Effort.seeds(4, thorough: 16))
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

extension SiteRule {
    fileprivate var hasName: Bool {
        switch place {
        case .name, .below: true
        case .ipv4, .ipv6: false
        }
    }
}

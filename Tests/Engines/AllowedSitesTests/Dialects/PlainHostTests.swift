import TestSupport
import Testing

@testable import AllowedSites

@Suite struct PlainHostTests {
    /// Entries that are a name alone are read without text and rules. An entry with a port takes the longer way.
    @Test("A name alone is read as the entry with its parts is", arguments: UInt64(1)...8)
    func plainHosts(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let labels = ["a", "B2", "x-y", "-a", "a-", "_x", "com", "co", "uk", "10", "0x1", "", "xn--p1ai", "corp", "é"]
        var plain = 0
        for _ in 0..<300 {
            let count = Int.random(in: 1...4, using: &random)
            let dot = ["", "", ".", "*.", "*", ".*."].randomElement(using: &random) ?? ""
            let host = dot + (0..<count).map { _ in labels.randomElement(using: &random)! }.joined(separator: ".")
            // `*` alone is every site, and with a port a pattern.
            guard !host.isEmpty, host != "*" else { continue }
            for dialect in [SiteDialect.chromium, .firefox, .noProxy] {
                let short = try dialect.read(host, name: "x")
                let long = try dialect.read(host + ":8443", name: "x")
                let rules = long.list.entries.map { $0.rule.description.replacing(":8443", with: ":*") }
                #expect(short.list.entries.map(\.rule.description) == rules, "\(host)")
                #expect(short.losses.map(\.reason) == long.losses.map(\.reason), "\(host)")
                #expect(short.losses.map(\.keepsHost) == long.losses.map(\.keepsHost), "\(host)")
                plain += rules.count
            }
        }
        #expect(plain > 100)
    }
}

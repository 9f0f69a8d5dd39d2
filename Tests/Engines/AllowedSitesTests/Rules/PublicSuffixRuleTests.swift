import TestLimits
import TestSupport
import Testing

@testable import AllowedSites

/// Wildcards over the public suffixes of today, as an independent program names them.
@Suite(.inTurn, .enabled(if: PublicSuffixPackage.isInstalled, PublicSuffixPackage.isMissing))
struct PublicSuffixRuleTests {
    @Test("No wildcard over a public suffix is accepted, as a rule, in a list, or in a dialect") func everySuffix()
        throws
    {
        let suffixes = try PublicSuffixPackage.registries()
        #expect(suffixes.count > 10_000)
        let accepted = suffixes.filter { (try? SiteRule(parsing: "*.\($0)")) != nil }
        #expect(accepted.isEmpty, "\(accepted.count): \(accepted.prefix(5))")
        let text = suffixes.map { "*.\($0)" }.joined(separator: "\n")
        let list = try SiteList(parsing: Array(text.utf8).span, name: "list", leavingOutBadLines: true)
        #expect(list.count == 0 && list.leftOut.count == suffixes.count)
        let dotted = suffixes.map { ".\($0)" }.joined(separator: ",")
        let reading = try SiteDialect.chromium.read(dotted, name: "list")
        #expect(reading.list.count == 0 && reading.losses.count == suffixes.count)
    }

    @Test("One label more is a name of one owner, which a wildcard may cover") func below() throws {
        let suffixes = try PublicSuffixPackage.registries()
        let known = Set(suffixes)
        // Below some suffixes lies another one, such as `a.run.app` below `run.app`.
        let refused = suffixes.map { "owner-of-this.\($0)" }.filter { name in
            let parent = name.split(separator: ".").dropFirst().joined(separator: ".")
            return known.contains(parent) && (try? SiteRule(parsing: "*.\(name)")) == nil
        }
        // `*.host` makes every name below host a suffix; `any.host` stands for it, and is none beside an exception.
        #expect(
            refused.allSatisfy { name in
                known.contains("any." + name.split(separator: ".").dropFirst().joined(separator: "."))
            }
        )
        #expect(refused.count < 20, "\(refused)")
    }
}

import Foundation
import TestLimits
import TestSupport
import Testing

@testable import Hostnames

@Suite(.inTurn) struct PublicSuffixListTests {
    private func isSuffix(_ name: String) -> Bool {
        let bytes = [UInt8](name.utf8)
        let span = bytes.span
        return PublicSuffixList.builtIn.isSuffix(span, in: 0..<bytes.count)
    }

    private func isOfRegistry(_ name: String) -> Bool {
        let bytes = [UInt8](name.utf8)
        return PublicSuffixList.builtIn.isOfRegistry(bytes.span, in: bytes.indices)
    }

    private func areStrangersBelow(_ name: String) -> Bool {
        let bytes = [UInt8](name.utf8)
        return PublicSuffixList.builtIn.areStrangersBelow(bytes.span, in: bytes.indices)
    }

    /// What a registrar would sell: the longest suffix of `name` that is public, and one label more.
    private func registrableName(_ name: String) -> String? {
        let labels = name.split(separator: ".")
        for start in labels.indices where isSuffix(labels[start...].joined(separator: ".")) {
            return start == 0 ? nil : labels[(start - 1)...].joined(separator: ".")
        }
        return nil
    }

    /// The test vectors of publicsuffix.org, without those outside ASCII (each stands there as A-labels too).
    @Test func publishedVectors() throws {
        let file = HelperFile.url("test_psl.txt")
        var count = 0
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: "'", omittingEmptySubsequences: false)
            guard line.hasPrefix("checkPublicSuffix("), line.utf8.allSatisfy({ $0 < 0x80 }), words.count > 2 else {
                continue
            }
            let expected = words.count > 4 ? String(words[3]) : nil
            let host = try? Hostname(parsing: words[1])
            #expect(host.flatMap { registrableName($0.description) } == expected, "\(line)")
            count += 1
        }
        #expect(count == 68)
    }

    @Test("Every kind of rule") func kinds() {
        for name in [
            "com", "co.uk", "github.io", "lovable.app", "replit.app", "trafficmanager.net", "blob.core.windows.net",
            "unknown-tld", "any.ck", "x.kawasaki.jp", "kawasaki.jp",
        ] {
            #expect(isSuffix(name), "\(name)")
        }
        for name in [
            "www.ck", "city.kawasaki.jp", "a.city.kawasaki.jp", "a.any.ck", "example.com", "a.github.io", "a.b",
        ] {
            #expect(!isSuffix(name), "\(name)")
        }
    }

    @Test("Suffixes of registries, and those of companies") func registries() {
        for name in ["com", "co.uk", "unknown-tld", "any.ck", "x.kawasaki.jp", "kawasaki.jp"] {
            #expect(isOfRegistry(name), "\(name)")
        }
        for name in [
            "github.io", "lovable.app", "blob.core.windows.net", "www.ck", "city.kawasaki.jp", "example.com", "a.b",
        ] {
            #expect(!isOfRegistry(name), "\(name)")
        }
    }

    /// RFC 6761, RFC 6762, RFC 8375, and ICANN's decision about `internal`.
    @Test("No registry gives away names below a reserved name") func reserved() {
        for name in ["test", "localhost", "invalid", "example", "local", "home.arpa", "internal"] {
            #expect(!areStrangersBelow(name), "\(name)")
        }
        // Suffixes beside them: RFC 7686 lets anyone make a name below onion.
        for name in ["onion", "corp", "com", "arpa", "e164.arpa", "locals", "xlocal", "tes", "wiki", "github.io"] {
            #expect(areStrangersBelow(name), "\(name)")
        }
        for name in ["a.test", "a.home.arpa", "example.com"] { #expect(!areStrangersBelow(name), "\(name)") }
    }

    @Test("A name of one label is listed if it is a top-level domain of the list") func listed() {
        for (name, isListed) in [("com", true), ("wiki", true), ("corp", false), ("localhost", false), ("ck", true)] {
            let bytes = [UInt8](name.utf8)
            #expect(PublicSuffixList.builtIn.isListed(bytes.span, in: bytes.indices) == isListed, "\(name)")
        }
    }

    @Test(
        "libpsl has the same answers",
        .enabled(if: PublicSuffixPeer.isInstalled, PublicSuffixPeer.isMissing),
        arguments: UInt64(1)...4
    )
    func agreesWithLibpsl(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rules = PublicSuffixList.builtInRules().split(separator: UInt8(ascii: "\n"))
            .map { String(decoding: $0, as: UTF8.self) }
        let pieces = ["a", "www", "x-y", "city", "com", "co", "uk", "jp", "github", "xn--p1ai", "0"]
        var names: [String] = []
        for rule in rules {
            let bare = String(rule.drop { "+!".contains($0) }).replacing("*", with: "a")
            let piece = pieces.randomElement(using: &random) ?? "a"
            names += [bare, "\(piece).\(bare)", bare.split(separator: ".").dropFirst().joined(separator: ".")]
            names.append((0..<Int.random(in: 1...4, using: &random)).map { _ in piece }.joined(separator: "."))
            // Names that nearly are a rule.
            names += ["x" + bare, bare + "x"]
        }
        names.removeAll(where: \.isEmpty)
        let answers = try PublicSuffixPeer.answers(names)
        #expect(answers.count == names.count)
        let wrong = zip(names, answers).filter { isSuffix($0) != $1.isSuffix || isOfRegistry($0) != $1.isOfRegistry }
        #expect(wrong.count == 0, "\(wrong.prefix(5))")
    }

    @Test("A table of a few rules, and of none") func smallTables() {
        func kinds(_ table: PublicSuffixTable, _ name: String) -> PublicSuffixTable.Kinds {
            let bytes = [UInt8](name.utf8)
            let span = bytes.span
            return table.kinds(of: span, in: 0..<bytes.count)
        }
        let table = PublicSuffixTable(rules: Array("a\n*.a\n!b.a".utf8))
        #expect(kinds(table, "a") == [.name, .wildcard, .registryName, .registryWildcard])
        #expect(kinds(table, "b.a") == .exception)
        #expect(kinds(table, "b") == [])
        #expect(kinds(PublicSuffixTable(rules: []), "a") == [])
        let mixed = PublicSuffixTable(rules: Array("+a\n*.a\n+*.b\n+\nb".utf8))
        #expect(kinds(mixed, "a") == [.name, .wildcard, .registryWildcard])
        #expect(kinds(mixed, "b") == [.name, .wildcard, .registryName])
    }
}

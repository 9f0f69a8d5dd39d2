import Hostnames
import TestSupport
import Testing

@testable import AllowedSites

@Suite struct NetworkRangesTests {
    private func address(_ text: String) throws -> UInt128 {
        guard case .ipv4(let address) = try Hostname(parsing: text).form else { preconditionFailure("no address") }
        return UInt128(address.rawValue) << 96
    }

    private static let lists: [(name: String, networks: [String])] = [
        ("everything", ["0.0.0.0/0"]),
        ("the first address", ["0.0.0.0/32"]),
        ("the last address", ["255.255.255.255/32"]),
        ("two halves", ["0.0.0.0/1", "128.0.0.0/1"]),
        ("halves in everything", ["0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1"]),
        ("a matryoshka at its first address", (0...32).map { "0.0.0.0/\($0)" }),
        ("a matryoshka at its last address", (0...32).map { NaiveNetwork(containing: .max, length: $0).text }),
        ("a matryoshka elsewhere", (0...32).map { NaiveNetwork(containing: 0xA5C3_5A3C << 96, length: $0).text }),
        ("one behind the other", (0..<256).map { "10.0.\($0).0/24" }),
        (
            "pairs that fill their network",
            (0..<64).flatMap { ["10.0.\($0).0/24", "10.0.\($0).0/25", "10.0.\($0).128/25"] }
        ),
        ("every second address", (0..<128).map { "192.0.2.\($0 * 2)/32" }),
        ("a crowd far from the others", (0..<250).map { "192.0.2.\($0)/32" } + ["10.0.0.0/8", "10.1.0.0/16"]),
    ]

    @Test("Lists that meet at their edges", arguments: lists.indices) func edges(index: Int) throws {
        let (name, texts) = Self.lists[index]
        let naive = NaiveNetworks(
            Set(
                try texts.map { text in
                    let parts = text.split(separator: "/")
                    return NaiveNetwork(containing: try address(String(parts[0])), length: try #require(Int(parts[1])))
                }
            )
        )
        // Equal lines are one network.
        let trie = try trie((naive.lines + naive.lines).joined(separator: "\n"), form: .ranges)
        #expect(trie.brokenInvariant() == nil, "\(name)")
        for network in naive.all {
            let end = network.address + ((UInt128(1) << UInt128(32 - network.length)) - 1) << 96
            for address in [network.address, network.address &- 1 << 96, end, end &+ 1 << 96] {
                let expected = naive.around(address, isIPv6: false)
                #expect(
                    networks(trie, around: address, isIPv6: false)
                        == (try expected.map { try SiteRule(parsing: $0.text, allowingPublicSuffix: true).description }),
                    "\(name): \(address >> 96)"
                )
            }
        }
    }

    /// More ranges in one group than in any other that a list can have: a network for each address.
    @Test func fullGroup() throws {
        let lines = (0..<1 << 16).map { "10.7.\($0 >> 8).\($0 & 255)" } + ["10.7.0.0/16"]
        let trie = try trie(lines.joined(separator: "\n"), form: .ranges)
        #expect(trie.image.ipv4Ranges?.indexBits == 17)
        #expect(trie.brokenInvariant() == nil)
        for last in stride(from: 0, to: 1 << 16, by: 251) {
            let address = UInt128(0x0A07_0000 + last) << 96
            let expected = ["10.7.\(last >> 8).\(last & 255)", "10.7.0.0/16"]
            #expect(networks(trie, around: address, isIPv6: false) == expected)
        }
        #expect(networks(trie, around: 0x0A06_FFFF << 96, isIPv6: false).isEmpty)
        #expect(networks(trie, around: 0x0A08_0000 << 96, isIPv6: false).isEmpty)
    }

    @Test("The bound is a number of IPv4 networks, and IPv6 networks never are ranges")
    func bound() throws {
        let lines = (0..<20).map { "10.0.\($0).0/24" } + (0..<20).map { "[2001:db8:\($0)::]/48" }
        var builder = SiteTrieBuilder()
        builder.add(try SiteList(parsing: lines.joined(separator: "\n"), name: "bound"))
        func hasRanges(from count: Int) -> Bool {
            builder.build(keepingLines: true, layout: .fast, rangesFrom: count).image.ipv4Ranges != nil
        }
        #expect(hasRanges(from: 0))
        #expect(hasRanges(from: 20))
        #expect(!hasRanges(from: 21))
        #expect(builder.build().image.ipv4Ranges == nil)
        builder = SiteTrieBuilder()
        builder.add(try SiteList(parsing: "[2001:db8::]/32", name: "bound"))
        #expect(!hasRanges(from: 0))
    }

    /// Seventeen networks, so that there is a second sample, in each other and apart.
    private static let damaged =
        ["10.0.0.0/8", "10.1.0.0/16", "10.1.0.0/24", "10.1.1.1/32", "192.0.2.0/25", "255.255.255.0/24"]
        + (0..<11).map { "172.16.\($0 * 2 + 1).0/24" }

    private func trieWithoutLines(_ lines: [String]) throws -> SiteTrie {
        var builder = SiteTrieBuilder()
        builder.add(try SiteList(parsing: lines.joined(separator: "\n"), name: "damaged"))
        return builder.build(keepingLines: false, form: .ranges)
    }

    @Test("A changed bit of index, ranges, samples or lengths is found, or makes the image of other networks")
    func damage() throws {
        let trie = try trieWithoutLines(Self.damaged)
        let image = ForgedImage.bytes(trie)
        let ranges = try #require(trie.image.ipv4Ranges)
        func start(_ section: TrieImage.Section) -> Int { trie.image.range(of: section).lowerBound }
        let (index, entries) = (start(.networkIndexes), start(.networks))
        let places = Array(index..<index + ranges.indexLength) + (entries..<entries + ranges.entriesLength)
        let bits = Effort.rounds(2, thorough: 8)
        var refused = 0
        for place in places {
            // Three and eight have no factor in common.
            for bit in (0..<bits).map({ (place + $0 * 3) % 8 }) {
                var forged = image
                forged[place] ^= 1 << UInt8(bit)
                forged = ForgedImage.resealed(forged)
                // The image was not validated, so any verdict is allowed, but the lookup must end.
                let trusted = try SiteTrie(copyingImage: forged.span, .trusted)
                for host in ["10.1.0.1", "10.1.1.1", "255.255.255.255"] { _ = trusted.explain(url: "https://\(host)") }
                guard let accepted = try? SiteTrie(copyingImage: forged.span) else {
                    refused += 1
                    continue
                }
                let rules = try (0..<ranges.count).map { try #require(accepted.image.rule($0)).description }
                #expect(try ForgedImage.bytes(trieWithoutLines(rules)) == forged, "bit \(bit) of byte \(place)")
            }
        }
        #expect(refused > places.count * bits * 98 / 100)
    }

    @Test("Counts and bits that do not fit the sections are refused without being looked at closely")
    func header() throws {
        let image = ForgedImage.bytes(try trie(Self.damaged.joined(separator: "\n"), form: .ranges))
        for (offset, values) in [
            (TrieImage.Field.rangeCount, [0, 1, 255]), (TrieImage.Field.rangeCount + 3, [1, 0x7F, 255]),
            (TrieImage.Field.networkTables, [0, 1, 6, 28, 29, 64, 255]), (TrieImage.Field.ipv4Count, [0, 1, 18]),
        ] as [(Int, [UInt8])] {
            for value in values {
                var forged = image
                forged[offset] = value
                forged = ForgedImage.resealed(forged)
                #expect(throws: TrieImageError.self, "\(value) at \(offset)") {
                    try SiteTrie(copyingImage: forged.span, .trusted)
                }
            }
        }
    }
}

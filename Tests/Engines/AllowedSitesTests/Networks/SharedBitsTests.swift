import Hostnames
import TestSupport
import Testing

@testable import AllowedSites

@Suite struct SharedBitsTests {
    /// Networks that all lie in one of `length` bits, some of them as short as that.
    private func networks(in length: Int, isIPv6: Bool, _ random: inout SeededGenerator) -> Set<NaiveNetwork> {
        let base = UInt128.random(in: 0...UInt128.max, using: &random)
        let outer = NaiveNetwork(isIPv6: isIPv6, containing: base, length: length)
        var result: Set<NaiveNetwork> = []
        for _ in 0..<Int.random(in: 1...120, using: &random) {
            let noise = UInt128.random(in: 0...UInt128.max, using: &random)
            let inside = length == 128 ? 0 : noise >> UInt128(length)
            let longest = isIPv6 ? 128 : 32
            let own = Int.random(in: length...longest, using: &random)
            // Half of them near each other, so that some lie in others.
            let near = Bool.random(using: &random) ? inside >> UInt128(Int.random(in: 0...8, using: &random)) : inside
            result.insert(NaiveNetwork(isIPv6: isIPv6, containing: outer.address | near, length: own))
        }
        return result
    }

    @Test(
        "Networks within one are found as a scan finds them, and nothing outside",
        arguments: Effort.seeds(16, thorough: 64)
    )
    func agreesWithScan(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let all =
            networks(in: Int.random(in: 0...48, using: &random), isIPv6: true, &random)
            .union(networks(in: Int.random(in: 0...32, using: &random), isIPv6: false, &random))
        let naive = NaiveNetworks(all)
        let trie = try trie(naive.lines.joined(separator: "\n"))
        #expect(trie.brokenInvariant() == nil)
        #expect(trie.count == naive.all.count)
        // As any file of somebody else's.
        _ = try SiteTrie(copyingImage: ForgedImage.bytes(trie).span)
        for _ in 0..<Effort.rounds(100, thorough: 2000) {
            let (address, isIPv6) = naive.address(&random)
            let expected = try naive.around(address, isIPv6: isIPv6).map {
                try SiteRule(parsing: $0.text, allowingPublicSuffix: true).description
            }
            #expect(EnginesTests.networks(trie, around: address, isIPv6: isIPv6) == expected, "\(address)")
        }
    }

    @Test(
        "As many as the shortest network has and all addresses begin with",
        arguments: [
            (["[2001:db8::]/32"], 32, 0x2001_0db8), (["[2001:db8::]/31"], 31, 0x2001_0db8),
            (["[2001:db8::1]"], 32, 0x2001_0db8), (["[2001:db8::]/48", "[2001:db9::]/48"], 31, 0x2001_0db8),
            (["[2000::]/3", "[2001:db8::]/32"], 3, 0x2000_0000), (["[::]/0", "[2001:db8::]/32"], 0, 0),
            (["[fd00::]/8", "[2001:db8::]/32"], 0, 0),
        ] as [([String], Int, UInt32)]
    )
    func count(lines: [String], count: Int, bits: UInt32) throws {
        let trie = try trie(lines.joined(separator: "\n"))
        #expect(trie.image.ipv6Networks.shared.count == count)
        #expect(trie.image.ipv6Networks.shared.stored == bits)
        #expect(trie.image.ipv4Networks.shared.count == 0)
        #expect(Set((0..<lines.count).compactMap { trie.image.rule($0)?.description }) == Set(lines))
    }

    @Test("Networks of the Internet's prefix are spread over all of the index")
    func spread() throws {
        var random = SeededGenerator(seed: 7)
        let lines = (0..<4096).map { _ in
            let address = UInt128.random(in: 0...UInt128.max, using: &random) >> 3 | 1 << 125
            return NaiveNetwork(isIPv6: true, containing: address, length: 48).text
        }
        let trie = try trie(lines.joined(separator: "\n"))
        // A table does not keep the bytes of its image.
        let (shared, counts) = withExtendedLifetime(trie) {
            let table = trie.image.ipv6Networks
            return (table.shared.count, (0..<1 << table.indexBits).map { table.begin($0 + 1) - table.begin($0) })
        }
        // Four on average.
        #expect(shared == 3 && counts.reduce(0, +) == lines.count)
        #expect(counts.allSatisfy { $0 < 24 })
    }

    /// Addresses in a network, beside it, and like its own but for one of the bits that all may share.
    private func around(_ place: SiteRule.Place) -> [Hostname] {
        let (first, length, isIPv6): (UInt128, Int, Bool)
        switch place {
        case .ipv4(let network): (first, length, isIPv6) = (UInt128(network.address) << 96, network.length, false)
        case .ipv6(let network): (first, length, isIPv6) = (network.address, network.length, true)
        case .name, .below: return []
        }
        let step: UInt128 = isIPv6 ? 1 : 1 << 96
        let end = first &+ (length == 0 ? 0 : 1 << UInt128(128 - length))
        let others = (0..<32).map { first ^ 1 << UInt128(127 - $0) }
        return ([first, first &- step, end &- step, end] + others).map { NaiveNetwork.host($0, isIPv6: isIPv6) }
    }

    @Test("A header with other shared bits is refused, or is that of the networks it then has")
    func damage() throws {
        let lines = ["[2001:db8::]/33", "[2001:db8:8000::]/40", "[2001:db8:8000::]/64", "[2001:db8:ffff::1]/128"]
        let trie = try trie((lines + ["10.0.0.0/9", "10.128.0.0/16"]).joined(separator: "\n"))
        let image = ForgedImage.bytes(trie)
        let fields = Array(TrieImage.Field.sharedCounts..<TrieImage.Field.sharedCounts + 2)
        var refused = 0
        for place in fields + (TrieImage.Field.sharedBits..<TrieImage.Field.sharedBits + 8) {
            for value in [UInt8(0), 1, 7, 8, 9, 31, 33, 127, 128, 255] where value != image[place] {
                var forged = image
                forged[place] = value
                forged = ForgedImage.resealed(forged)
                if let trusted = try? SiteTrie(copyingImage: forged.span, .trusted) {
                    for host in ["10.1.0.1", "[2001:db8:8000::1]", "[::]"] {
                        _ = trusted.explain(url: "https://\(host)")
                    }
                }
                guard let accepted = try? SiteTrie(copyingImage: forged.span) else {
                    refused += 1
                    continue
                }
                let count = accepted.image.networkCount
                let rules = try (0..<count).map { try #require(accepted.image.rule($0)).description }
                let anew = try EnginesTests.trie((["#! allow-public-suffix"] + rules).joined(separator: "\n"))
                for number in 0..<count {
                    for host in try around(#require(accepted.image.network(at: number))) {
                        let url = "https://\(host)/"
                        let answers = [accepted, anew].map { $0.verdict(forURL: url).isAllowed }
                        #expect(answers[0] == answers[1], "\(value) at \(place): \(url)")
                    }
                }
            }
        }
        #expect(refused > 0)
    }
}

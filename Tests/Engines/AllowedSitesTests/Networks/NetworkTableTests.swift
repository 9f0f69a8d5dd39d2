import Hostnames
import TestSupport
import Testing

@testable import AllowedSites

/// The networks that a trie finds around an address, the narrowest first.
func networks(_ trie: SiteTrie, around address: UInt128, isIPv6: Bool) -> [String] {
    let host = NaiveNetwork.host(address, isIPv6: isIPv6)
    var result: [String] = []
    var next = trie.image.narrowestNetwork(around: host)
    while let place = next {
        result.append(trie.image.rule(place.number)?.description ?? "none at \(place.number)")
        next = trie.image.network(around: place, of: host)
    }
    return result
}

@Suite struct NetworkTableTests {
    @Test(
        "The networks around an address are those that a scan of all finds",
        arguments: Effort.seeds(2, thorough: 8),
        [(1, 8), (40, 32), (300, 64), (3000, 128)]
    )
    func agreesWithScan(seed: UInt64, size: (count: Int, longest: Int)) throws {
        var random = SeededGenerator(seed: seed)
        var all: Set<NaiveNetwork> = []
        for isIPv6 in [false, true] {
            let longest = isIPv6 ? size.longest : min(size.longest, 32)
            all.formUnion(NaiveNetworks.random(size.count, isIPv6: isIPv6, longest: longest, &random))
        }
        let naive = NaiveNetworks(all)
        for form in [TrieForm.fast, .ranges] {
            let trie = try trie(naive.lines.joined(separator: "\n"), form: form)
            #expect((trie.image.ipv4Ranges != nil) == (form == .ranges))
            #expect(trie.brokenInvariant() == nil)
            #expect(trie.count == naive.all.count)
            for _ in 0..<Effort.rounds(100, thorough: 1000) {
                let (address, isIPv6) = naive.address(&random)
                let expected = try naive.around(address, isIPv6: isIPv6).map {
                    try SiteRule(parsing: $0.text, allowingPublicSuffix: true).description
                }
                #expect(networks(trie, around: address, isIPv6: isIPv6) == expected, "\(address) \(form)")
            }
        }
    }
}

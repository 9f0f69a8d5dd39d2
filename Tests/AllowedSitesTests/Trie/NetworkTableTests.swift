import Hostnames
import TestSupport
import Testing

@testable import AllowedSites

@Suite struct NetworkTableTests {
    private struct Network: Hashable {
        let isIPv6: Bool
        let address: UInt128
        let length: Int

        func contains(_ other: UInt128) -> Bool {
            length == 0 || (address ^ other) >> UInt128(128 - length) == 0
        }

        var text: String {
            isIPv6
                ? "[\(IPv6Address(rawValue: address))]/\(length)"
                : "\(IPv4Address(rawValue: UInt32(address >> 96)))/\(length)"
        }
    }

    private func host(_ address: UInt128, isIPv6: Bool) -> Hostname {
        Hostname(
            form: isIPv6
                ? .ipv6(IPv6Address(rawValue: address)) : .ipv4(IPv4Address(rawValue: UInt32(address >> 96)))
        )
    }

    /// Networks near each other, so that many lie inside others, and some far away.
    private func networks(_ count: Int, isIPv6: Bool, longest: Int, _ random: inout SeededGenerator) -> Set<Network> {
        var result: Set<Network> = []
        var bases: [UInt128] = [0, UInt128.max]
        for _ in 0..<8 { bases.append(UInt128.random(in: 0...UInt128.max, using: &random)) }
        while result.count < count {
            let length = Int.random(in: 0...longest, using: &random)
            let noise = UInt128.random(in: 0...UInt128.max, using: &random)
            let base = bases[Int.random(in: 0..<bases.count, using: &random)]
            let address = base ^ noise >> UInt128(Int.random(in: 0...longest, using: &random))
            let kept = length == 0 ? 0 : UInt128.max << UInt128(128 - length)
            result.insert(Network(isIPv6: isIPv6, address: address & kept, length: length))
        }
        return result
    }

    @Test(
        "The narrowest network is the one that a scan of all finds",
        arguments: UInt64(1)...8,
        [(1, 8), (40, 32), (300, 64), (3000, 128)]
    )
    func agreesWithScan(seed: UInt64, size: (count: Int, longest: Int)) throws {
        var random = SeededGenerator(seed: seed)
        var all: [Network] = []
        for isIPv6 in [false, true] {
            let longest = isIPv6 ? size.longest : min(size.longest, 32)
            all += networks(size.count, isIPv6: isIPv6, longest: longest, &random)
        }
        let trie = SiteTrie(
            compiling: try SiteList(
                parsing: "#! allow-public-suffix\n" + all.map(\.text).joined(separator: "\n"),
                name: "networks"
            )
        )
        #expect(trie.brokenInvariant() == nil)
        #expect(trie.count == all.count)
        for _ in 0..<Effort.rounds(400, thorough: 2000) {
            let near = all[Int.random(in: 0..<all.count, using: &random)]
            let noise = UInt128.random(in: 0...UInt128.max, using: &random)
            var address = near.address ^ noise >> UInt128(Int.random(in: 0...127, using: &random))
            if !near.isIPv6 { address &= UInt128.max << 96 }
            let expected = all.filter { $0.isIPv6 == near.isIPv6 && $0.contains(address) }.max { $0.length < $1.length }
            let place = trie.image.firstNetwork(around: host(address, isIPv6: near.isIPv6))
            let found = place.flatMap { trie.image.rule($0.number) }
            #expect(
                found?.description == (try expected.map { try SiteRule(parsing: $0.text).description }),
                "\(address)"
            )
        }
    }
}

import Hostnames
import TestSupport

/// A network as its address and its length; an IPv4 address stands in the highest bits.
struct NaiveNetwork: Hashable {
    let isIPv6: Bool
    let address: UInt128
    let length: Int

    init(isIPv6: Bool = false, containing address: UInt128, length: Int) {
        self.isIPv6 = isIPv6
        self.address = length == 0 ? 0 : address & (UInt128.max << UInt128(128 - length))
        self.length = length
    }

    func contains(_ other: UInt128) -> Bool {
        length == 0 || (address ^ other) >> UInt128(128 - length) == 0
    }

    var text: String { "\(Self.host(address, isIPv6: isIPv6))/\(length)" }

    static func host(_ address: UInt128, isIPv6: Bool) -> Hostname {
        Hostname(
            form: isIPv6
                ? .ipv6(IPv6Address(rawValue: address)) : .ipv4(IPv4Address(rawValue: UInt32(address >> 96)))
        )
    }
}

/// Networks without any order, of which every one is looked at.
struct NaiveNetworks {
    private(set) var all: [NaiveNetwork]

    init(_ all: Set<NaiveNetwork>) { self.all = Array(all) }

    var lines: [String] { ["#! allow-public-suffix"] + all.map(\.text) }

    /// All around an address, the narrowest first.
    func around(_ address: UInt128, isIPv6: Bool) -> [NaiveNetwork] {
        all.filter { $0.isIPv6 == isIPv6 && $0.contains(address) }.sorted { $0.length > $1.length }
    }

    /// Networks near each other, so that many lie inside others, and some far away.
    static func random(
        _ count: Int,
        isIPv6: Bool,
        longest: Int,
        _ random: inout SeededGenerator
    ) -> Set<NaiveNetwork> {
        var result: Set<NaiveNetwork> = []
        var bases: [UInt128] = [0, UInt128.max]
        for _ in 0..<8 { bases.append(UInt128.random(in: 0...UInt128.max, using: &random)) }
        while result.count < count {
            let length = Int.random(in: 0...longest, using: &random)
            let noise = UInt128.random(in: 0...UInt128.max, using: &random)
            let base = bases[Int.random(in: 0..<bases.count, using: &random)]
            let address = base ^ noise >> UInt128(Int.random(in: 0...longest, using: &random))
            result.insert(NaiveNetwork(isIPv6: isIPv6, containing: address, length: length))
        }
        return result
    }

    /// An address in one of the networks or near it.
    func address(_ random: inout SeededGenerator) -> (address: UInt128, isIPv6: Bool) {
        let near = all[Int.random(in: 0..<all.count, using: &random)]
        let noise = UInt128.random(in: 0...UInt128.max, using: &random)
        let address = near.address ^ noise >> UInt128(Int.random(in: 0...127, using: &random))
        return (near.isIPv6 ? address : address & UInt128.max << 96, near.isIPv6)
    }
}

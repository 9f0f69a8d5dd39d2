/// Builds the tables for longest-prefix match; ``NetworkTable`` and ``NetworkRanges`` show their layouts.
struct NetworkCompiler {
    /// A network; its address is left-aligned in 128 bits.
    struct Network {
        let isIPv6: Bool
        let address: UInt128
        let length: Int
        /// The positions of its rules.
        var positions: [Int]
    }

    private(set) var networks: [Network] = []
    /// The next wider network of each network, plus one; 0 = none.
    private(set) var parents: [UInt32] = []
    /// The number of IPv4 networks from which they are stored as ranges.
    private let rangesFrom: Int

    /// Sorts and merges networks.
    ///
    /// - Parameter rules: one network for each rule, in the order of rules.
    init(_ rules: [Network], rangesFrom: Int) {
        self.rangesFrom = rangesFrom
        guard !rules.isEmpty else { return }
        // Comparing the positions too keeps equal networks in the order of their rules.
        for rule in rules.sorted(by: Self.isBefore) {
            if let last = networks.last, last.isIPv6 == rule.isIPv6, last.address == rule.address,
                last.length == rule.length
            {
                networks[networks.count - 1].positions += rule.positions
            } else {
                networks.append(rule)
            }
        }
        findParents()
        assert(brokenInvariant() == nil)
    }

    private static func isBefore(_ one: Network, _ other: Network) -> Bool {
        if one.isIPv6 != other.isIPv6 { return other.isIPv6 }
        if one.address != other.address { return one.address < other.address }
        if one.length != other.length { return one.length < other.length }
        return one.positions[0] < other.positions[0]
    }

    private mutating func findParents() {
        var around: [Int] = []
        for index in networks.indices {
            while let last = around.last, !contains(networks[last], networks[index]) { around.removeLast() }
            parents.append(UInt32((around.last ?? -1) + 1))
            around.append(index)
        }
    }

    func contains(_ wide: Network, _ narrow: Network) -> Bool {
        wide.isIPv6 == narrow.isIPv6 && wide.length <= narrow.length && contains(wide, narrow.address)
    }

    func contains(_ network: Network, _ address: UInt128) -> Bool {
        network.length == 0 || (network.address ^ address) >> UInt128(128 - network.length) == 0
    }

    /// The networks of one family and the parameters of their table.
    struct Family {
        /// The positions of its networks.
        let range: Range<Int>
        let shared: SharedBits
        let indexBits: Int
        let kept: Int

        fileprivate init(_ networks: [Network], _ range: Range<Int>) {
            self.range = range
            let spread = Int.bitWidth - range.count.leadingZeroBitCount - 3
            // Four to eight networks for each index entry.
            indexBits = min(max(spread, 0), NetworkTable.maximumIndexBits)
            var (shortest, longest) = (SharedBits.maximumCount, 0)
            for network in networks[range] {
                (shortest, longest) = (min(shortest, network.length), max(longest, network.length))
            }
            // Networks are sorted by address, so all share the bits that the first and the last share.
            if let first = networks[range].first, let last = networks[range].last {
                shared = SharedBits(of: first.address, and: last.address, within: shortest)
            } else {
                shared = .empty
            }
            longest -= shared.count
            kept = max((longest - indexBits / 8 * 8 + 7) / 8, 1)
            assert(
                (1...16).contains(kept) && indexBits / 8 * 8 + kept * 8 >= longest,
                "an entry has every bit of its prefix"
            )
        }
    }

    /// The IPv4 and the IPv6 networks.
    var families: (ipv4: Family, ipv6: Family) {
        let ipv6 = networks.firstIndex { $0.isIPv6 } ?? networks.count
        return (Family(networks, 0..<ipv6), Family(networks, ipv6..<networks.count))
    }

    /// The IPv4 networks as ranges, if there are at least `rangesFrom` of them.
    var ipv4Ranges: RangeCompiler? {
        let ipv4 = families.ipv4.range
        guard !ipv4.isEmpty, ipv4.count >= rangesFrom,
            NetworkRanges.indexBits(count: ipv4.count) <= NetworkRanges.maximumIndexBits
        else { return nil }
        return RangeCompiler(networks[ipv4].lazy.map { (UInt32(truncatingIfNeeded: $0.address >> 96), $0.length) })
    }

    /// Appends the index of a family.
    func appendIndex(_ family: Family, to writer: inout ImageWriter) {
        guard !family.range.isEmpty else { return }
        var next = family.range.lowerBound
        for chunk in 0..<1 << family.indexBits {
            let rest = family.indexBits == 0 ? 0 : UInt128(chunk) << UInt128(128 - family.indexBits)
            let start = family.shared.address(before: rest)
            while next < family.range.upperBound, networks[next].address < start { next += 1 }
            // A network that contains `start` is the last network that begins before it, or one of its parents.
            var around = next > family.range.lowerBound ? next : 0
            while around > 0, !contains(networks[around - 1], start) { around = Int(parents[around - 1]) }
            writer.append(UInt32(next - family.range.lowerBound))
            writer.append(around > 0 ? UInt32(around - family.range.lowerBound) : 0)
        }
        writer.append(UInt32(family.range.count))
        writer.append(UInt32(0))
    }

    /// Appends the entries of a family.
    func appendEntries(_ family: Family, to writer: inout ImageWriter) {
        assert(parents.count == networks.count)
        let parentLength = TrieImage.parentLength(networkCount: networks.count)
        for index in family.range {
            let network = networks[index]
            assert(network.length >= family.shared.count, "each prefix has all shared bits")
            let skipped = family.shared.count + family.indexBits / 8 * 8
            let part = (network.address << UInt128(skipped)) >> UInt128(128 - family.kept * 8)
            append(part, family.kept, to: &writer)
            writer.append(UInt8(network.length - family.shared.count))
            let parent = parents[index] > 0 ? Int(parents[index]) - family.range.lowerBound : 0
            append(UInt128(parent), parentLength, to: &writer)
        }
    }

    private func append(_ value: UInt128, _ length: Int, to writer: inout ImageWriter) {
        assert(length >= 16 || value >> UInt128(length * 8) == 0, "no bit is lost")
        for byte in 0..<length { writer.append(UInt8(truncatingIfNeeded: value >> UInt128(byte * 8))) }
    }
}

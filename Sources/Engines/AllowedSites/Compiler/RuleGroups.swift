/// The rules of all lists by what they are about: networks, and names by the lengths of their keys.
struct RuleGroups {
    /// Positions of the rules about names, those with the shortest keys first.
    private(set) var names: [UInt32] = []
    /// Where in `names` the rules with keys of each length begin.
    private(set) var starts: [Int]
    private(set) var networks: [NetworkCompiler.Network] = []
    /// A sum over all names, the same for each order.
    private(set) var contentSum: UInt64 = 0
    /// How keys are coded, or `nil` where they are not.
    let code: HuffmanCode?

    init(_ source: RuleSource, _ code: HuffmanCode?) {
        self.code = code
        starts = [Int](repeating: 0, count: TrieImage.keyTableCount + 1)
        var lengths: [UInt8] = []
        lengths.reserveCapacity(source.count)
        for list in source.lists {
            list.entries.forEachName(at: list.entries.indices) { position, name in
                if let name {
                    lengths.append(takeName(name))
                } else {
                    take(list.entries[position].rule.place, position: lengths.count)
                    lengths.append(0)
                }
            }
        }
        for length in lengths where length > 0 { starts[Int(length) + 1] += 1 }
        for length in 1..<starts.count { starts[length] += starts[length - 1] }
        assert(lengths.count == source.count)
        names = [UInt32](repeating: 0, count: starts[starts.count - 1])
        var next = starts
        for (position, length) in lengths.enumerated() where length > 0 {
            names[next[Int(length)]] = UInt32(position)
            next[Int(length)] += 1
        }
    }

    /// Notes what a rule is about; returns the length of its key.
    private mutating func takeName(_ name: SiteListEntries.Name) -> UInt8 {
        var hash: UInt64 = unsafe UInt64(name.bytes.count)
        // In bounds: all its indices.
        for index in unsafe name.bytes.indices { hash = unsafe (hash ^ UInt64(name.bytes[index])) &* 0x100_0000_01B3 }
        contentSum &+= fold(hash, 0x9E37_79B9_7F4A_7C15)
        return UInt8(keyLength(name))
    }

    private mutating func take(_ place: SiteRule.Place, position: Int) {
        switch place {
        case .name, .below: break
        case .ipv4(let network):
            networks.append(
                .init(
                    isIPv6: false,
                    address: UInt128(network.address) << 96,
                    length: network.length,
                    positions: [position]
                )
            )
        case .ipv6(let network):
            networks.append(
                .init(isIPv6: true, address: network.address, length: network.length, positions: [position])
            )
        }
    }

    /// The bytes of the key for a name.
    private func keyLength(_ name: SiteListEntries.Name) -> Int {
        let count = unsafe name.bytes.count
        guard let code, count <= PackedName.maximumLength, let start = unsafe name.bytes.baseAddress else {
            return TrieImage.keyLength(count)
        }
        let packed = unsafe PackedName(start, count: count)
        return code.code(packed.words, length: count, isBelow: name.isBelow)?.keyLength ?? 0
    }

    /// More bytes than the slots of all keys take.
    var roomForKeys: Int {
        (1..<TrieImage.keyTableCount).reduce(0) { $0 + names(withKeyLength: $1).count * $1 * 11 / 10 }
    }

    /// Forgets the rules about names, once they stand in an image.
    mutating func dropNames() { names = [] }

    /// The rules about names whose keys have `length` bytes.
    func names(withKeyLength length: Int) -> ArraySlice<UInt32> { names[starts[length]..<starts[length + 1]] }
}

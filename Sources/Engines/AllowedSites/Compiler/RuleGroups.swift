/// The rules of all lists, grouped: names by key length, and networks.
struct RuleGroups {
    /// The positions of the rules about names, sorted by key length.
    private(set) var names: [UInt32] = []
    /// The first index in `names` of each key length.
    private(set) var starts: [Int]
    private(set) var networks: [NetworkCompiler.Network] = []
    /// A sum over the hashes of all names; it does not depend on their order.
    private(set) var contentSum: UInt64 = 0
    /// The Huffman code of keys; `nil` in the fast layout.
    let code: HuffmanCode?

    init(_ source: RuleSource, _ code: HuffmanCode?) {
        self.code = code
        starts = [Int](repeating: 0, count: TrieImage.keyTableCount + 1)
        var lengths: [UInt8] = []
        lengths.reserveCapacity(source.count)
        for list in source.lists {
            list.entries.forEachName(at: list.entries.indices) { position, name, fields in
                if let fields {
                    lengths.append(takeName(name, isBelow: fields.isBelow))
                } else {
                    addNetwork(list.entries[position].rule.place, position: lengths.count)
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
        assert(brokenInvariant(ruleCount: source.count) == nil)
    }

    /// Adds a name to the content sum; returns the length of its key.
    private mutating func takeName(_ name: Span<UInt8>, isBelow: Bool) -> UInt8 {
        var hash = UInt64(name.count)
        for index in name.indices { hash = (hash ^ UInt64(name[index])) &* 0x100_0000_01B3 }
        contentSum &+= fold(hash, 0x9E37_79B9_7F4A_7C15)
        let length = keyLength(name, isBelow: isBelow)
        assert((1..<TrieImage.keyTableCount).contains(length), "a rule of length 0 would be left out of the trie")
        return UInt8(length)
    }

    private mutating func addNetwork(_ place: SiteRule.Place, position: Int) {
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

    /// The length of the key of a name in bytes.
    private func keyLength(_ name: Span<UInt8>, isBelow: Bool) -> Int {
        guard let code, let packed = PackedName(name) else { return TrieImage.keyLength(name.count) }
        // The code is made of these names, so it has a code for each byte and the result is not `nil`.
        return code.code(packed.words, length: name.count, isBelow: isBelow)?.keyLength ?? 0
    }

    /// An upper bound of the size of all slots in bytes.
    var roomForKeys: Int {
        (1..<TrieImage.keyTableCount).reduce(0) { $0 + names(withKeyLength: $1).count * $1 * 11 / 10 }
    }

    /// Releases the positions of names after they are written.
    mutating func dropNames() { names = [] }

    /// The positions of the rules about names whose keys have `length` bytes.
    func names(withKeyLength length: Int) -> ArraySlice<UInt32> {
        assert((1..<TrieImage.keyTableCount).contains(length))
        return names[starts[length]..<starts[length + 1]]
    }
}

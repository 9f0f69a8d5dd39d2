/// Counts the pairs of neighbouring bytes in the names of a list and makes a Huffman code from the counts.
struct HuffmanCodeBuilder {
    private var counts = [Int](repeating: 0, count: HuffmanCode.contextCount * HuffmanCode.contextCount)

    /// Counts the bytes of all names.
    init(_ source: RuleSource) {
        for list in source.lists {
            list.entries.forEachName(at: list.entries.indices) { _, name, fields in
                if fields != nil { count(name) }
            }
        }
    }

    /// Counts the bytes of a name, unless it is too long to be coded.
    private mutating func count(_ name: Span<UInt8>) {
        guard name.count <= PackedName.maximumLength else { return }
        var context = 0
        for index in name.indices.reversed() {
            let byte = name[index]
            let symbol = Int(byte & 0x1f | byte >> 1 & 0x20)
            assert(symbol > 0 && symbol < HuffmanCode.contextCount, "six bits, and no byte of a host has six zeros")
            counts[context << 6 | symbol] += 1
            context = symbol
        }
    }

    /// The code; it has a code for each counted name.
    func code() -> HuffmanCode {
        let lengths = lengths()
        guard let code = HuffmanCode(lengths: { lengths[$0] }) else {
            preconditionFailure("Huffman lengths always make a prefix-free code")
        }
        assert(code.brokenInvariant() == nil)
        return code
    }

    private func lengths() -> [Int] {
        var lengths: [Int] = []
        for context in 0..<HuffmanCode.contextCount {
            let first = context * HuffmanCode.contextCount
            assert(lengths.count == first, "each context before this one has 64 lengths")
            lengths += Self.lengths(Array(counts[first..<first + HuffmanCode.contextCount]))
        }
        return lengths
    }

    /// Huffman code lengths for symbols with these weights, limited to ``HuffmanCode/maximumLength`` bits.
    private static func lengths(_ weights: [Int]) -> [Int] {
        var weights = weights
        while true {
            let lengths = unlimitedLengths(weights)
            if lengths.allSatisfy({ $0 <= HuffmanCode.maximumLength }) { return lengths }
            // Halving the weights makes them more equal, which shortens the longest code.
            weights = weights.map { ($0 + 1) / 2 }
        }
    }

    private static func unlimitedLengths(_ weights: [Int]) -> [Int] {
        var lengths = [Int](repeating: 0, count: weights.count)
        var groups = weights.indices.filter { weights[$0] > 0 }.map { (weight: weights[$0], symbols: [$0]) }
        if groups.count == 1 { lengths[groups[0].symbols[0]] = 1 }
        while groups.count > 1 {
            // The first of equal weights is chosen, so that the same counts always make the same code.
            var merged = (weight: 0, symbols: [Int]())
            for _ in 0..<2 {
                var lightest = 0
                for index in groups.indices where groups[index].weight < groups[lightest].weight { lightest = index }
                let group = groups.remove(at: lightest)
                merged = (merged.weight + group.weight, merged.symbols + group.symbols)
            }
            for symbol in merged.symbols { lengths[symbol] += 1 }
            groups.append(merged)
        }
        return lengths
    }
}

/// Counts which bytes stand before which in the names of a list, and makes the shortest codes for them.
struct HuffmanCodeBuilder {
    private var counts = [Int](repeating: 0, count: HuffmanCode.contextCount * HuffmanCode.contextCount)

    /// Counts the bytes of all names.
    init(_ source: RuleSource) {
        for list in source.lists {
            list.entries.forEachName(at: list.entries.indices) { _, name in
                if let name { unsafe count(name.bytes) }
            }
        }
    }

    /// Counts the bytes of a name, if it is one that is coded.
    private mutating func count(_ name: UnsafeRawBufferPointer) {
        guard name.count <= PackedName.maximumLength else { return }
        var context = 0
        for index in name.indices.reversed() {
            // In bounds: one of its indices.
            let byte = unsafe name[index]
            let symbol = Int(byte & 0x1f | byte >> 1 & 0x20)
            counts[context << 6 | symbol] += 1
            context = symbol
        }
    }

    /// The code, in which every name that was counted can be written.
    func code() -> HuffmanCode {
        let lengths = lengths()
        guard let code = HuffmanCode(lengths: { lengths[$0] }) else {
            preconditionFailure("the lengths of a code leave no room for it")
        }
        assert(code.brokenInvariant() == nil)
        return code
    }

    private func lengths() -> [Int] {
        var lengths: [Int] = []
        for context in 0..<HuffmanCode.contextCount {
            let first = context * HuffmanCode.contextCount
            lengths += Self.lengths(Array(counts[first..<first + HuffmanCode.contextCount]))
        }
        return lengths
    }

    /// Huffman's lengths for symbols with these weights, none above the limit.
    private static func lengths(_ weights: [Int]) -> [Int] {
        var weights = weights
        while true {
            let lengths = unlimitedLengths(weights)
            if lengths.allSatisfy({ $0 <= HuffmanCode.maximumLength }) { return lengths }
            // Nearer to each other, they get codes that are more alike.
            weights = weights.map { ($0 + 1) / 2 }
        }
    }

    private static func unlimitedLengths(_ weights: [Int]) -> [Int] {
        var lengths = [Int](repeating: 0, count: weights.count)
        var groups = weights.indices.filter { weights[$0] > 0 }.map { (weight: weights[$0], symbols: [$0]) }
        if groups.count == 1 { lengths[groups[0].symbols[0]] = 1 }
        while groups.count > 1 {
            // Of equal weights the one that comes first, so that the same counts always make the same codes.
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

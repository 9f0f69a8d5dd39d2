internal import PerfectHash

/// Turns names into keys and builds one perfect-hash table for each key length.
struct KeyCompiler {
    /// A rule about a name, with its key.
    private struct Item {
        /// The hash that chooses its slot.
        let hash: UInt64
        /// The key of a name of up to 42 bytes; zero for a longer name.
        let name: NameWords
        let position: UInt32
        /// Its source line, counted over all lists.
        let origin: UInt32
        /// The number of its constraint.
        let constraint: UInt32
        let isBelow: Bool
    }

    /// The table of the keys of one length.
    struct Table {
        /// The offset of the first slot in the image.
        let offset: Int
        let slotCount: UInt32
        let firstPilot: Int
        let pilotCount: Int
        /// The number of the first slot.
        let firstNumber: Int
    }

    /// Two different keys have equal hashes, so another seed is needed.
    struct EqualHashes: Error {}

    let source: RuleSource
    let hash: KeyHash
    let code: HuffmanCode?
    private var table = ConstraintTable()
    private(set) var tables: [Table?]
    private(set) var pilots: [UInt16] = []
    /// The offset of the Bloom filter in the image, and its number of blocks.
    private let filter: (offset: Int, words: Int)
    /// The source line of the rule of each slot, counted over all lists; 0 = none, or in the rule list.
    private(set) var origins: [UInt32] = []
    /// The label counts of all wildcards.
    private(set) var wildcards = LabelCounts()
    private(set) var plainCount = 0
    /// The condition of the last rule, and the number of its constraint.
    private var last: (condition: UInt32?, constraint: UInt32) = (nil, 0)

    init(
        _ source: RuleSource,
        _ hash: KeyHash,
        _ code: HuffmanCode?,
        filter: (offset: Int, words: Int),
        nameCount: Int
    ) {
        self.source = source
        self.hash = hash
        self.code = code
        self.filter = filter
        tables = Array(repeating: nil, count: TrieImage.keyTableCount)
        origins.reserveCapacity(nameCount * 11 / 10)
    }

    /// Places the keys of one length, appends their slots to `writer` and adds them to the filter.
    ///
    /// - Parameter positions: the rules whose keys have this length, in ascending order.
    mutating func compile(
        _ positions: ArraySlice<UInt32>,
        keyLength: Int,
        _ writer: inout ImageWriter
    ) throws(EqualHashes) {
        let items = items(positions, &writer)
        let order = Self.order(of: items)
        assert(items.count == positions.count && order.count == items.count)
        // The first rule of each key in `order`, and the hash of the key.
        var (starts, hashes): ([UInt32], [UInt64]) = ([], [])
        starts.reserveCapacity(order.count)
        hashes.reserveCapacity(order.count)
        for (index, item) in order.enumerated() where hashes.last != items[Int(item)].hash {
            starts.append(UInt32(index))
            hashes.append(items[Int(item)].hash)
        }
        assert(zip(hashes, hashes.dropFirst()).allSatisfy(<), "the placement needs distinct hashes in ascending order")
        let isCoded = code != nil && keyLength <= HuffmanCode.maximumKeyLength
        let placement = KeyPlacement(hashes: hashes, isCompact: isCoded)
        let slots = placement.slotCount
        let offset = writer.count
        let firstNumber = origins.count
        let stride = isCoded ? TrieImage.compactStride(keyLength, slots: slots) : keyLength * 8
        writer.appendZeros((Int(slots) * stride + 7) / 8)
        origins += repeatElement(0, count: Int(slots))
        for (key, start) in starts.enumerated() {
            let end = key + 1 < starts.count ? Int(starts[key + 1]) : order.count
            let slot = Int(placement.slots[key])
            let item = items[Int(order[Int(start)])]
            assert(slot < Int(slots) && Int(start) < end, "each key has a slot and a rule")
            var hasList = false
            if end == Int(start) + 1, table.isPlain(item.constraint) {
                origins[firstNumber + slot] = item.origin
                plainCount += 1
            } else {
                let equal = order[Int(start)..<end].lazy.map { items[Int($0)] }
                hasList = try keepRules(equal, place: firstNumber + slot)
            }
            if isCoded {
                let implied = KeyHash.impliedBits(slots: slots)
                writeCoded(item, hasList, at: offset * 8 + slot * stride, keyLength, implied, &writer)
            } else {
                write(item, hasList: hasList, at: offset + slot * keyLength, keyLength, &writer)
            }
        }
        assert(origins.count == firstNumber + Int(slots) && tables[keyLength] == nil)
        tables[keyLength] = Table(
            offset: offset,
            slotCount: placement.slotCount,
            firstPilot: pilots.count,
            pilotCount: placement.pilots.count,
            firstNumber: firstNumber
        )
        pilots += placement.pilots
    }

    /// Returns the constraints and releases them here.
    mutating func takeTable() -> ConstraintTable {
        defer { table = ConstraintTable() }
        return table
    }

    /// Returns the origins and releases them here.
    mutating func takeOrigins() -> [UInt32] {
        defer { origins = [] }
        return origins
    }

    /// The positions of `items` sorted by hash; stable.
    private static func order(of items: [Item]) -> [UInt32] {
        let bucketCount = UInt32(max(items.count / 4, 1))
        var starts = [UInt32](repeating: 0, count: Int(bucketCount) + 1)
        for item in items { starts[scaled(item.hash, to: bucketCount) + 1] += 1 }
        for bucket in 1..<starts.count { starts[bucket] += starts[bucket - 1] }
        var order = [UInt32](repeating: 0, count: items.count)
        for (index, item) in items.enumerated() {
            let bucket = scaled(item.hash, to: bucketCount)
            order[Int(starts[bucket])] = UInt32(index)
            starts[bucket] += 1
        }
        // The buckets are in order now, so the insertion sort moves each item by a few positions, except if many rules
        // share a key.
        assert(starts.last == UInt32(items.count), "every bucket is full")
        for index in order.indices.dropFirst() {
            let item = order[index]
            let hash = items[Int(item)].hash
            var place = index
            while place > 0, items[Int(order[place - 1])].hash > hash {
                order[place] = order[place - 1]
                place -= 1
            }
            order[place] = item
        }
        return order
    }

    /// The items at `positions`; adds their keys to the filter.
    private mutating func items(_ positions: ArraySlice<UInt32>, _ writer: inout ImageWriter) -> [Item] {
        var items: [Item] = []
        items.reserveCapacity(positions.count)
        let source = source
        source.forEachName(at: positions) { position, origin, name, fields in
            let (base, last3, words) = hashes(name)
            var group = last3
            if fields.isBelow {
                let labels = Self.labelCount(name)
                wildcards.insert(labels)
                if labels > LabelCounts.shared { group = base }
            }
            let filterHash = fields.isBelow ? KeyHash.below(base) : base
            let word = scaled(group, to: UInt32(filter.words))
            writer.merge(KeyHash.filterBits(filterHash), at: filter.offset + word * 8)
            let coded = coded(words, name.count, isBelow: fields.isBelow)
            items.append(
                Item(
                    hash: coded?.low ?? filterHash,
                    name: coded ?? words,
                    position: UInt32(position),
                    origin: origin,
                    constraint: constraint(of: fields, at: position),
                    isBelow: fields.isBelow
                )
            )
        }
        return items
    }

    private static func labelCount(_ name: Span<UInt8>) -> Int {
        var labels = 1
        for index in name.indices where name[index] == UInt8(ascii: ".") { labels += 1 }
        return labels
    }

    /// The number of the constraint of a rule.
    @inline(__always)
    private mutating func constraint(of fields: SiteListEntries.NameFields, at position: Int) -> UInt32 {
        guard let condition = fields.condition else { return table.number(of: .init(source.rule(position))) }
        // Most rules have the condition of the rule before.
        if condition == last.condition { return last.constraint }
        let constraint = table.number(ofCondition: condition) { source.rule(position) }
        last = (condition, constraint)
        return constraint
    }

    /// The Huffman-coded and mixed key of a short name; `nil` in the fast layout and for long names.
    private func coded(_ name: NameWords, _ length: Int, isBelow: Bool) -> NameWords? {
        guard length <= PackedName.maximumLength,
            var words = code?.code(name, length: length, isBelow: isBelow)?.words
        else { return nil }
        hash.mix(&words)
        return words
    }

    /// The hash of a name, the hash of its last three labels, and its words if it has at most four.
    private func hashes(_ bytes: Span<UInt8>) -> (UInt64, UInt64, NameWords) {
        guard let name = PackedName(bytes) else {
            return LongName.with(bytes, hash) { name in
                let group = name.hash(ofSuffix: name.length(ofLabels: 3), hash)
                return (name.hash(ofSuffix: name.count, hash), group, .mask(bits: 0))
            }
        }
        let whole = hash(name.words, length: bytes.count)
        let dots2 = name.dots & (name.dots &- 1)
        let dots3 = dots2 & (dots2 &- 1)
        guard dots3 != 0 else { return (whole, whole, name.words) }
        let length3 = dots3.trailingZeroBitCount
        return (whole, hash(name.words & .mask(bits: length3 * 6 + 2), length: length3), name.words)
    }

    /// Stores the constraints of the rules of one key; returns whether its node needs a rule list.
    private mutating func keepRules(_ items: some Collection<Item>, place: Int) throws(EqualHashes) -> Bool {
        assert(!items.isEmpty && place < origins.count)
        if items.count > 1 {
            var keys = items.lazy.map { [source] in source.rule(Int($0.position)).place }.makeIterator()
            let first = keys.next()
            while let key = keys.next() { if key != first { throw EqualHashes() } }
        }
        let rules = items.lazy.map { RuleLists.Rule(constraint: $0.constraint, origin: $0.origin) }
        guard let origin = table.add(rules, place: place) else { return true }
        origins[place] = origin
        plainCount += 1
        return false
    }

    /// Stores the constraints of the rules of a network.
    mutating func keepRules(ofNetwork network: NetworkCompiler.Network) {
        let rules = network.positions.map {
            RuleLists.Rule(constraint: table.number(of: .init(source.rule($0))), origin: source.origin($0))
        }
        let origin = table.add(rules, place: origins.count)
        origins.append(origin ?? 0)
        if origin != nil { plainCount += 1 }
    }

    private func writeCoded(
        _ item: Item,
        _ hasList: Bool,
        at bit: Int,
        _ length: Int,
        _ implied: Int,
        _ writer: inout ImageWriter
    ) {
        writer.merge(hasList ? 3 : 1, count: 2, at: bit)
        writer.merge(item.name.low >> UInt64(implied), count: 64 - implied, at: bit + 2)
        var (next, left) = (bit + 66 - implied, length * 8 - 64)
        for word in [item.name.middle, item.name.high, item.name.top] where left > 0 {
            writer.merge(word, count: min(left, 64), at: next)
            (next, left) = (next + 64, left - 64)
        }
        assert(left <= 0, "the words have the whole key")
    }

    private func write(_ item: Item, hasList: Bool, at offset: Int, _ length: Int, _ writer: inout ImageWriter) {
        let flags: UInt64 = (item.isBelow ? 1 : 0) | (hasList ? 2 : 0)
        if length <= TrieImage.keyLength(PackedName.maximumLength) {
            writer.store(item.name, flags: flags, length: length, at: offset)
            return
        }
        let name: [UInt8]
        switch source.rule(Int(item.position)).place {
        case .name(let own), .below(let own): name = own
        case .ipv4, .ipv6: return assertionFailure("the rule of a key is about a network")
        }
        LongName.with(name.span, hash) { name in
            for byte in 0..<length {
                let word = name.word(byte / 8, ofSuffix: name.count) | (byte < 8 ? flags : 0)
                writer.store(UInt8(truncatingIfNeeded: word >> UInt64(byte % 8 * 8)), at: offset + byte)
            }
        }
    }
}

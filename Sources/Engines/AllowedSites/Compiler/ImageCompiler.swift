/// Writes the sections of an image.
struct ImageCompiler: ~Copyable {
    private var writer: ImageWriter

    /// Bits of the Bloom filter for each key; the rate of false positives is one in forty.
    private static let filterBitsPerKey = 12

    private init(_ rules: RuleGroups) {
        // Enough for the image, because growing would copy hundreds of megabytes several times.
        writer = ImageWriter(capacity: rules.roomForKeys + rules.names.count * 6)
    }

    /// Compiles the rules of `source`.
    static func image(
        of rules: inout RuleGroups,
        _ source: RuleSource,
        _ hash: KeyHash,
        keepingLines: Bool,
        rangesFrom: Int
    ) throws(KeyCompiler.EqualHashes) -> TrieImage {
        var compiler = ImageCompiler(rules)
        compiler.writer.appendZeros(TrieImage.headerLength)
        // Sections that every lookup reads come first, because the page of the header is often in memory already.
        compiler.append(.keyTables) { $0.appendZeros(TrieImage.keyTableCount * TrieImage.keyTableStride) }
        let keyTables = compiler.writer.count - TrieImage.keyTableCount * TrieImage.keyTableStride
        let filterWords = max(rules.names.count * Self.filterBitsPerKey / 64, 1)
        // The filter is filled while keys are written, so it comes before them.
        compiler.append(.filter) { $0.appendZeros(filterWords * 8) }
        let filter = compiler.writer.count - filterWords * 8
        var keys = KeyCompiler(source, hash, rules.code, filter: (filter, filterWords), nameCount: rules.names.count)
        try compiler.appendKeys(rules, &keys, tables: keyTables)
        rules.dropNames()
        let slotCount = keys.origins.count
        let networks = NetworkCompiler(rules.networks, rangesFrom: rangesFrom)
        for network in networks.networks { keys.keepRules(ofNetwork: network) }
        assert(keys.origins.count == slotCount + networks.networks.count, "each node has an origin")
        compiler.append(networks)
        let (constraints, lists) = keys.takeTable().finish()
        var origins = keys.takeOrigins()
        let nodeCount = origins.count
        origins += lists.rules.lazy.map(\.origin)
        compiler.append(lists, nodeCount: nodeCount)
        compiler.append(constraints)
        compiler.append(origins: keepingLines ? origins : [], source)
        let listRuleCount = origins.count - nodeCount
        if let code = rules.code { compiler.append(code) }
        compiler.setHeader(hash)
        let fields: [(offset: Int, value: Int)] = [
            (TrieImage.Field.ruleCount, keys.plainCount + listRuleCount),
            (TrieImage.Field.slotCount, slotCount), (TrieImage.Field.networkCount, networks.networks.count),
            (TrieImage.Field.listCount, lists.nodes.count), (TrieImage.Field.listRuleCount, listRuleCount),
            (TrieImage.Field.originBits, keepingLines && !origins.isEmpty ? Self.originBits(origins) : 0),
            (TrieImage.Field.ipv4Count, networks.families.ipv4.range.count),
        ]
        for field in fields { compiler.writer.store(UInt32(field.value), at: field.offset) }
        compiler.writer.store(keys.wildcards.low, at: TrieImage.Field.wildcards)
        compiler.writer.store(keys.wildcards.high, at: TrieImage.Field.wildcards + 8)
        return compiler.finish()
    }

    /// Begins a section, calls `body` to append its bytes, and stores offset and length in the header.
    private mutating func append<Failure: Error>(
        _ section: TrieImage.Section,
        _ body: (inout ImageWriter) throws(Failure) -> Void
    ) throws(Failure) {
        writer.align(to: TrieImage.sectionAlignment)
        let entry = TrieImage.Field.sections + section.rawValue * 16
        let start = writer.count
        try body(&writer)
        assert(start % TrieImage.sectionAlignment == 0 && writer.count >= start)
        writer.store(UInt64(start), at: entry)
        assert(entry + 16 <= TrieImage.headerLength)
        writer.store(UInt64(writer.count - start), at: entry + 8)
    }

    private mutating func appendKeys(
        _ rules: RuleGroups,
        _ keys: inout KeyCompiler,
        tables: Int
    ) throws(KeyCompiler.EqualHashes) {
        var padding = 0
        try append(.keys) { writer throws(KeyCompiler.EqualHashes) in
            for length in 1..<TrieImage.keyTableCount {
                let positions = rules.names(withKeyLength: length)
                if !positions.isEmpty { try keys.compile(positions, keyLength: length, &writer) }
            }
            padding = writer.count
            writer.appendZeros(TrieImage.keyPadding * 2)
        }
        for length in 0..<TrieImage.keyTableCount {
            let entry = tables + length * TrieImage.keyTableStride
            // A length without keys has one empty slot in the padding. The pilot does not matter.
            let table = keys.tables[length]
            writer.store(UInt64(table?.offset ?? padding), at: entry)
            writer.store(table?.slotCount ?? 1, at: entry + 8)
            writer.store(UInt32(table?.firstPilot ?? 0), at: entry + 12)
            writer.store(UInt32(table?.pilotCount ?? 1), at: entry + 16)
            writer.store(UInt32(table?.firstNumber ?? keys.origins.count), at: entry + 20)
        }
        append(.pilots) { writer in
            writer.append(contentsOf: keys.pilots)
            if keys.pilots.isEmpty { writer.append(UInt16(0)) }
        }
    }

    private mutating func append(_ networks: borrowing NetworkCompiler) {
        let (ipv4, ipv6) = networks.families
        let ranges = networks.ipv4Ranges
        append(.networkIndexes) { writer in
            if let ranges { ranges.appendIndex(to: &writer) } else { networks.appendIndex(ipv4, to: &writer) }
            networks.appendIndex(ipv6, to: &writer)
        }
        append(.networks) { writer in
            if let ranges { ranges.appendEntries(to: &writer) } else { networks.appendEntries(ipv4, to: &writer) }
            networks.appendEntries(ipv6, to: &writer)
            writer.appendZeros(NetworkTable.padding)
        }
        writer.store(UInt32(ranges?.rangeCount ?? 0), at: TrieImage.Field.rangeCount)
        let ipv4IndexBits = ranges?.indexBits ?? ipv4.indexBits
        for (index, number) in [ipv4IndexBits, ipv6.indexBits, ipv4.kept, ipv6.kept].enumerated() {
            writer.store(UInt8(number), at: TrieImage.Field.networkTables + index)
        }
        for (index, shared) in [ranges == nil ? ipv4.shared : .empty, ipv6.shared].enumerated() {
            writer.store(UInt8(shared.count), at: TrieImage.Field.sharedCounts + index)
            writer.store(shared.stored, at: TrieImage.Field.sharedBits + index * 4)
        }
    }

    private mutating func append(_ lists: RuleLists, nodeCount: Int) {
        let nodes = lists.nodes
        append(.listMarks) { writer in
            guard !nodes.isEmpty else { return }
            var next = 0
            for group in 0..<(nodeCount + 63) / 64 {
                let before = UInt32(next)
                var marks: UInt64 = 0
                while next < nodes.count, Int(nodes[next].place) / 64 == group {
                    marks |= 1 << UInt64(nodes[next].place % 64)
                    next += 1
                }
                writer.append(marks)
                writer.append(before)
            }
            assert(next == nodes.count, "each rule list belongs to a node")
        }
        append(.listStarts) { writer in
            guard !nodes.isEmpty else { return }
            for node in nodes { writer.append(node.start) }
            writer.append(UInt32(lists.rules.count))
        }
        append(.listRules) { writer in for rule in lists.rules { writer.append(rule.constraint) } }
    }

    private mutating func append(_ constraints: [ConstraintTable.Constraint]) {
        let paths = Set(constraints.compactMap { $0.path?.text }).sorted()
        var numbers: [String: UInt32] = [:]
        for (index, path) in paths.enumerated() { numbers[path] = UInt32(index + 1) }
        append(.constraints) { writer in
            for constraint in constraints {
                writer.append(constraint.traits)
                writer.append(UInt8(0))
                writer.append(constraint.portNumber)
                writer.append(constraint.segments)
                writer.append(UInt16(0))
                writer.append(constraint.path.flatMap { numbers[$0.text] } ?? 0)
            }
        }
        append(.pathStarts) { writer in
            var start: UInt32 = 0
            for path in paths {
                writer.append(start)
                start += UInt32(path.utf8.count)
            }
            writer.append(start)
        }
        append(.paths) { writer in for path in paths { writer.append(contentsOf: [UInt8](path.utf8)) } }
    }

    /// The number of bits of the greatest line.
    private static func originBits(_ origins: [UInt32]) -> Int {
        max(UInt32.bitWidth - (origins.max() ?? 0).leadingZeroBitCount, 1)
    }

    private mutating func append(origins: [UInt32], _ source: RuleSource) {
        let bits = Self.originBits(origins)
        append(.origins) { writer in
            guard !origins.isEmpty else { return }
            var (pending, pendingBits): (UInt64, Int) = (0, 0)
            for origin in origins {
                assert(pendingBits < 8 && UInt64(origin) >> UInt64(bits) == 0)
                pending |= UInt64(origin) << UInt64(pendingBits)
                pendingBits += bits
                while pendingBits >= 8 {
                    writer.append(UInt8(truncatingIfNeeded: pending))
                    pending >>= 8
                    pendingBits -= 8
                }
            }
            if pendingBits > 0 { writer.append(UInt8(truncatingIfNeeded: pending)) }
            // A read of the last origin loads eight bytes.
            writer.appendZeros(8)
        }
        let lists = origins.isEmpty ? [] : Array(source.lists.enumerated())
        append(.lists) { writer in
            var end = 0
            for (index, list) in lists {
                end += list.name.utf8.count
                writer.append(UInt32(source.linesBefore[index]))
                writer.append(UInt32(end))
            }
        }
        append(.listNames) { writer in
            for (_, list) in lists { writer.append(contentsOf: [UInt8](list.name.utf8)) }
        }
    }

    private mutating func append(_ code: HuffmanCode) {
        append(.codes) { writer in
            for pair in 0..<HuffmanCode.storedLength {
                writer.append(UInt8(code.length(pair * 2) | code.length(pair * 2 + 1) << 4))
            }
        }
        writer.store(TrieLayout.compact.number, at: TrieImage.Field.layout)
    }

    private mutating func setHeader(_ hash: KeyHash) {
        writer.align(to: TrieImage.sectionAlignment)
        writer.store(TrieImage.magic, at: 0)
        writer.store(TrieImage.version, at: TrieImage.Field.version)
        writer.store(UInt64(writer.count), at: TrieImage.Field.length)
        for (index, seed) in [hash.first, hash.second, hash.third].enumerated() {
            writer.store(seed, at: TrieImage.Field.seed + index * 8)
        }
    }

    /// Stores both checksums and opens the image.
    private consuming func finish() -> TrieImage {
        let content = writer.withBytes(from: TrieImage.headerLength) { ImageChecksum.compute($0) }
        writer.store(content, at: TrieImage.Field.checksum)
        let header = writer.withBytes(from: 0) { TrieImage.headerChecksum($0) }
        writer.store(header, at: TrieImage.Field.headerChecksum)
        do throws(TrieImageError) {
            let image = try TrieImage(opening: writer.finish())
            assert(image.brokenInvariant() == nil)
            return image
        } catch {
            preconditionFailure("the compiled image does not open: \(error)")
        }
    }
}

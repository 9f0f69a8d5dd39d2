internal import WireFormat

extension TrieImage {
    /// The checksum of the header, with the place where it stands taken as zero.
    static func headerChecksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let behind = Field.headerChecksum + 8
        return unsafe fold(
            ImageChecksum.compute(UnsafeRawBufferPointer(rebasing: bytes[..<Field.headerChecksum])),
            ImageChecksum.compute(UnsafeRawBufferPointer(rebasing: bytes[behind..<headerLength])) | 1
        )
    }

    /// The sections' places, each inside the image and behind the one before.
    static func sections(
        _ bytes: UnsafeRawBufferPointer,
        _ layout: TrieLayout
    ) throws(TrieImageError) -> [(offset: Int, length: Int)] {
        var result: [(offset: Int, length: Int)] = []
        result.reserveCapacity(Section.allCases.count)
        for section in Section.allCases {
            let entry = Field.sections + section.rawValue * 16
            let offset = UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: entry, as: UInt64.self))
            let length = UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: entry + 8, as: UInt64.self))
            let count = UInt64(bytes.count)
            if section == .codes, layout == .fast {
                guard offset == 0, length == 0 else {
                    throw .section(number: section.rawValue, offset: offset, length: length)
                }
                result.append((headerLength, 0))
                continue
            }
            guard offset >= headerLength, offset % UInt64(sectionAlignment) == 0, offset <= count,
                length <= count - offset
            else { throw .section(number: section.rawValue, offset: offset, length: length) }
            result.append((Int(offset), Int(length)))
        }
        return result
    }

    /// The code of names whose lengths stand in `bytes`.
    static func code(_ bytes: UnsafeRawBufferPointer) throws(TrieImageError) -> NameCode {
        guard bytes.count == NameCode.storedLength,
            // In bounds: two lengths stand in each byte.
            let code = NameCode(lengths: { unsafe Int(bytes[$0 / 2] >> UInt8($0 % 2 * 4) & 15) })
        else { throw .section(number: Section.codes.rawValue, offset: 0, length: UInt64(bytes.count)) }
        return code
    }

    func checkLengths(_ length: (Section) -> Int) throws(TrieImageError) {
        let numbers = slotCount + networkCount + listRuleCount
        let groups = (slotCount + networkCount + 63) / 64
        let expected: [(Section, Int)] = [
            (.keyTables, Self.keyTableCount * Self.keyTableStride),
            (.listMarks, listCount == 0 ? 0 : groups * 12),
            (.listStarts, listCount == 0 ? 0 : (listCount + 1) * 4),
            (.listRules, listRuleCount * 4),
            (.origins, originBits == 0 ? 0 : (numbers * originBits + 7) / 8 + 8),
        ]
        for (section, expected) in expected where length(section) != expected {
            throw .section(number: section.rawValue, offset: UInt64(expected), length: UInt64(length(section)))
        }
        guard filterWords > 0, originBits <= 32, length(.keys) >= Self.keyPadding
        else {
            throw .section(number: Section.filter.rawValue, offset: 0, length: UInt64(length(.filter)))
        }
    }

    /// How many bytes the number of a network takes that lies around another one.
    static func parentLength(networkCount: Int) -> Int { networkCount < 1 << 24 ? 3 : 4 }

    /// The tables of both families, whose index and entries take up just their sections.
    ///
    /// - Parameters:
    ///   - counts: the IPv4 networks, and all networks.
    ///   - shape: bits of the index for IPv4 and IPv6, bytes that an entry keeps for both.
    static func networkTables(
        counts: (ipv4: Int, all: Int),
        shape: [Int],
        indexes: UnsafeRawBufferPointer,
        entries: UnsafeRawBufferPointer
    ) throws(TrieImageError) -> (ipv4: NetworkTable, ipv6: NetworkTable) {
        let broken = TrieImageError.section(
            number: Section.networks.rawValue,
            offset: UInt64(counts.ipv4),
            length: UInt64(entries.count)
        )
        guard counts.ipv4 <= counts.all, let indexStart = indexes.baseAddress, let entriesStart = entries.baseAddress
        else {
            throw broken
        }
        var tables: [NetworkTable] = []
        var (indexOffset, entriesOffset) = (0, 0)
        for (family, range) in [0..<counts.ipv4, counts.ipv4..<counts.all].enumerated() {
            let (bits, kept) = (shape[family], shape[family + 2])
            guard bits <= NetworkTable.maximumIndexBits, (1...16).contains(kept), bits / 8 * 8 + kept * 8 <= 128 else {
                throw broken
            }
            let table = unsafe NetworkTable(
                first: range.lowerBound,
                count: range.count,
                indexBits: bits,
                kept: kept,
                parentLength: parentLength(networkCount: counts.all),
                index: indexStart + indexOffset,
                entries: entriesStart + entriesOffset
            )
            tables.append(table)
            indexOffset += range.isEmpty ? 0 : NetworkTable.indexLength(bits: bits)
            entriesOffset += range.count * table.stride
            guard indexOffset <= indexes.count, entriesOffset <= entries.count else { throw broken }
        }
        guard indexOffset == indexes.count, entriesOffset + NetworkTable.padding == entries.count else { throw broken }
        return (tables[0], tables[1])
    }

    /// Every slot and every pilot that a hash can choose must lie inside its section.
    func checkKeyTables(keys: (offset: Int, length: Int), pilotCount: Int) throws(TrieImageError) {
        for length in 0..<Self.keyTableCount {
            let table = keyTable(length)
            let slots = slotBytes(table, keyLength: length)
            guard table.slotCount > 0, table.pilotCount > 0,
                table.offset >= keys.offset, table.offset <= UInt64(keys.offset + keys.length - Self.keyPadding),
                slots <= UInt64(keys.offset + keys.length - Self.keyPadding) - table.offset,
                UInt64(table.firstPilot) + UInt64(table.pilotCount) <= UInt64(pilotCount)
            else { throw .keyTable(keyLength: length) }
        }
    }

    /// What the image says of the keys of `length` bytes.
    @inline(__always)
    func keyTable(_ length: Int) -> KeyTable {
        // In bounds: the table has entries for all lengths that a host of 253 bytes can have, and its length was checked.
        let entry = unsafe keyTables + length &* Self.keyTableStride
        return unsafe KeyTable(
            offset: UInt64(littleEndian: entry.loadUnaligned(as: UInt64.self)),
            slotCount: UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 8, as: UInt32.self)),
            firstPilot: UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 12, as: UInt32.self)),
            pilotCount: UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 16, as: UInt32.self)),
            firstNumber: UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
        )
    }

    /// The checksum of everything behind the header.
    ///
    /// - Complexity: O(*n*) in the bytes of the image.
    func contentChecksum() -> (found: UInt64, expected: UInt64) {
        let content = unsafe UnsafeRawBufferPointer(rebasing: memory.unsafeBytes[Self.headerLength...])
        let expected = unsafe start.loadUnaligned(fromByteOffset: Field.checksum, as: UInt64.self)
        return (unsafe ImageChecksum.compute(content), UInt64(littleEndian: expected))
    }
}

/// The keys of one length.
struct KeyTable {
    /// Where the first slot begins in the image.
    let offset: UInt64
    let slotCount: UInt32
    let firstPilot: UInt32
    let pilotCount: UInt32
    /// The number of the first slot.
    let firstNumber: UInt32
}

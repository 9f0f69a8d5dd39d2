internal import WireFormat

/// What opening checks, and what is read of sections.
///
/// Reads are in bounds, because ``checkSections(_:_:)`` compares each section with the image before one is read, and each offset in a
/// section is compared with its length.
extension TrieImage {
    /// The checksum of the header without the eight bytes that store it.
    static func headerChecksum(_ bytes: Span<UInt8>) -> UInt64 {
        fold(
            ImageChecksum.compute(bytes.extracting(0..<Field.headerChecksum)),
            ImageChecksum.compute(bytes.extracting(Field.headerChecksum + 8..<headerLength)) | 1
        )
    }

    /// Offset and length of a section, as in the header.
    @inline(__always)
    private static func entry(_ section: Int, _ bytes: UnsafeRawBufferPointer) -> (offset: UInt64, length: UInt64) {
        assert(section >= 0 && section < sectionCount && bytes.count >= headerLength)
        let entry = Field.sections + section * 16
        // In bounds: the entry lies in the header.
        return (
            UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: entry, as: UInt64.self)),
            UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: entry + 8, as: UInt64.self))
        )
    }

    /// Checks that each section lies inside the image.
    static func checkSections(_ bytes: UnsafeRawBufferPointer, _ layout: TrieLayout) throws(TrieImageError) {
        // No array of sections, because the first array of a new type costs more than this whole check.
        for section in 0..<sectionCount {
            let (offset, length) = unsafe entry(section, bytes)
            let count = UInt64(bytes.count)
            let isLeftOut = section == Section.codes.rawValue && layout == .fast
            let isRight =
                isLeftOut
                ? offset == 0 && length == 0
                : offset >= headerLength && offset % UInt64(sectionAlignment) == 0 && offset <= count
                    && length <= count - offset
            guard isRight else { throw .section(number: section, offset: offset, length: length) }
        }
    }

    /// The bytes of `section`, whose entry was checked.
    static func bytes(of section: Section, in image: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let (offset, length) = unsafe entry(section.rawValue, image)
        assert(offset <= image.count && length <= UInt64(image.count) - offset, "`checkSections` accepted the entry")
        return unsafe UnsafeRawBufferPointer(rebasing: image[Int(offset)..<Int(offset) + Int(length)])
    }

    /// Calls `body` with the bytes of the image.
    func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Valid: `memory` owns the bytes and outlives the call.
        defer { withExtendedLifetime(memory) {} }
        return try unsafe body(Span(_unsafeBytes: memory.unsafeBytes))
    }

    /// The bytes of `section`.
    func bytes(_ section: Section) -> UnsafeRawBufferPointer {
        unsafe Self.bytes(of: section, in: memory.unsafeBytes)
    }

    /// The length of `section` in bytes.
    @inline(__always)
    func length(of section: Section) -> Int { unsafe bytes(section).count }

    /// Where `section` lies in the image.
    func range(of section: Section) -> Range<Int> {
        let (offset, length) = unsafe Self.entry(section.rawValue, memory.unsafeBytes)
        return Int(offset)..<Int(offset) + Int(length)
    }

    /// Reads a number of `section`; 0 past its end, because offsets in an image that was not validated may be wrong.
    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, _ section: Section, at offset: Int)
        -> Value
    {
        let bytes = unsafe bytes(section)
        guard offset >= 0, offset <= bytes.count - MemoryLayout<Value>.size else { return 0 }
        return Value(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// The bytes of `section` from `first` to `end`; none if the section ends before, for the same reason.
    private func bytes(_ section: Section, from first: Int, to end: Int) -> UnsafeRawBufferPointer {
        assert(first >= 0, "offsets have no sign")
        let bytes = unsafe bytes(section)
        guard first <= end, end <= bytes.count else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[first..<end])
    }

    /// The text of `section` from `first` to `end`; empty if the section ends before.
    func text(_ section: Section, from first: Int, to end: Int) -> String {
        unsafe String(decoding: bytes(section, from: first, to: end), as: UTF8.self)
    }

    /// Whether path `path` certainly covers `other`; see ``PathPrefix``. Paths are counted from 1.
    @inline(__always)
    func certainlyCovers(_ path: Int, _ other: some Sequence<UInt8>) -> Bool {
        unsafe PathPrefix.certainlyCovers(pathBytes(path), other)
    }

    /// Whether path `path` possibly covers `other`.
    @inline(__always)
    func possiblyCovers(_ path: Int, _ other: some Sequence<UInt8>) -> Bool {
        unsafe PathPrefix.possiblyCovers(pathBytes(path), other)
    }

    private func pathBytes(_ path: Int) -> UnsafeRawBufferPointer {
        let (first, end) = pathRange(path)
        return unsafe bytes(.paths, from: first, to: end)
    }

    /// The Huffman code with the lengths in `bytes`.
    static func code(_ bytes: UnsafeRawBufferPointer) throws(TrieImageError) -> HuffmanCode {
        guard bytes.count == HuffmanCode.storedLength,
            // In bounds: each byte has two lengths.
            let code = HuffmanCode(lengths: { unsafe Int(bytes[$0 / 2] >> UInt8($0 % 2 * 4) & 15) })
        else { throw .section(number: Section.codes.rawValue, offset: 0, length: UInt64(bytes.count)) }
        return code
    }

    func checkLengths() throws(TrieImageError) {
        func check(_ section: Section, _ expected: Int) throws(TrieImageError) {
            let length = length(of: section)
            guard length == expected else {
                throw .section(number: section.rawValue, offset: UInt64(expected), length: UInt64(length))
            }
        }
        guard originBits <= 32 else {
            throw .section(number: Section.origins.rawValue, offset: 32, length: UInt64(length(of: .origins)))
        }
        // No overflow: the sum of three 32-bit numbers, times at most 32 bits.
        let numbers = slotCount + networkCount + listRuleCount
        let groups = (slotCount + networkCount + 63) / 64
        try check(.keyTables, Self.keyTableCount * Self.keyTableStride)
        try check(.listMarks, listCount == 0 ? 0 : groups * 12)
        try check(.listStarts, listCount == 0 ? 0 : (listCount + 1) * 4)
        try check(.listRules, listRuleCount * 4)
        try check(.origins, originBits == 0 ? 0 : (numbers * originBits + 7) / 8 + 8)
        guard filterWords > 0, length(of: .keys) >= Self.keyPadding else {
            throw .section(number: Section.filter.rawValue, offset: 0, length: UInt64(length(of: .filter)))
        }
    }

    /// The size of the number of a wider network in bytes.
    static func parentLength(networkCount: Int) -> Int { networkCount < 1 << 24 ? 3 : 4 }

    /// The table of the networks `range` of `networkCount`, at the start of `index` and `entries`.
    static func networkTable(
        _ range: Range<Int>,
        of networkCount: Int,
        shared: SharedBits?,
        indexBits: Int,
        kept: Int,
        index: UnsafeRawBufferPointer,
        entries: UnsafeRawBufferPointer
    ) throws(TrieImageError) -> NetworkTable {
        guard indexBits <= NetworkTable.maximumIndexBits, (1...16).contains(kept), indexBits / 8 * 8 + kept * 8 <= 128,
            let shared, shared.count == 0 || !range.isEmpty,
            let indexStart = index.baseAddress, let entriesStart = entries.baseAddress
        else { throw .network(number: range.lowerBound) }
        let table = unsafe NetworkTable(
            first: range.lowerBound,
            count: range.count,
            shared: shared,
            indexBits: indexBits,
            kept: kept,
            parentLength: parentLength(networkCount: networkCount),
            index: indexStart,
            entries: entriesStart
        )
        guard table.indexLength <= index.count, table.entriesLength <= entries.count else {
            throw .network(number: range.lowerBound)
        }
        return table
    }

    /// Checks that each slot and each pilot that a hash can choose lies inside its section.
    func checkKeyTables() throws(TrieImageError) {
        let pilotCount = length(of: .pilots) / 2
        let keys = range(of: .keys)
        assert(keys.count >= Self.keyPadding, "`checkLengths` accepted the section")
        let (first, end) = (UInt64(keys.lowerBound), UInt64(keys.upperBound - Self.keyPadding))
        for length in 0..<Self.keyTableCount {
            let table = keyTable(length)
            let slots = slotBytes(table, keyLength: length)
            guard table.slotCount > 0, table.pilotCount > 0,
                table.offset >= first, table.offset <= end, slots <= end - table.offset,
                UInt64(table.firstPilot) + UInt64(table.pilotCount) <= UInt64(pilotCount)
            else { throw .keyTable(keyLength: length) }
        }
    }

    /// The checksum of all bytes behind the header, computed and stored.
    ///
    /// - Complexity: O(*n*) in the bytes of the image.
    func contentChecksum() -> (found: UInt64, expected: UInt64) {
        withBytes { bytes in
            guard let expected = littleEndianUInt64(in: bytes, at: Field.checksum) else {
                preconditionFailure("an image has a header")
            }
            return (ImageChecksum.compute(bytes.extracting(Self.headerLength..<bytes.count)), expected)
        }
    }
}

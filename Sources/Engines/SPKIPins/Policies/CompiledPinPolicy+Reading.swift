internal import WireFormat

extension CompiledPinPolicy.Layout {
    /// Checks everything after the header that a lookup relies on.
    ///
    /// - Complexity: O(*n*) in the bytes, for any bytes.
    init(reading bytes: Span<UInt8>) throws(PinImageError) {
        let end = bytes.count - PinImage.checksumLength
        let reader = PinImageReader(end: end)
        self.init(
            entryCount: Int(try reader.word32(in: bytes, at: 32)),
            placeCount: Int(try reader.word32(in: bytes, at: 36)),
            seed: try reader.word64(in: bytes, at: 40),
            compiledAt: Int64(bitPattern: try reader.word64(in: bytes, at: 48))
        )
        guard (1...PinPolicy.mostEntries).contains(entryCount), (1...entryCount).contains(placeCount),
            entriesStart <= end, try reader.word64(in: bytes, at: 56) == 0
        else { throw .malformed(offset: 32) }
        try checkZeros(pilotsStart + 2 * slots.bucketCount..<startsStart, in: bytes)
        try checkZeros(startsStart + 4 * entryCount..<entriesStart, in: bytes)
        var next = entriesStart
        var (places, entries) = (0, 0)
        for slot in 0..<slots.slotCount {
            let place = CompiledPinPolicy.Place(offset: Self.placesStart + Self.placeLength * slot)
            if place.length(in: bytes) == 0 {
                try checkZeros(place.offset..<place.offset + Self.placeLength, in: bytes)
                try checkZeros(tagsStart + 2 * slot..<tagsStart + 2 * slot + 2, in: bytes)
            } else {
                places += 1
                next = try checkPlace(place, at: slot, &entries, next: next, in: bytes, reader)
            }
        }
        // Each entry lies where its index says, so `entryCount` entries are all of them.
        guard next == end, places == placeCount, entries == entryCount else { throw .malformed(offset: next) }
    }

    private func checkZeros(_ range: Range<Int>, in bytes: Span<UInt8>) throws(PinImageError) {
        for offset in range where bytes[offset] != 0 { throw .malformed(offset: offset) }
    }

    /// Checks a place whose long text or first entry starts at `next`; returns the start of those of the next place.
    private func checkPlace(
        _ place: CompiledPinPolicy.Place,
        at slot: Int,
        _ entries: inout Int,
        next: Int,
        in bytes: Span<UInt8>,
        _ reader: PinImageReader
    ) throws(PinImageError) -> Int {
        let text = place.text(in: bytes)
        guard let kind = HostKey.Kind(rawValue: place.kind(in: bytes)), kind.lengths.contains(text.count),
            bytes[place.offset + 26] | bytes[place.offset + 27] == 0
        else { throw .malformed(offset: place.offset) }
        let inside = place.offset + Self.textOffset
        let isLong = text.count > Self.longestInPlace
        guard !isLong || text.lowerBound == next, text.upperBound <= reader.end else {
            throw .malformed(offset: inside)
        }
        var next = isLong ? (text.upperBound + 7) & ~7 : next
        guard next <= reader.end else { throw .malformed(offset: inside) }
        if isLong { try checkZeros(text.upperBound..<next, in: bytes) }
        try checkZeros(inside + (isLong ? 4 : text.count)..<place.offset + Self.placeLength, in: bytes)

        // A lookup of the text must lead to this slot, so no host has two places.
        let hash = SuffixHash.hash(of: bytes.extracting(text), kind, seed: seed)
        let pilot = littleEndianUInt16(in: bytes, at: pilotsStart + 2 * slots.bucket(of: hash)) ?? 0
        guard slots.slot(of: hash, pilot: pilot) == slot,
            littleEndianUInt16(in: bytes, at: tagsStart + 2 * slot) == Self.tag(of: hash)
        else { throw .malformed(offset: tagsStart + 2 * slot) }

        let before = entries
        for breadth in [HostPattern.Breadth.exact, .oneLabel, .anyLabels] {
            guard let entry = place.entry(breadth, in: bytes) else {
                let index = place.offset + 12 + 4 * Int(breadth.rawValue)
                try checkZeros(index..<index + 4, in: bytes)
                continue
            }
            guard entry.offset == next, kind == .name || breadth == .exact else {
                throw .malformed(offset: place.offset)
            }
            next = try checkEntry(entry, of: place.offset, breadth, in: bytes, reader)
            entries += 1
        }
        guard entries > before else { throw .malformed(offset: place.offset) }
        return next
    }

    /// Returns the end of the entry.
    private func checkEntry(
        _ entry: HostTable.FoundEntry,
        of place: Int,
        _ breadth: HostPattern.Breadth,
        in bytes: Span<UInt8>,
        _ reader: PinImageReader
    ) throws(PinImageError) -> Int {
        let start = entry.offset
        guard entry.index < entryCount, Int(try reader.word32(in: bytes, at: start + 8)) == entry.index,
            Int(try reader.word32(in: bytes, at: startsStart + 4 * entry.index)) * 8 == start,
            Int(try reader.word32(in: bytes, at: start + 12)) * 8 == place,
            try reader.word64(in: bytes, at: start + 16) & ~0x01_01FF == 0, bytes[start + 16] == breadth.rawValue,
            // Compiling refuses an entry that has expired.
            Int64(bitPattern: try reader.word64(in: bytes, at: start)) > compiledAt
        else { throw .malformed(offset: start) }
        let table = try PinTable(reading: bytes, at: start + Self.entryHeader, end: reader.end)
        guard table.hasForbidden(in: bytes) == (bytes[start + 18] == 1) else { throw .malformed(offset: start + 18) }
        let next = (table.end + 7) & ~7
        guard next <= reader.end else { throw .malformed(offset: start) }
        try checkZeros(table.end..<next, in: bytes)
        return next
    }

    /// The bits of a hash that rule out most names without a place.
    @inline(__always)
    static func tag(of hash: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: hash) }
}

internal import WireFormat

/// A policy as it lies in an image. Offsets count from the image's first byte; `PinImage` has the header.
///
/// ```
/// 32   4    entries, e
/// 36   4    slots, s: 2p
/// 40   4    places, p: hosts that patterns name
/// 44   4    bytes of text, t
/// 48   8    seed of the hash
/// 56   8    time of compiling, seconds since 1970
/// 64   4s   slots: 0 for empty, or in bits 0–20 the index of a place plus one, in bits 21–31 bits of its hash
///      20p  places: 4 start in the text, 2 length, 1 kind (`HostKey`), 1 zero,
///           then 4 each: entry plus one of `host`, of `*.host`, of `**.host`; 0 for none
///      24e  entries: 8 expiry (the largest number for never), 4 start of its set divided by 8, 4 place,
///           1 breadth, 1 mode (0 enforce, 1 report only), 1 whether keys are forbidden, 5 zeros
///      t    text: the hosts, canonical, one behind the other; zeros up to a multiple of 8
///           sets, each as in `PinTable`, with zeros up to a multiple of 8
/// ```
final class CompiledPinPolicy: Sendable {
    /// Where the parts of an image stand.
    struct Layout: Equatable, Sendable {
        static let slotsStart = 64
        static let placeLength = 20
        static let entryLength = 24

        let entryCount: Int
        let slotCount: Int
        let placeCount: Int
        let textLength: Int
        let seed: UInt64
        let compiledAt: Int64

        var placesStart: Int { Self.slotsStart &+ 4 &* slotCount }
        var entriesStart: Int { placesStart &+ Self.placeLength &* placeCount }
        var textStart: Int { entriesStart &+ Self.entryLength &* entryCount }
        var setsStart: Int { (textStart &+ textLength &+ 7) & ~7 }
    }

    /// One entry, read.
    struct Entry {
        let index: Int
        let expiry: Int64
        let place: Int
        let breadth: HostPattern.Breadth
        let mode: PinPolicy.Mode
        let hasForbidden: Bool
        let table: PinTable
    }

    let storage: ImageBytes
    let layout: Layout
    let version: UInt64

    init(_ storage: ImageBytes) throws(PinImageError) {
        self.storage = storage
        (version, layout) = try storage.withSpan { bytes throws(PinImageError) in
            let version = try PinImage.check(bytes, is: .policy)
            return (version, try Layout(reading: bytes))
        }
    }

    /// The entry at an index below `entryCount`.
    @inline(__always)
    func entry(_ index: Int, in bytes: Span<UInt8>) -> Entry {
        let offset = layout.entriesStart &+ Layout.entryLength &* index
        let start = Int(littleEndianUInt32(in: bytes, at: offset &+ 8) ?? 0) &* 8
        return Entry(
            index: index,
            expiry: Int64(bitPattern: littleEndianUInt64(in: bytes, at: offset) ?? 0),
            place: Int(littleEndianUInt32(in: bytes, at: offset &+ 12) ?? 0),
            breadth: HostPattern.Breadth(rawValue: bytes[offset &+ 16]) ?? .exact,
            mode: bytes[offset &+ 17] == 0 ? .enforce : .reportOnly,
            hasForbidden: bytes[offset &+ 18] != 0,
            table: PinTable(
                start: start,
                count: Int(littleEndianUInt32(in: bytes, at: start) ?? 0),
                slotCount: Int(littleEndianUInt32(in: bytes, at: start &+ 4) ?? 0)
            )
        )
    }

    /// The pins of an entry.
    func set(ofEntry index: Int) -> PinSet {
        storage.withSpan { bytes in PinSet(storage: storage, table: entry(index, in: bytes).table) }
    }
}

extension CompiledPinPolicy.Layout {
    /// Checks everything behind the header that a look-up will rely on.
    ///
    /// - Complexity: O(*n*) in the bytes, whatever they are.
    init(reading bytes: Span<UInt8>) throws(PinImageError) {
        let end = bytes.count - PinImage.checksumLength
        let reader = PinImageReader(end: end)
        entryCount = Int(try reader.word32(in: bytes, at: 32))
        slotCount = Int(try reader.word32(in: bytes, at: 36))
        placeCount = Int(try reader.word32(in: bytes, at: 40))
        textLength = Int(try reader.word32(in: bytes, at: 44))
        seed = try reader.word64(in: bytes, at: 48)
        compiledAt = Int64(bitPattern: try reader.word64(in: bytes, at: 56))
        guard (1...PinPolicy.mostEntries).contains(entryCount), (1...entryCount).contains(placeCount),
            slotCount == 2 * placeCount, setsStart <= end
        else { throw .malformed(offset: 32) }
        var next = setsStart
        for index in 0..<entryCount {
            next = try checkEntry(index, in: bytes, setAt: next, end: end)
        }
        guard next == end else { throw .malformed(offset: next) }
        for offset in textStart + textLength..<setsStart where bytes[offset] != 0 { throw .malformed(offset: offset) }
        for index in 0..<placeCount { try checkPlace(index, in: bytes) }
        try HostTable(layout: self).checkSlots(in: bytes)
    }

    /// Returns where the next entry's set starts: sets stand in the order of the entries, without gaps.
    private func checkEntry(
        _ index: Int,
        in bytes: Span<UInt8>,
        setAt start: Int,
        end: Int
    ) throws(PinImageError) -> Int {
        let offset = entriesStart + Self.entryLength * index
        let reader = PinImageReader(end: end)
        guard Int(try reader.word32(in: bytes, at: offset + 8)) * 8 == start,
            Int(try reader.word32(in: bytes, at: offset + 12)) < placeCount,
            HostPattern.Breadth(rawValue: bytes[offset + 16]) != nil, bytes[offset + 17] <= 1, bytes[offset + 18] <= 1
        else { throw .malformed(offset: offset) }
        for zero in offset + 19..<offset + 24 where bytes[zero] != 0 { throw .malformed(offset: zero) }
        let table = try PinTable(reading: bytes, at: start, end: end)
        var hasForbidden = false
        for pin in 0..<table.count where bytes[table.traitsStart + pin] >> 2 == PinRole.forbidden.rawValue {
            hasForbidden = true
        }
        guard hasForbidden == (bytes[offset + 18] == 1) else { throw .malformed(offset: offset + 18) }
        let next = (table.end + 7) & ~7
        guard next <= end else { throw .malformed(offset: start) }
        for zero in table.end..<next where bytes[zero] != 0 { throw .malformed(offset: zero) }
        // The place must lead back to the entry, or an explanation would name another pattern.
        let place = placesStart + Self.placeLength * Int(try reader.word32(in: bytes, at: offset + 12))
        let back = try reader.word32(in: bytes, at: place + 8 + 4 * Int(bytes[offset + 16]))
        guard Int(back) == index + 1 else { throw .malformed(offset: place) }
        return next
    }

    private func checkPlace(_ index: Int, in bytes: Span<UInt8>) throws(PinImageError) {
        let offset = placesStart + Self.placeLength * index
        let reader = PinImageReader(end: entriesStart)
        let start = Int(try reader.word32(in: bytes, at: offset))
        let length = Int(bytes[offset + 4]) | Int(bytes[offset + 5]) << 8
        guard start + length <= textLength, let kind = HostKey.Kind(rawValue: bytes[offset + 6]),
            kind.lengths.contains(length), bytes[offset + 7] == 0
        else { throw .malformed(offset: offset) }
        var entries = 0
        for breadth in 0..<3 {
            let entry = Int(try reader.word32(in: bytes, at: offset + 8 + 4 * breadth))
            guard entry <= entryCount, entry == 0 || kind == .name || breadth == 0 else {
                throw .malformed(offset: offset)
            }
            guard entry > 0 else { continue }
            entries += 1
            // And the entry must lead back to the place.
            let record = entriesStart + Self.entryLength * (entry - 1)
            guard littleEndianUInt32(in: bytes, at: record + 12) == UInt32(index), bytes[record + 16] == UInt8(breadth)
            else { throw .malformed(offset: offset) }
        }
        guard entries > 0 else { throw .malformed(offset: offset) }
    }
}

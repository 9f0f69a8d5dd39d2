internal import Hostnames
internal import WireFormat

/// A compiled policy: the contents of an image. Offsets count from the image's first byte; `PinImage` has the header.
///
/// ```
/// 32   4    entries, e
/// 36   4    places, p: different hosts in the patterns
/// 40   8    seed of the hash
/// 48   8    time of compiling, seconds since 1970
/// 56   8    zeros
/// 64   64s  places by slot of `SlotTable`, each in one cache line; zeros in a free slot:
///               4 each: start divided by 8 of the entry of `host`, of `*.host`, of `**.host`; 0 = none
///               4 each: index of these entries, in the order given; 0 = none
///               1 length of the text, 1 kind (`HostKey`), 2 zeros
///               36 text of the host, canonical, then zeros; of a longer one, 4 its start divided by 8
///      2s   tags: the lower bits of each place's hash; 0 = free slot
///      2b   pilots, with zeros up to a multiple of 8
///      4e   starts of the entries divided by 8, with zeros up to a multiple of 8
///           for each place in turn: its text if that is long, with zeros up to a multiple of 8; then its entries, each
///               8 expiry (the largest number for never), 4 index, 4 start of its place divided by 8
///               1 breadth, 1 mode (0 enforce, 1 report only), 1 whether keys are forbidden, 5 zeros
///               a set as in `PinTable`, with zeros up to a multiple of 8
/// ```
///
/// Pilots and tags take 2.5 bytes a slot, so they mostly stay in a near cache. A name without a place costs no further
/// read; a name with one costs one cache line for its place and one for its pins.
final class CompiledPinPolicy: Sendable {
    /// The offsets of the parts of an image.
    struct Layout: Equatable, Sendable {
        static let placesStart = 64
        static let placeLength = 64
        /// The offset in a place of its text, or of the start of a long text.
        static let textOffset = 28
        static let longestInPlace = placeLength - textOffset
        static let entryHeader = 24

        let entryCount: Int
        let placeCount: Int
        let seed: UInt64
        let compiledAt: Int64
        let slots: SlotTable
        let tagsStart: Int
        let pilotsStart: Int

        var startsStart: Int { (pilotsStart + 2 * slots.bucketCount + 7) & ~7 }
        var entriesStart: Int { (startsStart + 4 * entryCount + 7) & ~7 }

        init(entryCount: Int, placeCount: Int, seed: UInt64, compiledAt: Int64) {
            assert(entryCount >= 0 && placeCount >= 0)
            self.entryCount = entryCount
            self.placeCount = placeCount
            self.seed = seed
            self.compiledAt = compiledAt
            slots = SlotTable(for: placeCount)
            tagsStart = Self.placesStart + Self.placeLength * slots.slotCount
            pilotsStart = tagsStart + 2 * slots.slotCount
        }
    }

    /// A place: a host that one or more patterns contain.
    struct Place {
        /// Offset of its bytes.
        let offset: Int

        /// The offset and the index of the entry whose pattern has this breadth, or `nil`.
        @inline(__always)
        func entry(_ breadth: HostPattern.Breadth, in bytes: Span<UInt8>) -> HostTable.FoundEntry? {
            assert(offset >= Layout.placesStart && offset &+ Layout.placeLength <= bytes.count)
            let field = offset &+ 4 &* Int(breadth.rawValue)
            guard let start = littleEndianUInt32(in: bytes, at: field), start > 0,
                let index = littleEndianUInt32(in: bytes, at: field &+ 12)
            else { return nil }
            return HostTable.FoundEntry(offset: Int(start) &* 8, index: Int(index))
        }

        @inline(__always)
        func length(in bytes: Span<UInt8>) -> Int { Int(bytes[offset &+ 24]) }

        @inline(__always)
        func kind(in bytes: Span<UInt8>) -> UInt8 { bytes[offset &+ 25] }

        /// The offset of a text inside the place; a text of up to 36 bytes, such as that of an address, lies there.
        @inline(__always)
        var textInside: Int { offset &+ Layout.textOffset }

        /// The offsets of the text.
        @inline(__always)
        func text(in bytes: Span<UInt8>) -> Range<Int> {
            let length = length(in: bytes)
            var start = textInside
            if length > Layout.longestInPlace { start = Int(littleEndianUInt32(in: bytes, at: start) ?? 0) &* 8 }
            return start..<start + length
        }
    }

    /// The fields of one entry.
    struct Entry {
        let index: Int
        let expiry: Int64
        /// Offset of its place.
        let place: Int
        let breadth: HostPattern.Breadth
        let mode: PinPolicy.Mode
        let hasForbidden: Bool
        let table: PinTable

        /// Reads the entry at an offset from a place.
        @inline(__always)
        init(at offset: Int, in bytes: Span<UInt8>) {
            // In bounds: opening checked every entry.
            assert(offset % 8 == 0 && offset >= 0 && offset &+ Layout.entryHeader &+ 8 <= bytes.count)
            assert(bytes[offset &+ 16] <= 2 && bytes[offset &+ 17] <= 1 && bytes[offset &+ 18] <= 1)
            index = Int(littleEndianUInt32(in: bytes, at: offset &+ 8) ?? 0)
            expiry = Int64(bitPattern: littleEndianUInt64(in: bytes, at: offset) ?? 0)
            place = Int(littleEndianUInt32(in: bytes, at: offset &+ 12) ?? 0) &* 8
            breadth = HostPattern.Breadth(rawValue: bytes[offset &+ 16]) ?? .exact
            mode = bytes[offset &+ 17] == 0 ? .enforce : .reportOnly
            hasForbidden = bytes[offset &+ 18] != 0
            let set = offset &+ Layout.entryHeader
            table = PinTable(start: set, count: Int(littleEndianUInt32(in: bytes, at: set) ?? 0))
        }
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
    func entry(_ index: Int, in bytes: Span<UInt8>) -> Entry {
        assert(index >= 0 && index < layout.entryCount)
        return Entry(at: Int(littleEndianUInt32(in: bytes, at: layout.startsStart + 4 * index) ?? 0) * 8, in: bytes)
    }

    /// The pins of an entry.
    func set(ofEntry index: Int) -> PinSet {
        storage.withSpan { bytes in PinSet(storage: storage, table: entry(index, in: bytes).table) }
    }

    /// The host pattern of an entry, canonical.
    func pattern(ofEntry index: Int) -> String {
        storage.withSpan { bytes in
            let entry = entry(index, in: bytes)
            let place = Place(offset: entry.place)
            let kind = HostKey.Kind(rawValue: place.kind(in: bytes)) ?? .name
            let host = HostKey.host(kind, bytes.extracting(place.text(in: bytes)))
            return entry.breadth.prefix + host.description
        }
    }
}

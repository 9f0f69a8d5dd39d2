/// Many IPv4 networks, flattened to disjoint ranges of addresses; each range names its narrowest network.
///
/// ```text
/// index: b is the number of bits of the largest network number plus one groups   one for each value of the first
/// min(b, 16) bits, and one more at the end: 0  4     last range that begins before the group's first address; 0 if
/// only the first range does chunks   one for each value of the first b bits, and one more at the end: 0  2     number
/// of further ranges that begin before the chunk's first address entries ranges   sorted by address, without gaps from
/// address 0 to the last address: 0  4     upper 32 - b bits: the bits of the first address after the first b lower b
/// bits: narrowest network around the range, plus one; 0 = none samples  one for the first of each 16 networks: 0  4
/// the range that begins at its first address lengths  one for each network, sorted by address, wider networks first: 0
/// 1     prefix length in bits; bit 7 is set if the network before it begins at the same address and is therefore the
/// next wider network
/// ```
///
/// A network's number is its position. Each chunk has one or two ranges, so a lookup reads the index and usually one cache line of
/// ranges. It never walks from a network to a wider one. A group has 65,536 addresses, so two bytes count its ranges.
///
/// Reads are in bounds, because `init` compares the sizes of index and entries with the bytes that it gets, a chunk has `indexBits` bits,
/// and a lookup limits each range and each network number that it reads before it uses them.
@safe
struct NetworkRanges: Sendable {
    /// The number of networks.
    let count: Int
    let rangeCount: Int
    /// The number of address bits that the index uses, and of bits of a network number.
    let indexBits: Int
    // The image owns these bytes and never changes them.
    nonisolated(unsafe) let groups: UnsafeRawPointer
    nonisolated(unsafe) let chunks: UnsafeRawPointer
    nonisolated(unsafe) let ranges: UnsafeRawPointer
    nonisolated(unsafe) let samples: UnsafeRawPointer
    nonisolated(unsafe) let lengths: UnsafeRawPointer

    /// The number of networks from which ranges are used. Below it the nested ``NetworkTable`` is nearly as fast and
    /// smaller.
    static let worthwhileCount = 393_216
    /// The largest index; four bits of a range then remain for the address.
    static let maximumIndexBits = 28
    static let maximumGroupBits = 16
    static let networksPerSample = 16
    /// Ranges that a lookup compares at once; as many bytes are readable behind the last range.
    static let windowLength = 8
    /// Set in the length of a network that begins at the same address as the network before it.
    static let sharedStart: UInt8 = 0x80

    /// Uses the bytes at the start of `index` and `entries`; `nil` if they are too short.
    init?(
        count: Int,
        rangeCount: Int,
        indexBits: Int,
        index: UnsafeRawBufferPointer,
        entries: UnsafeRawBufferPointer
    ) {
        guard count > 0, rangeCount > 0, (1...Self.maximumIndexBits).contains(indexBits),
            Self.indexLength(bits: indexBits) <= index.count,
            Self.entriesLength(count: count, rangeCount: rangeCount) <= entries.count,
            let indexStart = index.baseAddress, let entriesStart = entries.baseAddress
        else { return nil }
        (self.count, self.rangeCount, self.indexBits) = (count, rangeCount, indexBits)
        unsafe groups = indexStart
        unsafe chunks = indexStart + Self.groupsLength(bits: indexBits)
        unsafe ranges = entriesStart
        unsafe samples = entriesStart + rangeCount * 4
        unsafe lengths = entriesStart + rangeCount * 4 + Self.samplesLength(count: count)
        assert(unsafe entriesStart.distance(to: lengths) + count <= entries.count, "each network has a length")
        assert(unsafe indexStart.distance(to: chunks) + (2 << indexBits) + 2 <= index.count)
    }

    /// The number of index bits for `count` networks.
    static func indexBits(count: Int) -> Int { Int.bitWidth - count.leadingZeroBitCount }

    static func groupsLength(bits: Int) -> Int { ((1 << min(bits, maximumGroupBits)) + 1) * 4 }
    static func indexLength(bits: Int) -> Int { groupsLength(bits: bits) + ((1 << bits) + 1) * 2 }
    static func samplesLength(count: Int) -> Int { (count + networksPerSample - 1) / networksPerSample * 4 }
    static func entriesLength(count: Int, rangeCount: Int) -> Int {
        rangeCount * 4 + samplesLength(count: count) + count
    }

    /// The sizes of the index and of the entries in bytes.
    var indexLength: Int { Self.indexLength(bits: indexBits) }
    var entriesLength: Int { Self.entriesLength(count: count, rangeCount: rangeCount) }

    /// The binary logarithm of the number of chunks in a group.
    @inline(__always)
    var groupShift: Int { max(indexBits &- Self.maximumGroupBits, 0) }

    /// The last range that begins before `chunk`, or 0. An image that was not validated may give any number.
    @inline(__always)
    func last(before chunk: Int) -> Int {
        assert(chunk >= 0 && chunk <= 1 << indexBits)
        // In bounds: a chunk has `indexBits` bits, and the index has one more entry.
        let group = UInt32(
            littleEndian: unsafe groups.loadUnaligned(fromByteOffset: chunk &>> groupShift &* 4, as: UInt32.self)
        )
        return Int(group) &+ begun(before: chunk)
    }

    /// The number of ranges of its group that begin before `chunk`.
    @inline(__always)
    func begun(before chunk: Int) -> Int {
        assert(chunk >= 0 && chunk <= 1 << indexBits)
        // In bounds: as above.
        return Int(UInt16(littleEndian: unsafe chunks.loadUnaligned(fromByteOffset: chunk &* 2, as: UInt16.self)))
    }

    /// The entry of `range`: address bits and network number plus one.
    @inline(__always)
    func entry(_ range: Int) -> UInt32 {
        assert(range >= 0 && range < rangeCount + Self.windowLength)
        // In bounds: the range is below the count, or inside the window behind the last range.
        return UInt32(littleEndian: unsafe ranges.loadUnaligned(fromByteOffset: range &* 4, as: UInt32.self))
    }

    /// The bits of an entry that hold a network number.
    @inline(__always)
    var numberMask: UInt32 { 1 &<< UInt32(truncatingIfNeeded: indexBits) &- 1 }

    /// The network of `range` plus one; 0 = none.
    @inline(__always)
    func number(_ range: Int) -> Int { Int(entry(range) & numberMask) }

    /// The prefix length of network `number` in bits.
    @inline(__always)
    func length(_ number: Int) -> Int { Int(lengthByte(number) & ~Self.sharedStart) }

    /// Whether network `number` begins at the same address as the network before it.
    func sharesStart(_ number: Int) -> Bool { lengthByte(number) & Self.sharedStart != 0 }

    @inline(__always)
    private func lengthByte(_ number: Int) -> UInt8 {
        assert(number >= 0 && number < count)
        // In bounds: the number is below the count.
        return unsafe lengths.load(fromByteOffset: number, as: UInt8.self)
    }

    /// The range that begins at the first address of the first network of `sample`.
    func sample(_ sample: Int) -> Int {
        assert(sample >= 0 && sample * Self.networksPerSample < count)
        // In bounds: each 16 networks have a sample.
        return Int(UInt32(littleEndian: unsafe samples.loadUnaligned(fromByteOffset: sample * 4, as: UInt32.self)))
    }
}

extension NetworkRanges {
    /// Ranges that are compared at once.
    private typealias Window = SIMD8<UInt32>

    /// The number of ranges directly behind `first` whose entry is at most `wanted`.
    @inline(__always)
    func begun(behind first: Int, _ wanted: UInt32) -> Int {
        assert(first >= 0 && first < rangeCount)
        // In bounds: `first` is a range, and the bytes of a window follow the last range.
        var window = unsafe ranges.loadUnaligned(fromByteOffset: first &* 4 &+ 4, as: Window.self)
        #if _endian(big)
            for lane in window.indices { window[lane] = window[lane].byteSwapped }
        #endif
        // One comparison without branches, because each instruction that waits for the ranges delays the next lookup.
        let isLater = window .> Window(repeating: wanted)
        let bytes = SIMD8<UInt8>(truncatingIfNeeded: Window(repeating: 0).replacing(with: .max, where: isLater))
        return unsafe unsafeBitCast(bytes, to: UInt64.self).littleEndian.trailingZeroBitCount / 8
    }

    /// The last of `first` and the `left` ranges behind it whose entry is at most `wanted`.
    @inline(__always)
    func lastBegun(from first: Int, _ left: Int, _ wanted: UInt32) -> Int {
        assert(first >= 0 && first + left < rangeCount)
        return unsafe Self.crowded(ranges, first, left, wanted)
    }

    // Static, because passing `self` would store all its fields to memory before each lookup.
    @inline(never)
    private static func crowded(_ ranges: UnsafeRawPointer, _ first: Int, _ left: Int, _ wanted: UInt32) -> Int {
        assert(first >= 0)
        var (range, left) = (first, left &+ 1)
        while left > 1 {
            let half = left &>> 1
            // In bounds: the caller limits `first` and `left` to the ranges.
            let entry = unsafe ranges.loadUnaligned(fromByteOffset: (range &+ half) &* 4, as: UInt32.self)
            range = UInt32(littleEndian: entry) <= wanted ? range &+ half : range
            left &-= half
        }
        return range
    }
}

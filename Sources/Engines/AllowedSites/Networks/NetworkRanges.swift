/// Very many IPv4 networks as ranges of addresses side by side, each with the narrowest network around it.
///
/// ```text
/// index, for b bits of an address, as many as the greatest number of a network plus one has
///   groups   for each value of the first 16 bits (or b, where b is less), and one more behind the last:
///   0  4     the last range that begins before the addresses that begin with these bits, or 0, the first one
///   chunks   for each value of the first b bits, and one more behind the last:
///   0  2     how many more ranges begin before the addresses that begin with these bits
/// entries
///   ranges   in the order of addresses, from the first address on, what no network has among them:
///   0  4     the bits of its first address behind the first b ones, and below them, in b bits, the narrowest network around
///            it plus one, or 0
///   samples  for the first of each sixteen networks:
///   0  4     the range that begins where it does
///   lengths  for each network, in the order of addresses, the wider first:
///   0  1     its length in bits; the highest bit is set if it begins where the network before it does, which is then the
///            next wider one
/// ```
///
/// A network's number is its position. There are one or two ranges for each value of the first bits, so a lookup reads the
/// index and mostly one line of ranges, and never goes from a network to a wider one. The 65,536 addresses of a group have no
/// more ranges, so two bytes count them.
@safe
struct NetworkRanges: Sendable {
    /// How many networks there are.
    let count: Int
    let rangeCount: Int
    /// How many bits of an address the index takes, and how many the number of a network.
    let indexBits: Int
    // The image that holds the ranges keeps its bytes, and nobody writes to them.
    nonisolated(unsafe) let groups: UnsafeRawPointer
    nonisolated(unsafe) let chunks: UnsafeRawPointer
    nonisolated(unsafe) let ranges: UnsafeRawPointer
    nonisolated(unsafe) let samples: UnsafeRawPointer
    nonisolated(unsafe) let lengths: UnsafeRawPointer

    /// From how many networks on the form is chosen: fewer are nearly as quick, and take less room, inside each other.
    static let worthwhileCount = 393_216
    /// Four bits of a range's four bytes are left then.
    static let maximumIndexBits = 28
    static let maximumGroupBits = 16
    static let networksPerSample = 16
    /// Ranges that a lookup compares at once; as many bytes are readable behind the last range.
    static let windowLength = 8
    /// Set in the length of a network that begins where the one before it does.
    static let sharedStart: UInt8 = 0x80

    /// Takes what lies at the beginning of `index` and `entries`, or returns nil if there is not enough of it.
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
    }

    /// How many bits the index has for `count` networks.
    static func indexBits(count: Int) -> Int { Int.bitWidth - count.leadingZeroBitCount }

    static func groupsLength(bits: Int) -> Int { ((1 << min(bits, maximumGroupBits)) + 1) * 4 }
    static func indexLength(bits: Int) -> Int { groupsLength(bits: bits) + ((1 << bits) + 1) * 2 }
    static func samplesLength(count: Int) -> Int { (count + networksPerSample - 1) / networksPerSample * 4 }
    static func entriesLength(count: Int, rangeCount: Int) -> Int {
        rangeCount * 4 + samplesLength(count: count) + count
    }

    /// The bytes of the index, and of everything behind it.
    var indexLength: Int { Self.indexLength(bits: indexBits) }
    var entriesLength: Int { Self.entriesLength(count: count, rangeCount: rangeCount) }

    /// How many values of an address's first bits share a group, as a power of two.
    @inline(__always)
    var groupShift: Int { max(indexBits &- Self.maximumGroupBits, 0) }

    /// The last range that begins before the addresses whose first bits are `chunk`, or 0; in a broken image any number.
    @inline(__always)
    func last(before chunk: Int) -> Int {
        assert(chunk >= 0 && chunk <= 1 << indexBits)
        // In bounds: no chunk is greater than the index bits allow, and there is one more.
        let group = UInt32(
            littleEndian: unsafe groups.loadUnaligned(fromByteOffset: chunk &>> groupShift &* 4, as: UInt32.self)
        )
        return Int(group) &+ begun(before: chunk)
    }

    /// How many ranges of its group begin before the addresses whose first bits are `chunk`.
    @inline(__always)
    func begun(before chunk: Int) -> Int {
        assert(chunk >= 0 && chunk <= 1 << indexBits)
        // In bounds: as above.
        return Int(UInt16(littleEndian: unsafe chunks.loadUnaligned(fromByteOffset: chunk &* 2, as: UInt16.self)))
    }

    /// What stands at `range`: the last bits of its first address, and its network plus one.
    @inline(__always)
    func entry(_ range: Int) -> UInt32 {
        assert(range >= 0 && range < rangeCount + Self.windowLength)
        // In bounds: the range is below the count, or at most a window behind the last one.
        return UInt32(littleEndian: unsafe ranges.loadUnaligned(fromByteOffset: range &* 4, as: UInt32.self))
    }

    /// The bits of an entry that are a number.
    @inline(__always)
    var numberMask: UInt32 { 1 &<< UInt32(truncatingIfNeeded: indexBits) &- 1 }

    /// The network of `range`, plus one, or 0.
    @inline(__always)
    func number(_ range: Int) -> Int { Int(entry(range) & numberMask) }

    /// The length of network `number` in bits.
    @inline(__always)
    func length(_ number: Int) -> Int { Int(lengthByte(number) & ~Self.sharedStart) }

    /// Whether network `number` begins where the one before it does.
    func sharesStart(_ number: Int) -> Bool { lengthByte(number) & Self.sharedStart != 0 }

    @inline(__always)
    private func lengthByte(_ number: Int) -> UInt8 {
        assert(number >= 0 && number < count)
        // In bounds: the number is below the count.
        return unsafe lengths.load(fromByteOffset: number, as: UInt8.self)
    }

    /// The range that begins where the first of the networks of `sample` does.
    func sample(_ sample: Int) -> Int {
        assert(sample >= 0 && sample * Self.networksPerSample < count)
        // In bounds: there is one for each sixteen networks.
        return Int(UInt32(littleEndian: unsafe samples.loadUnaligned(fromByteOffset: sample * 4, as: UInt32.self)))
    }
}

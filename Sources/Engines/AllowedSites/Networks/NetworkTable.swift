/// The networks of one family, found by longest prefix.
///
/// ```text
/// index    for each value of an address's first bits behind the shared ones, and one more behind the last:
///   0  4   how many networks begin before the addresses that begin with these bits
///   4  4   the narrowest network that begins before them and has them all, plus one, or 0
/// entries  for each network, in the order of addresses, the wider first:
///   0  k   its address without the shared bits, without the whole bytes that the index stands for, and without the last
///          ones, where no network has a bit
///   k  1   its length in bits, without the shared ones
///   +  3   the next wider network plus one, or 0; 4 bytes in an image of 2^24 networks
/// ```
///
/// All addresses and lengths in here are what is left of them without ``SharedBits``; ``narrowest(around:)`` takes a whole one.
///
/// A network's number is its position. The first bits lead to a handful of entries that stand side by side; the last one that
/// begins no later than the address is the narrowest network around it, or a neighbour inside of that, which knows the way.
@safe
struct NetworkTable: Sendable {
    /// The number of the family's first network among all.
    let first: Int
    let count: Int
    /// What the addresses of all networks begin with.
    let shared: SharedBits
    /// How many bits of an address the index takes.
    let indexBits: Int
    /// How many bytes of an address an entry keeps.
    let kept: Int
    /// How many bytes the number of the next wider network takes.
    let parentLength: Int
    // The image that holds the table keeps its bytes, and nobody writes to them.
    nonisolated(unsafe) let index: UnsafeRawPointer
    nonisolated(unsafe) let entries: UnsafeRawPointer

    static let indexStride = 8
    /// More would be a larger table than any list makes use of.
    static let maximumIndexBits = 20
    /// What may be read behind the last entry, and behind the last of ``NetworkRanges``.
    static let padding = 32

    var stride: Int { kept &+ 1 &+ parentLength }

    /// The bits that all networks of an index entry share and no entry repeats.
    var skippedBits: Int { indexBits & ~7 }

    /// The bytes that the index of a family takes.
    @inline(__always)
    static func indexLength(bits: Int) -> Int { ((1 << bits) + 1) * indexStride }

    /// The bytes of its index, and of its entries.
    // Inline, or opening an image would fetch a page of code for them.
    @inline(__always) var indexLength: Int { count == 0 ? 0 : Self.indexLength(bits: indexBits) }
    @inline(__always) var entriesLength: Int { count * stride }

    /// How many networks begin before the addresses whose first bits are `chunk`.
    @inline(__always)
    func begin(_ chunk: Int) -> Int {
        assert(chunk >= 0 && chunk <= 1 << indexBits)
        // In bounds: no chunk is greater than the index bits allow, and there is one more.
        return min(
            Int(UInt32(littleEndian: unsafe index.loadUnaligned(fromByteOffset: chunk &* 8, as: UInt32.self))),
            count
        )
    }

    /// The narrowest network that begins before `chunk` and has all of it, plus one, or 0.
    @inline(__always)
    func outer(_ chunk: Int) -> Int {
        assert(chunk >= 0 && chunk <= 1 << indexBits)
        return Int(UInt32(littleEndian: unsafe index.loadUnaligned(fromByteOffset: chunk &* 8 &+ 4, as: UInt32.self)))
    }

    /// The bytes of network `number` that its entry keeps.
    @inline(__always)
    func part<Part: FixedWidthInteger & BitwiseCopyable>(_ number: Int, as type: Part.Type) -> Part {
        assert(number >= 0 && number < count && Part.bitWidth <= Self.padding * 8)
        // In bounds: the number is below the count, and as many bytes as are read follow the last entry.
        let word = Part(littleEndian: unsafe entries.loadUnaligned(fromByteOffset: number &* stride, as: type))
        return word & (Part.max &>> Part(truncatingIfNeeded: Part.bitWidth &- kept &* 8))
    }

    /// The length of network `number`, without the shared bits.
    @inline(__always)
    func length(_ number: Int) -> Int {
        assert(number >= 0 && number < count)
        return Int(unsafe entries.load(fromByteOffset: number &* stride &+ kept, as: UInt8.self))
    }

    /// The next wider network around network `number`, plus one, or 0.
    @inline(__always)
    func parent(_ number: Int) -> Int {
        assert(number >= 0 && number < count)
        let offset = number &* stride &+ kept &+ 1
        let word = UInt32(littleEndian: unsafe entries.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        return Int(parentLength == 3 ? word & 0xff_ffff : word)
    }
}

extension NetworkTable {
    /// The narrowest network around an address, whose first bit is the highest one.
    ///
    /// - Complexity: O(log *n*) in the networks that share the address's first bits; four or so in a list of any size whose
    ///   networks are spread. Then a step for each network that begins before the address and ends before it, up to 128.
    @inline(__always)
    func narrowest(around address: UInt128) -> Int? {
        guard count > 0, let address = shared.rest(of: address) else { return nil }
        let high = UInt64(truncatingIfNeeded: address >> 64)
        // In two steps, since a word cannot be moved by all its bits in one.
        let chunk = Int(truncatingIfNeeded: (high &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- indexBits))
        if skippedBits &+ kept &* 8 <= 64 {
            let rest = UInt64(truncatingIfNeeded: 64 &- kept &* 8)
            return find(chunk, (high &<< UInt64(truncatingIfNeeded: skippedBits)) &>> rest)
        }
        return find(chunk, (address << UInt128(skippedBits)) >> UInt128(128 &- kept &* 8))
    }

    @inline(__always)
    private func find<Part: FixedWidthInteger & BitwiseCopyable>(_ chunk: Int, _ wanted: Part) -> Int? {
        let first = begin(chunk)
        var (last, left) = (first, begin(chunk &+ 1) &- first)
        if left > 0 {
            while left > 1 {
                let half = left &>> 1
                last = part(last &+ half, as: Part.self) <= wanted ? last &+ half : last
                left &-= half
            }
            if part(last, as: Part.self) <= wanted { return around(last, wanted) }
        }
        // In a broken image anything may stand here.
        let outer = outer(chunk)
        return outer > 0 && outer <= first ? outer &- 1 : nil
    }

    /// The narrowest network around an address among `number` and those around that.
    @inline(__always)
    private func around<Part: FixedWidthInteger & BitwiseCopyable>(_ number: Int, _ wanted: Part) -> Int? {
        assert(number >= 0 && number < count)
        var number = number
        // Networks lie inside each other no deeper than an address has bits.
        for _ in 0...128 {
            let length = length(number)
            // A network of fewer bits than the index takes has all addresses that come here.
            if length <= indexBits { return number }
            let rest = Part(truncatingIfNeeded: skippedBits &+ kept &* 8 &- length)
            if (part(number, as: Part.self) ^ wanted) &>> rest == 0 { return number }
            let parent = parent(number)
            // Wider networks stand before those inside of them, so in a broken image too there is an end.
            guard parent > 0, parent <= number else { return nil }
            number = parent &- 1
        }
        return nil
    }

    /// The whole address of network `number`, its first bit the highest one.
    func address(_ number: Int) -> UInt128 {
        var (chunk, left) = (0, 1 << indexBits)
        while left > 1 {
            let half = left / 2
            if begin(chunk + half) <= number { chunk += half }
            left -= half
        }
        return shared.address(before: rest(number, in: chunk))
    }

    /// What follows the shared bits in the address of network `number`, whose index entry is `chunk`.
    func rest(_ number: Int, in chunk: Int) -> UInt128 {
        assert(chunk >= 0 && chunk < 1 << indexBits)
        let high = UInt128(chunk >> (indexBits - skippedBits)) << UInt128(128 - skippedBits)
        return high | part(number, as: UInt128.self) << UInt128(128 - skippedBits - kept * 8)
    }
}

/// The networks of one family, for longest-prefix match.
///
/// ```text
/// index    one entry for each value of the first bits after the shared ones (a chunk), and one more at the end: 0  4
/// number of networks that begin before the first address of the chunk 4  4   narrowest network that begins before the
/// chunk and contains all of it, plus one; 0 = none entries  one for each network, sorted by address, wider networks
/// first: 0  k   the address without the shared bits, without the whole bytes that the index implies, and without
/// trailing bytes that are zero in all networks k  1   prefix length in bits, without the shared bits +  3   the next
/// wider network plus one; 0 = none (4 bytes if the image has 2^24 networks)
/// ```
///
/// Addresses and lengths in the table omit the ``SharedBits``; ``narrowest(around:)`` takes a whole address.
///
/// A network's number is its position. A lookup reads the index entry of the address, then does a binary search among the four to
/// eight networks of the chunk for the last one that begins at or before the address. That network or one of its parents is the answer.
///
/// Reads are in bounds, because `TrieImage.networkTable` compares the sizes of index and entries with their sections, a chunk has
/// `indexBits` bits, and each network number that an image names is compared with the count or with a number below it.
@safe
struct NetworkTable: Sendable {
    /// The number of the family's first network among all.
    let first: Int
    let count: Int
    /// The leading bits of all addresses.
    let shared: SharedBits
    /// The number of address bits that the index uses.
    let indexBits: Int
    /// The number of address bytes in an entry.
    let kept: Int
    /// The size of the number of the next wider network, in bytes.
    let parentLength: Int
    // The image owns these bytes and never changes them.
    nonisolated(unsafe) let index: UnsafeRawPointer
    nonisolated(unsafe) let entries: UnsafeRawPointer

    static let indexStride = 8
    /// The largest index has 2^20 entries of 8 bytes.
    static let maximumIndexBits = 20
    /// The number of readable bytes behind the last entry, here and in ``NetworkRanges``; loads may reach them.
    static let padding = 32

    var stride: Int { kept &+ 1 &+ parentLength }

    /// The number of address bits that entries omit because the index implies them.
    var skippedBits: Int { indexBits & ~7 }

    /// The size of an index in bytes.
    @inline(__always)
    static func indexLength(bits: Int) -> Int { ((1 << bits) + 1) * indexStride }

    /// The sizes of the index and of the entries in bytes.
    // Inlined, because a call would touch one more page of code when an image is opened.
    @inline(__always) var indexLength: Int { count == 0 ? 0 : Self.indexLength(bits: indexBits) }
    @inline(__always) var entriesLength: Int { count * stride }

    /// The number of networks that begin before the first address of `chunk`.
    @inline(__always)
    func begin(_ chunk: Int) -> Int {
        assert(chunk >= 0 && chunk <= 1 << indexBits)
        // In bounds: a chunk has `indexBits` bits, and the index has one more entry.
        return min(
            Int(UInt32(littleEndian: unsafe index.loadUnaligned(fromByteOffset: chunk &* 8, as: UInt32.self))),
            count
        )
    }

    /// The narrowest network that begins before `chunk` and contains all of it, plus one; 0 = none.
    @inline(__always)
    func outer(_ chunk: Int) -> Int {
        assert(chunk >= 0 && chunk <= 1 << indexBits)
        return Int(UInt32(littleEndian: unsafe index.loadUnaligned(fromByteOffset: chunk &* 8 &+ 4, as: UInt32.self)))
    }

    /// The address bytes in the entry of network `number`.
    @inline(__always)
    func part<Part: FixedWidthInteger & BitwiseCopyable>(_ number: Int, as type: Part.Type) -> Part {
        assert(number >= 0 && number < count && Part.bitWidth <= Self.padding * 8)
        // In bounds: the number is below the count, and `padding` bytes follow the last entry.
        let word = Part(littleEndian: unsafe entries.loadUnaligned(fromByteOffset: number &* stride, as: type))
        return word & (Part.max &>> Part(truncatingIfNeeded: Part.bitWidth &- kept &* 8))
    }

    /// The prefix length of network `number`, without the shared bits.
    @inline(__always)
    func length(_ number: Int) -> Int {
        assert(number >= 0 && number < count)
        return Int(unsafe entries.load(fromByteOffset: number &* stride &+ kept, as: UInt8.self))
    }

    /// The next wider network around network `number`, plus one; 0 = none.
    @inline(__always)
    func parent(_ number: Int) -> Int {
        assert(number >= 0 && number < count)
        let offset = number &* stride &+ kept &+ 1
        let word = UInt32(littleEndian: unsafe entries.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        return Int(parentLength == 3 ? word & 0xff_ffff : word)
    }
}

extension NetworkTable {
    /// The narrowest network around an address. The first bit of an IPv4 address is the highest bit here.
    ///
    /// - Complexity: O(log *n*) in the networks of the chunk, about four if networks are spread evenly. Then one step
    ///   for each nested network that begins and ends before the address, at most 128.
    @inline(__always)
    func narrowest(around address: UInt128) -> Int? {
        guard count > 0, let address = shared.rest(of: address) else { return nil }
        let high = UInt64(truncatingIfNeeded: address >> 64)
        // Two shifts, because one masking shift cannot move a word by 64 bits.
        let chunk = Int(truncatingIfNeeded: (high &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- indexBits))
        if skippedBits &+ kept &* 8 <= 64 {
            let rest = UInt64(truncatingIfNeeded: 64 &- kept &* 8)
            return find(chunk, (high &<< UInt64(truncatingIfNeeded: skippedBits)) &>> rest)
        }
        return find(chunk, (address << UInt128(skippedBits)) >> UInt128(128 &- kept &* 8))
    }

    @inline(__always)
    private func find<Part: FixedWidthInteger & BitwiseCopyable>(_ chunk: Int, _ wanted: Part) -> Int? {
        assert(chunk >= 0 && chunk < 1 << indexBits && Part.bitWidth >= kept * 8)
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
        // An image that was not validated may contain any number here.
        let outer = outer(chunk)
        return outer > 0 && outer <= first ? outer &- 1 : nil
    }

    /// The narrowest network that contains an address: `number` or one of its parents.
    @inline(__always)
    private func around<Part: FixedWidthInteger & BitwiseCopyable>(_ number: Int, _ wanted: Part) -> Int? {
        assert(number >= 0 && number < count)
        var number = number
        // Networks nest at most as deep as an address has bits.
        for _ in 0...128 {
            let length = length(number)
            // A network of fewer bits than the index uses contains the whole chunk.
            if length <= indexBits { return number }
            let rest = Part(truncatingIfNeeded: skippedBits &+ kept &* 8 &- length)
            if (part(number, as: Part.self) ^ wanted) &>> rest == 0 { return number }
            let parent = parent(number)
            // A parent has a lower number. Checking this ends the loop in an image that was not validated.
            guard parent > 0, parent <= number else { return nil }
            number = parent &- 1
        }
        return nil
    }

    /// The first address of network `number`, with the shared bits.
    func address(_ number: Int) -> UInt128 {
        assert(number >= 0 && number < count)
        var (chunk, left) = (0, 1 << indexBits)
        while left > 1 {
            let half = left / 2
            if begin(chunk + half) <= number { chunk += half }
            left -= half
        }
        return shared.address(before: rest(number, in: chunk))
    }

    /// The address of network `number` of `chunk` without the shared bits.
    func rest(_ number: Int, in chunk: Int) -> UInt128 {
        assert(chunk >= 0 && chunk < 1 << indexBits)
        let high = UInt128(chunk >> (indexBits - skippedBits)) << UInt128(128 - skippedBits)
        return high | part(number, as: UInt128.self) << UInt128(128 - skippedBits - kept * 8)
    }
}

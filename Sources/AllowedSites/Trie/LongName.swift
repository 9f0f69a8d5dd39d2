/// A host name of any length as words of 64 bits, laid out as in ``PackedName``, with the hashes of its beginnings.
///
/// For the few names that do not fit into four words, and for walks beyond the first place that is found.
@safe
struct LongName {
    /// Words of the name; behind them the hashes, of which the one at *i* covers words 0 to *i*; behind them the dots, of
    /// which bit *i* stands for byte *i* counted from the end of the name.
    private let storage: UnsafeMutableBufferPointer<UInt64>
    let count: Int

    /// How many words the longest name takes: 253 bytes of six bits and two bits.
    private static let wordCount = 24
    private static let firstHash = wordCount + 1
    private static let firstDots = firstHash + wordCount
    private static let dotWords = 4

    /// The longest name in bytes, as `Hostname` has it.
    static let maximumLength = 253

    /// Calls `body` with the packed name.
    ///
    /// - Precondition: `1...maximumLength` contains `name.count`.
    @inline(__always)
    static func with<Result>(
        _ name: UnsafeRawBufferPointer,
        _ hash: KeyHash,
        _ body: (borrowing LongName) -> Result
    ) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: firstDots + dotWords) { storage in
            unsafe body(LongName(name, hash, storage))
        }
    }

    private init(_ name: UnsafeRawBufferPointer, _ hash: KeyHash, _ storage: UnsafeMutableBufferPointer<UInt64>) {
        unsafe self.storage = storage
        count = name.count
        precondition(count > 0 && count <= Self.maximumLength)
        // In bounds from here on: the longest name has 1520 bits, and the words hold 1536 and one more.
        for word in 0..<Self.dotWords { unsafe storage[Self.firstDots + word] = 0 }
        let words = max((count * 6 + 65) / 64, 3)
        for word in 0...words { unsafe storage[word] = 0 }
        for (index, start) in stride(from: 0, to: count, by: 8).enumerated() {
            let bytes = unsafe Self.eight(name, before: count - start)
            unsafe storage[Self.firstDots + start / 64] |= UInt64(PackedName.dots(bytes)) << UInt64(start % 64)
            let (packed, bit) = (PackedName.packed(bytes), index * 48 + 2)
            unsafe storage[bit / 64] |= packed << UInt64(bit % 64)
            // Nothing is left for the next word where all 48 bits fit, and the shift then yields zero.
            if bit % 64 > 16 { unsafe storage[bit / 64 + 1] |= packed >> UInt64(64 - bit % 64) }
        }
        unsafe storage[Self.firstHash + 1] = fold(storage[0] ^ hash.first, storage[1] ^ hash.second)
        for word in 2..<words {
            unsafe storage[Self.firstHash + word] = hash.next(storage[Self.firstHash + word - 1], storage[word])
        }
    }

    /// The up to eight bytes before `end`, the last one in the lowest byte; the rest is zero.
    @inline(__always)
    private static func eight(_ name: UnsafeRawBufferPointer, before end: Int) -> UInt64 {
        if end >= 8 {
            return UInt64(bigEndian: unsafe name.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self))
        }
        var word: UInt64 = 0
        for index in 0..<end { word = word << 8 | UInt64(unsafe name[index]) }
        return word
    }

    /// Word `index` of the last `length` bytes.
    @inline(__always)
    func word(_ index: Int, ofSuffix length: Int) -> UInt64 {
        // In bounds: no suffix is longer than the name, and no key has more words than it takes.
        unsafe PackedName.lowest(length * 6 + 2 - index * 64, of: storage[index])
    }

    /// The hash of the last `length` bytes.
    @inline(__always)
    func hash(ofSuffix length: Int, _ hash: KeyHash) -> UInt64 {
        let last = max((length * 6 + 1) / 64, 2)
        if last == 2 {
            return hash(word(0, ofSuffix: length), word(1, ofSuffix: length), word(2, ofSuffix: length))
        }
        return unsafe hash.next(storage[Self.firstHash + last - 1], word(last, ofSuffix: length))
    }

    /// The length of the longest suffix of whole labels with less than `length` bytes, or `nil`.
    func nextSuffix(below length: Int) -> Int? {
        var word = min(length, count) / 64
        var kept = ~(~0 << UInt64(min(length, count) % 64)) as UInt64
        while true {
            let dots = unsafe storage[Self.firstDots + word] & kept
            if dots != 0 { return word * 64 + 63 - dots.leadingZeroBitCount }
            if word == 0 { return nil }
            word -= 1
            kept = ~0
        }
    }

    /// The length of the last `labels` labels, or of the whole name where it has no more.
    func length(ofLabels labels: Int) -> Int {
        var left = labels
        for word in 0..<Self.dotWords {
            var dots = unsafe storage[Self.firstDots + word]
            while dots != 0 {
                left -= 1
                if left == 0 { return word * 64 + dots.trailingZeroBitCount }
                dots &= dots - 1
            }
        }
        return count
    }
}

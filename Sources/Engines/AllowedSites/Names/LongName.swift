internal import CNameLanes

/// A host name of any length in 64-bit words, laid out as in ``PackedName``, with a hash of each prefix of words.
///
/// Used for names of more than 42 bytes, and for the walk to wider nodes after the first node.
///
/// Accesses are in bounds, because the memory has room for the longest name, `init` checks the length of the name, and callers pass
/// ``count``, or lengths of suffixes that ``suffixes(below:)`` or ``length(ofLabels:)`` gave. A slot reads the first four words, which exist
/// whatever the length. ``with(_:_:_:)`` only lends the memory.
@safe
struct LongName {
    /// ```text
    /// words    24  the name, and one more word that a load may reach
    /// hashes   24  hash i covers words 0 to i
    /// dots      4  bit i: byte i, counted from the end of the name, is a dot
    /// ```
    private let storage: UnsafeMutableBufferPointer<UInt64>
    let count: Int

    /// The number of words of the longest name: 253 bytes of six bits, and two flag bits.
    private static let wordCount = 24
    private static let firstHash = wordCount + 1
    private static let firstDots = firstHash + wordCount
    private static let dotWords = 4
    /// The number of bytes that are packed in one step.
    private static let pieceLength = 32

    /// The longest name in bytes, as in `Hostname`.
    static let maximumLength = 253

    /// Calls `body` with the packed name.
    ///
    /// - Precondition: `1...maximumLength` contains `name.count`.
    @inline(__always)
    static func with<Result>(
        _ name: Span<UInt8>,
        _ hash: KeyHash,
        _ body: (borrowing LongName) -> Result
    ) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: firstDots + dotWords) { storage in
            unsafe body(LongName(name, hash, storage))
        }
    }

    private init(_ name: Span<UInt8>, _ hash: KeyHash, _ storage: UnsafeMutableBufferPointer<UInt64>) {
        assert(storage.count >= Self.firstDots + Self.dotWords)
        unsafe self.storage = storage
        count = name.count
        precondition(count > 0 && count <= Self.maximumLength)
        // In bounds: the longest name has 1520 bits. The words hold 1536 bits, and one spare word follows.
        for word in 0..<Self.dotWords { unsafe storage[Self.firstDots + word] = 0 }
        let words = max((count * 6 + 65) / 64, 3)
        assert(words <= Self.wordCount)
        unsafe storage[0] = 0
        // 32 bytes take three words and two bits of the next one, because two flag bits precede the first byte.
        for (index, behind) in stride(from: 0, to: count, by: Self.pieceLength).enumerated() {
            let length = min(count &- behind, Self.pieceLength)
            let end = count &- behind
            let bytes = unsafe name.extracting(unchecked: Range(uncheckedBounds: (end &- length, end)))
            guard let piece = PackedName(bytes) else { preconditionFailure("a piece has 1 to 32 bytes") }
            assert(length > 0 && index &* 3 &+ 3 <= Self.wordCount)
            let word = index &* 3
            unsafe storage[word] |= piece.words.low
            unsafe storage[word &+ 1] = piece.words.middle
            unsafe storage[word &+ 2] = piece.words.high
            unsafe storage[word &+ 3] = piece.words.top
            unsafe storage[Self.firstDots &+ behind / 64] |= piece.dots << UInt64(behind % 64)
        }
        unsafe storage[Self.firstHash + 1] = fold(storage[0] ^ hash.first, storage[1] ^ hash.second)
        for word in 2..<words {
            unsafe storage[Self.firstHash + word] = hash.next(storage[Self.firstHash + word - 1], storage[word])
        }
    }

    /// Word `index` of the last `length` bytes.
    @inline(__always)
    func word(_ index: Int, ofSuffix length: Int) -> UInt64 {
        assert(index >= 0 && index < Self.wordCount && length <= count)
        // In bounds: a suffix is at most as long as the name, and the caller asks for words of the suffix only.
        return unsafe PackedName.lowest(length * 6 + 2 - index * 64, of: storage[index])
    }

    /// The hash of the last `length` bytes.
    @inline(__always)
    func hash(ofSuffix length: Int, _ hash: KeyHash) -> UInt64 {
        assert(length > 0 && length <= count)
        let highest = length &* 6 &+ 1
        let last = highest &>> 6
        if last <= 2 {
            return hash(word(0, ofSuffix: length), word(1, ofSuffix: length), word(2, ofSuffix: length))
        }
        assert(last < Self.wordCount)
        // In bounds: a suffix is at most as long as the name.
        let word = unsafe storage[last] & (~0 &>> UInt64(truncatingIfNeeded: 63 &- (highest & 63)))
        return unsafe hash.next(storage[Self.firstHash &+ last &- 1], word)
    }

    /// The suffixes of whole labels with fewer than `length` bytes.
    @inline(__always)
    func suffixes(below length: Int) -> Suffixes {
        assert(length >= 0)
        let bit = min(length, count)
        assert(bit >> 6 < Self.dotWords)
        // In bounds: a name has fewer than 256 bytes, and the dots have one bit for each.
        let words = unsafe UnsafePointer(storage.baseAddress.unsafelyUnwrapped)
        let dots = unsafe words + Self.firstDots
        let rest = unsafe dots[bit &>> 6] & ~(~0 &<< UInt64(truncatingIfNeeded: bit & 63))
        var labels = rest.nonzeroBitCount
        for word in 0..<bit &>> 6 { labels &+= unsafe dots[word].nonzeroBitCount }
        return unsafe Suffixes(
            walk: sallyport_parents(
                words: words,
                hashes: words + Self.firstHash,
                dots: dots,
                dot_word: bit &>> 6,
                dots_left: rest,
                labels: UInt64(labels)
            )
        )
    }

    /// The suffixes of a name, longest first; valid while the name is.
    @safe
    struct Suffixes {
        fileprivate var walk: sallyport_parents

        /// The number of bytes and of labels of the next suffix.
        @inline(__always)
        mutating func next() -> (length: Int, labels: Int)? {
            while unsafe walk.dots_left == 0 {
                guard unsafe walk.dot_word > 0 else { return nil }
                unsafe walk.dot_word &-= 1
                unsafe walk.dots_left = walk.dots[walk.dot_word]
            }
            let highest = unsafe 63 &- walk.dots_left.leadingZeroBitCount
            unsafe walk.dots_left &= ~(1 &<< UInt64(truncatingIfNeeded: highest))
            assert(unsafe walk.labels > 0, "each dot ends a label")
            unsafe walk.labels &-= 1
            return unsafe (walk.dot_word &<< 6 | highest, Int(truncatingIfNeeded: walk.labels) &+ 1)
        }

        /// The next suffix with at least 32 bytes, more than ``LabelCounts/shared`` labels and a wildcard key in the
        /// filter: its length and that key. `nil` if the next suffix is shorter or the walk is at its end.
        @inline(__always)
        mutating func nextDeep(_ wanted: inout WantedParents) -> (length: Int, key: UInt64)? {
            let found = unsafe sallyport_next_parent(&walk, &wanted.parents, UInt64(LabelCounts.shared))
            return found.length > 0 ? (found.length, found.key) : nil
        }
    }

    /// The wildcards that an image may have; valid while the image is.
    @safe
    struct WantedParents {
        fileprivate var parents: sallyport_wanted

        /// Wildcards above names whose numbers of labels are `labels`, as far as the Bloom filter at `filter` has them.
        init(filter: UnsafeRawPointer, filterWords: UInt32, _ labels: LabelCounts, multiplier: UInt64) {
            unsafe parents = sallyport_wanted(
                filter: filter.assumingMemoryBound(to: UInt64.self),
                filter_words: UInt64(filterWords),
                counts: (labels.low, labels.high),
                multiplier: multiplier,
                below: KeyHash.below(0)
            )
        }
    }

    /// The length of the last `labels` labels in bytes, or of the whole name if it has fewer.
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

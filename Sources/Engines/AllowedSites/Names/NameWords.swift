internal import CNameLanes

/// The four words of a packed name or of a suffix of it; unused bits are zero.
struct NameWords: Equatable {
    var low: UInt64
    var middle: UInt64
    var high: UInt64
    var top: UInt64

    init(low: UInt64, middle: UInt64, high: UInt64, top: UInt64) {
        (self.low, self.middle, self.high, self.top) = (low, middle, high, top)
    }

    /// The longest name that fits into three words.
    static let lengthInThreeWords = 31

    @inline(__always)
    static func & (words: NameWords, mask: NameWords) -> NameWords {
        NameWords(
            low: words.low & mask.low,
            middle: words.middle & mask.middle,
            high: words.high & mask.high,
            top: words.top & mask.top
        )
    }

    @inline(__always)
    private init(_ words: sallyport_name_words) {
        self.init(low: words.low, middle: words.middle, high: words.high, top: words.top)
    }

    /// The mask for the last `length` bytes of a name.
    ///
    /// - Precondition: `0...PackedName.maximumLength` contains `length`; not checked.
    @inline(__always)
    static func suffixMask(_ length: Int) -> NameWords {
        assert(length >= 0 && length <= PackedName.maximumLength)
        return NameWords(sallyport_suffix_mask(length))
    }

    /// The mask for a key of `length` bytes.
    ///
    /// - Precondition: `0...32` contains `length`; not checked.
    @inline(__always)
    static func keyMask(_ length: Int) -> NameWords {
        assert(length >= 0 && length <= 32, "four words")
        return NameWords(sallyport_key_mask(length))
    }

    /// The `bits` lowest bits set.
    static func mask(bits: Int) -> NameWords {
        NameWords(
            low: PackedName.lowest(bits, of: ~0),
            middle: PackedName.lowest(bits - 64, of: ~0),
            high: PackedName.lowest(bits - 128, of: ~0),
            top: PackedName.lowest(bits - 192, of: ~0)
        )
    }
}

internal import CNameLanes

/// A host name of up to 42 bytes as one number, six bits a byte, the last byte of the name in the lowest bits.
///
/// ```text
/// bits   key in an image                               query
/// 0      1: the key is for the names below the name    0
/// 1      1: the node has a rule list                   0
/// 2…7    the last byte of the name                     the same
/// 8…13   the byte before it, and so on                 the same
/// ```
///
/// The six bits are the lower five bits of the byte and its bit 6. All bytes of a host differ in them (`a` to `z`, `0`
/// to `9`, `-`, `.`, `_`), none is zero, and upper case equals lower case. A parent of a name is a mask of its low
/// bits.
///
/// Reads are in bounds, because ``init(_:)`` checks the length of the name, and each load lies between the ends of the span.
struct PackedName {
    var words: NameWords
    /// Bit *i* is set if byte *i*, counted from the end of the name, is a dot.
    var dots: UInt64

    /// The longest name that four words hold.
    static let maximumLength = 42

    /// Packs a name, or returns `nil` if it is empty or has more than ``maximumLength`` bytes.
    ///
    /// - Precondition: the bytes are a host name. Other bytes may have the six bits of a valid byte.
    @inline(__always)
    init?(_ name: Span<UInt8>) {
        let count = name.count
        guard count > 0, count <= Self.maximumLength else { return nil }
        #if arch(x86_64)
            if sallyport_name_lanes_run_here() != 0 {
                var rest = sallyport_packed_rest()
                // In bounds: C reads `count` bytes. The closure has only the call, so that it is inlined.
                let end = unsafe name.withUnsafeBytes { name in
                    unsafe sallyport_pack_name(name.baseAddress, count, &rest)
                }
                words = NameWords(low: end.low, middle: end.middle, high: rest.high, top: rest.top)
                dots = rest.dots
            } else {
                self = .portable(name)
            }
        #else
            self.init(portable: name)
        #endif
        assert(dots >> UInt64(count) == 0, "bytes outside the name are no dots")
    }

    /// For processors without the instructions of `CNameLanes`; not inlined, because nearly all processors have them.
    @inline(never)
    private static func portable(_ name: Span<UInt8>) -> PackedName {
        PackedName(portable: name)
    }

    /// Packs 1 to ``maximumLength`` bytes, eight at a time, without special instructions.
    @inline(__always)
    init(portable name: Span<UInt8>) {
        let count = name.count
        assert(count > 0 && count <= Self.maximumLength)
        let (c0, c1, c2, c3): (UInt64, UInt64, UInt64, UInt64)
        if count >= 8 {
            (c0, c1) = (Self.lastEight(name), Self.eight(name, before: count &- 8))
            (c2, c3) = (Self.eight(name, before: count &- 16), Self.eight(name, before: count &- 24))
        } else {
            c0 = Self.few(name)
            (c1, c2, c3) = (0, 0, 0)
        }
        dots = UInt64(Self.dots(c0) | Self.dots(c1) << 8 | Self.dots(c2) << 16 | Self.dots(c3) << 24)
        let (p0, p1, p2, p3) = (Self.packed(c0), Self.packed(c1), Self.packed(c2), Self.packed(c3))
        words = NameWords(low: p0 << 2 | p1 << 50, middle: p1 >> 14 | p2 << 34, high: p2 >> 30 | p3 << 18, top: 0)
        if count > NameWords.lengthInThreeWords {
            let c4 = Self.eight(name, before: count &- 32)
            let c5 = Self.eight(name, before: count &- 40)
            dots |= UInt64(Self.dots(c4) | Self.dots(c5) << 8) << 32
            words.top = p3 >> 46 | Self.packed(c4) << 2 | Self.packed(c5) << 50
        }
    }

    /// The last eight bytes, the last one in the lowest byte.
    @inline(__always)
    private static func lastEight(_ name: Span<UInt8>) -> UInt64 {
        assert(name.count >= 8)
        // In bounds: the caller checked that the name has eight bytes.
        let word = unsafe name.bytes.unsafeLoadUnaligned(fromByteOffset: name.count &- 8, as: UInt64.self)
        return UInt64(bigEndian: word)
    }

    /// Up to eight bytes before `end`; bytes before the start of the name count as zero.
    @inline(__always)
    private static func eight(_ name: Span<UInt8>, before end: Int) -> UInt64 {
        assert(end <= name.count - 8, "eight bytes of the name follow")
        let start = end &- 8
        // In bounds: the name has eight bytes, and the load starts at its first byte at the earliest.
        let word = unsafe name.bytes.unsafeLoadUnaligned(fromByteOffset: max(start, 0), as: UInt64.self)
        return UInt64(bigEndian: word) >> UInt64(min(max(0, -start), 8) &* 8)
    }

    /// A name of fewer than eight bytes.
    @inline(__always)
    private static func few(_ name: Span<UInt8>) -> UInt64 {
        var word: UInt64 = 0
        assert(name.count < 8)
        for offset in name.indices { word = word << 8 | UInt64(name[offset]) }
        return word
    }

    /// The six bits of each of eight bytes, concatenated.
    @inline(__always)
    static func packed(_ bytes: UInt64) -> UInt64 {
        var bits = bytes & 0x1f1f_1f1f_1f1f_1f1f | bytes >> 1 & 0x2020_2020_2020_2020
        bits = bits & 0x003f_003f_003f_003f | bits >> 2 & 0x0fc0_0fc0_0fc0_0fc0
        bits = bits & 0x0000_0fff_0000_0fff | bits >> 4 & 0x00ff_f000_00ff_f000
        return bits & 0xff_ffff | bits >> 8 & 0xffff_ff00_0000
    }

    /// One bit for each of eight bytes: 1 for a dot.
    @inline(__always)
    static func dots(_ bytes: UInt64) -> UInt32 {
        let different = bytes ^ 0x2e2e_2e2e_2e2e_2e2e
        let isDot = ~((different & 0x7f7f_7f7f_7f7f_7f7f) &+ 0x7f7f_7f7f_7f7f_7f7f | different) & 0x8080_8080_8080_8080
        return UInt32(truncatingIfNeeded: ((isDot >> 7) &* 0x0102_0408_1020_4080) >> 56)
    }

    /// The `bits` lowest bits of `word`; 0 if `bits` is negative, all bits if it is above 63.
    @inline(__always)
    static func lowest(_ bits: Int, of word: UInt64) -> UInt64 {
        let kept = word & ~(~0 &<< UInt64(truncatingIfNeeded: bits))
        return bits >= 64 ? word : bits > 0 ? kept : 0
    }

    /// The byte with these six bits, or `nil`.
    static func byte(of bits: UInt8) -> UInt8? {
        switch bits {
        case 0x0d, 0x0e, 0x10...0x19: bits | 0x20
        case 0x21...0x3a: bits & 0x1f | 0x60
        case 0x3f: UInt8(ascii: "_")
        default: nil
        }
    }
}

/// The code of names in the compact layout: each byte in as few bits as its frequency behind the byte before it asks for.
///
/// A name is coded from its last byte to its first one, and a byte's code depends on the one that stands behind it, so the
/// few last labels that most names share take a few bits. No code is longer than eleven bits, and codes are canonical: the
/// image keeps their lengths, half a byte each, and the codes follow from them.
///
/// A coded name is a number of up to four words:
///
/// ```text
/// bit 0      whether a key stands for the names below it
/// bit 1      whether the code would not fit, and the name stands here as in ``PackedName``
/// from bit 2 the codes, the last byte of the name first, and behind them one bit that is set
/// ```
@safe
final class HuffmanCode: @unchecked Sendable {
    /// For each byte and the one before it, the byte in the upper six bits of the index: the code (11 bits), its first bit
    /// lowest, above a bit that is set where there is none, above its length (4 bits).
    let table: UnsafeMutablePointer<UInt16>
    /// For each byte before: how many codes of 0, 1, … 15 bits there are, and the bytes in the order of their codes.
    private(set) var counts = [UInt8](repeating: 0, count: contextCount * 16)
    private(set) var symbols = [UInt8](repeating: 0, count: contextCount * contextCount)

    static let contextCount = 64
    static let maximumLength = 11
    /// Set in the entries of bytes that stand behind a byte in no name.
    private static let absent: UInt16 = 16
    /// The bytes that the lengths of all codes take in an image.
    static let storedLength = contextCount * contextCount / 2
    /// The bytes of the longest coded name.
    static let maximumKeyLength = 32
    /// A shorter name takes as much, so that all have a whole word to be mixed.
    static let minimumKeyLength = 8

    /// Makes codes of these lengths, or `nil` where there are no such codes.
    ///
    /// - Parameter lengths: by the byte before and the byte, each as six bits; 0 for none.
    init?(lengths: (Int) -> Int) {
        unsafe table = .allocate(capacity: Self.contextCount * Self.contextCount)
        unsafe table.initialize(repeating: Self.absent, count: Self.contextCount * Self.contextCount)
        // What stands behind a name has no code and does no harm.
        for context in 0..<Self.contextCount { unsafe table[context] = 0 }
        for context in 0..<Self.contextCount {
            var next = 0
            var taken = 0
            for length in 1...15 {
                next <<= 1
                for symbol in 0..<Self.contextCount where lengths(context << 6 | symbol) == length {
                    guard symbol > 0, length <= Self.maximumLength, next < 1 << length else { return nil }
                    assert(context < Self.contextCount && symbol < Self.contextCount && taken < Self.contextCount)
                    let reversed = UInt16(truncatingIfNeeded: next).bitReversed >> UInt16(16 - length)
                    // In bounds: both indexes have six bits.
                    unsafe table[symbol << 6 | context] = reversed << 5 | UInt16(length)
                    symbols[context << 6 | taken] = UInt8(symbol)
                    counts[context << 4 | length] += 1
                    (next, taken) = (next + 1, taken + 1)
                }
            }
        }
    }

    /// The length of a code, by the byte before and the byte, each as six bits.
    func length(_ index: Int) -> Int {
        precondition(index >= 0 && index < Self.contextCount * Self.contextCount)
        return unsafe Int(table[(index % Self.contextCount) << 6 | index / Self.contextCount] & 15)
    }

    deinit { unsafe table.deallocate() }
}

/// A coded name, and how many bits it takes.
struct CodedName {
    var words: NameWords
    let bits: Int

    /// The bytes of a key for it, before it is told which slot it has.
    var keyLength: Int { max((bits &+ 7) &>> 3, HuffmanCode.minimumKeyLength) }
}

extension HuffmanCode {
    /// The code of the name of `length` bytes in `name`, or `nil`: then it has bytes in an order that no name of the list has.
    ///
    /// - Precondition: `1...PackedName.maximumLength` contains `length`.
    @inline(__always)
    func code(_ name: NameWords, length: Int, isBelow: Bool) -> CodedName? {
        assert(length > 0 && length <= PackedName.maximumLength)
        var writer = CodeWriter(isBelow: isBelow)
        // Each byte stands above the one behind it in the name, and below the last one stand zeros. The first
        // words hold 21 bytes and two bits below them, the others 21 bytes.
        let first = UInt128(name.middle) << 64 | UInt128(name.low)
        let second = UInt128(name.top) << 64 | UInt128(name.high)
        var seen = append(first << 4, length, &writer)
        if length > 20 { seen |= append(second << 12 | first >> 116, length &- 20, &writer) }
        if length > 40 { seen |= append(second >> 108, length &- 40, &writer) }
        if seen & Self.absent != 0 { return nil }
        writer.append(1, bits: 1)
        if let coded = writer.finish() { return coded }
        let flags: UInt64 = isBelow ? 3 : 2
        return CodedName(
            words: NameWords(low: name.low | flags, middle: name.middle, high: name.high, top: name.top),
            bits: length &* 6 &+ 2
        )
    }

    /// Appends the codes of up to 20 bytes, each in the six bits above those of the byte that was coded before it; returns all
    /// bits of the entries that it met.
    @inline(__always)
    private func append(_ windows: UInt128, _ length: Int, _ writer: inout CodeWriter) -> UInt16 {
        var seen: UInt16 = 0
        var rest = windows
        var left = min(length, 20)
        while left > 0 {
            // Behind the end of a name there are zeros, whose codes have no bits, so four steps do no harm.
            var window = UInt64(truncatingIfNeeded: rest)
            var (codes, bits) = (UInt64(0), UInt64(0))
            for _ in 0..<4 {
                // In bounds: twelve bits.
                let entry = unsafe table[Int(truncatingIfNeeded: window & 0xfff)]
                seen |= entry
                codes |= UInt64(entry &>> 5) &<< bits
                bits &+= UInt64(entry & 15)
                window &>>= 6
            }
            writer.append(codes, bits: Int(truncatingIfNeeded: bits))
            rest &>>= 24
            left &-= 4
        }
        return seen
    }

    /// The name that has this code, or `nil` if there is none.
    func name(_ words: NameWords) -> (bytes: [UInt8], isBelow: Bool)? {
        let isBelow = words.low & 1 != 0
        let reversed = words.low & 2 != 0 ? plainName(words) : codedName(words)
        return reversed.map { ($0.reversed(), isBelow) }
    }

    private func plainName(_ words: NameWords) -> [UInt8]? {
        var name: [UInt8] = []
        for bit in stride(from: 2, to: 254, by: 6) {
            let bits = (words.bit(bit..<bit + 6))
            if bits == 0 { break }
            guard let byte = PackedName.byte(of: UInt8(bits)) else { return nil }
            name.append(byte)
        }
        return name.isEmpty ? nil : name
    }

    private func codedName(_ words: NameWords) -> [UInt8]? {
        var name: [UInt8] = []
        let end = words.length - 1
        var (bit, context) = (2, 0)
        while bit < end {
            var (code, first, taken, length) = (0, 0, 0, 0)
            // Canonical codes of one length are neighbours, and behind them begin those of the next length.
            while true {
                guard bit < end, length < Self.maximumLength else { return nil }
                length += 1
                code = code << 1 | words.bit(bit..<bit + 1)
                bit += 1
                let count = Int(counts[context << 4 | length])
                if code - first < count { break }
                (first, taken) = ((first + count) << 1, taken + count)
            }
            let symbol = symbols[context << 6 | (taken + code - first)]
            guard let byte = PackedName.byte(of: symbol) else { return nil }
            name.append(byte)
            context = Int(symbol)
        }
        return name.isEmpty ? nil : name
    }
}

/// Codes one behind the other, as long as they fit into four words.
private struct CodeWriter {
    private var words = NameWords(low: 0, middle: 0, high: 0, top: 0)
    private var pending: UInt64
    private var pendingBits = 2
    private var full = 0

    @inline(__always)
    init(isBelow: Bool) { pending = isBelow ? 1 : 0 }

    @inline(__always)
    mutating func append(_ code: UInt64, bits: Int) {
        assert(bits >= 0 && bits <= 4 * HuffmanCode.maximumLength && pendingBits < 64)
        pending |= code &<< UInt64(truncatingIfNeeded: pendingBits)
        pendingBits &+= bits
        guard pendingBits >= 64 else { return }
        store()
        pendingBits &-= 64
        // What did not fit; nothing where all did, since four codes are shorter than a word.
        pending = code &>> UInt64(truncatingIfNeeded: bits &- pendingBits)
    }

    @inline(__always)
    private mutating func store() {
        switch full {
        case 0: words.low = pending
        case 1: words.middle = pending
        case 2: words.high = pending
        default: words.top = pending
        }
        full &+= 1
    }

    /// The coded name, if it fits.
    @inline(__always)
    consuming func finish() -> CodedName? {
        let bits = full &* 64 &+ pendingBits
        guard bits <= 256 else { return nil }
        if pendingBits > 0 { store() }
        return CodedName(words: words, bits: bits)
    }
}

extension NameWords {
    /// The number in the bits at `range`, of which there are no more than six; those behind the last word are zero.
    fileprivate func bit(_ range: Range<Int>) -> Int {
        var result = 0
        for (index, bit) in range.enumerated() where bit < 256 {
            let word = bit < 64 ? low : bit < 128 ? middle : bit < 192 ? high : top
            result |= Int(word >> UInt64(bit % 64) & 1) << index
        }
        return result
    }

    /// One more than the position of the highest bit that is set.
    fileprivate var length: Int {
        if top != 0 { return 256 - top.leadingZeroBitCount }
        if high != 0 { return 192 - high.leadingZeroBitCount }
        return middle != 0 ? 128 - middle.leadingZeroBitCount : 64 - low.leadingZeroBitCount
    }
}

extension UInt16 {
    fileprivate var bitReversed: UInt16 {
        var (rest, result) = (self, UInt16(0))
        for _ in 0..<16 {
            result = result << 1 | rest & 1
            rest >>= 1
        }
        return result
    }
}

/// The Huffman code of names in the compact layout. The code of a byte depends on the byte that follows it in the name.
///
/// A name is coded from its last byte to its first. The frequent last labels therefore take few bits: `.com` takes
/// five. Codes have at most eleven bits and are canonical, so the image stores only their lengths, half a byte each.
///
/// A coded name is a number of up to four words:
///
/// ```text
/// bit 0      1: the key is for the names below the name bit 1      1: the code has more than 256 bits, so the name is
/// stored as in PackedName from bit 2 the codes, the last byte of the name first, then one 1 bit that marks the end
/// ```
///
/// Accesses are in bounds, because the table has an entry for each number of twelve bits, and each index is masked to them or checked.
@safe
final class HuffmanCode: @unchecked Sendable {
    /// The codes, indexed by the byte (upper six bits of the index) and the byte that follows it in the name (lower six
    /// bits, the context):
    ///
    /// ```text
    /// bits 0…3   length of the code
    /// bit  4     1: the list has no name with these two bytes
    /// bits 5…15  the code, its first bit lowest
    /// ```
    let table: UnsafeMutablePointer<UInt16>
    /// For each context: the number of codes of 0, 1, … 15 bits, and the bytes in the order of their codes.
    private(set) var counts = [UInt8](repeating: 0, count: contextCount * 16)
    private(set) var symbols = [UInt8](repeating: 0, count: contextCount * contextCount)

    static let contextCount = 64
    static let maximumLength = 11
    /// The mark of an entry without a code.
    private static let absent: UInt16 = 16
    /// The size of all lengths in an image, in bytes.
    static let storedLength = contextCount * contextCount / 2
    /// The longest coded name in bytes.
    static let maximumKeyLength = 32
    /// The shortest key in bytes; shorter names are padded, because mixing needs one whole word.
    static let minimumKeyLength = 8

    /// Makes the canonical codes of these lengths, or `nil` if the lengths are not those of a prefix-free code.
    ///
    /// - Parameter lengths: the length for context and byte, six bits each; 0 if the byte has no code.
    init?(lengths: (Int) -> Int) {
        unsafe table = .allocate(capacity: Self.contextCount * Self.contextCount)
        unsafe table.initialize(repeating: Self.absent, count: Self.contextCount * Self.contextCount)
        // The zeros before the first byte of a name get an empty code, so reading them changes nothing.
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

    /// The length of a code, by context and byte, six bits each.
    func length(_ index: Int) -> Int {
        Int(entry(index % Self.contextCount, before: index / Self.contextCount) & 15)
    }

    /// The entry of a byte and the byte that follows it, six bits each.
    func entry(_ symbol: Int, before context: Int) -> UInt16 {
        precondition((0..<Self.contextCount).contains(symbol) && (0..<Self.contextCount).contains(context))
        return unsafe table[symbol << 6 | context]
    }

    deinit { unsafe table.deallocate() }
}

/// A coded name and its length in bits.
struct CodedName {
    var words: NameWords
    let bits: Int

    /// The length of its key in bytes, before quotienting.
    var keyLength: Int { max((bits &+ 7) &>> 3, HuffmanCode.minimumKeyLength) }
}

extension HuffmanCode {
    /// The code of the name of `length` bytes in `name`. `nil` if two neighbouring bytes occur in no name of the list;
    /// then the list does not have the name.
    ///
    /// - Precondition: `1...PackedName.maximumLength` contains `length`.
    @inline(__always)
    func code(_ name: NameWords, length: Int, isBelow: Bool) -> CodedName? {
        assert(length > 0 && length <= PackedName.maximumLength)
        var writer = CodeWriter(isBelow: isBelow)
        // Each byte lies above the byte that follows it, and below the last byte lie zeros. The first two words hold 21
        // bytes and two flag bits, the others 21 bytes.
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

    /// Appends the codes of up to 20 bytes; each byte lies in the six bits above its context. Returns the entries
    /// combined by OR.
    @inline(__always)
    private func append(_ windows: UInt128, _ length: Int, _ writer: inout CodeWriter) -> UInt16 {
        var seen: UInt16 = 0
        var rest = windows
        var left = min(length, 20)
        while left > 0 {
            // Four bytes a turn. Zeros before the start of the name have codes of no bits.
            var window = UInt64(truncatingIfNeeded: rest)
            var (codes, bits) = (UInt64(0), UInt64(0))
            for _ in 0..<4 {
                // In bounds: the index has twelve bits, and the table 4096 entries.
                let entry = unsafe table[Int(truncatingIfNeeded: window & 0xfff)]
                assert(entry == Self.absent || Int(entry & 15) <= Self.maximumLength)
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

    /// The name with this code, or `nil` if the code is invalid.
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
            // Canonical codes of one length are consecutive; the codes of the next length follow.
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

/// Concatenates codes in up to four words.
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
        // The bits that did not fit into the word. Four codes have at most 44 bits, so at most one word is completed.
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

    /// The coded name, or `nil` if it has more than 256 bits.
    @inline(__always)
    consuming func finish() -> CodedName? {
        assert(pendingBits >= 0 && pendingBits < 64, "`append` stores each full word")
        let bits = full &* 64 &+ pendingBits
        guard bits <= 256 else { return nil }
        if pendingBits > 0 { store() }
        return CodedName(words: words, bits: bits)
    }
}

extension NameWords {
    /// The number in the bits of `range`, at most six bits; bits behind the last word are zero.
    fileprivate func bit(_ range: Range<Int>) -> Int {
        var result = 0
        for (index, bit) in range.enumerated() where bit < 256 {
            let word = bit < 64 ? low : bit < 128 ? middle : bit < 192 ? high : top
            result |= Int(word >> UInt64(bit % 64) & 1) << index
        }
        return result
    }

    /// The position of the highest 1 bit plus one.
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

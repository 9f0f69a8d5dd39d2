/// One element of BER: a tag and contents.
struct BERElement: Equatable {
    /// The identifier byte: class, primitive or constructed, number.
    let tag: UInt8
    let contents: Range<Int>
}

/// The identifier bytes (X.690 8.1.2) in PKCS#12 and private keys.
enum BERTag {
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let objectIdentifier: UInt8 = 0x06
    static let bmpString: UInt8 = 0x1E
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
    /// Context-specific, constructed, number 0.
    static let context0: UInt8 = 0xA0
    /// Context-specific, primitive, number 0.
    static let implicit0: UInt8 = 0x80
    /// Context-specific, constructed, number 1.
    static let context1: UInt8 = 0xA1
    /// The bit of a constructed element.
    static let constructed: UInt8 = 0x20
}

/// Reads one element after the other by the rules of BER (X.690 section 8), because NSS writes PKCS#12 with lengths that
/// are not known at the beginning.
///
/// ```
/// tag    1 byte
/// length 1 byte   00…7F: the length itself
///        2…5      8n, then n = 1…4 bytes, most significant first
///        1 byte   80: the contents are elements, and 00 00 ends them
/// contents
/// ```
///
/// Certificates and keys inside are DER and have stricter readers.
struct BERReader {
    private(set) var offset: Int
    private let end: Int
    /// The part of the file that is damaged if an element cannot be read.
    private let part: IdentityError.Part

    init(over range: Range<Int>, of part: IdentityError.Part) {
        offset = range.lowerBound
        end = range.upperBound
        self.part = part
    }

    var isAtEnd: Bool { offset == end }

    /// Whether the next element has this tag.
    func isNext(_ tag: UInt8, in bytes: Span<UInt8>) -> Bool { offset < end && bytes[offset] == tag }

    /// Reads the next element, whatever its tag.
    mutating func read(in bytes: Span<UInt8>) throws(IdentityError.Problem) -> BERElement {
        try read(in: bytes, depth: 0)
    }

    /// Reads the next element, which must have this tag.
    mutating func read(_ tag: UInt8, in bytes: Span<UInt8>) throws(IdentityError.Problem) -> BERElement {
        guard isNext(tag, in: bytes) else { throw .malformed(part) }
        return try read(in: bytes)
    }

    /// A reader over the contents of the next element, which must have this tag.
    mutating func enter(_ tag: UInt8, in bytes: Span<UInt8>) throws(IdentityError.Problem) -> BERReader {
        BERReader(over: try read(tag, in: bytes).contents, of: part)
    }

    /// Throws unless every element has been read.
    func finish() throws(IdentityError.Problem) {
        guard isAtEnd else { throw .malformed(part) }
    }

    // MARK: - Values

    /// Reads an INTEGER that is not negative and fits 31 bits.
    ///
    /// - Returns: `nil` for another INTEGER.
    mutating func readSmallInteger(in bytes: Span<UInt8>) throws(IdentityError.Problem) -> Int? {
        let contents = try read(BERTag.integer, in: bytes).contents
        guard !contents.isEmpty else { throw .malformed(part) }
        var value = 0
        guard bytes[contents.lowerBound] < 0x80 else { return nil }
        for index in contents {
            guard value < 1 << 23 else { return nil }
            value = value << 8 | Int(bytes[index])
        }
        return value
    }

    /// Reads an OBJECT IDENTIFIER: its contents.
    mutating func readIdentifier(in bytes: Span<UInt8>) throws(IdentityError.Problem) -> [UInt8] {
        let contents = try read(BERTag.objectIdentifier, in: bytes).contents
        guard !contents.isEmpty, contents.count <= 32 else { throw .malformed(part) }
        return contents.map { bytes[$0] }
    }

    /// Reads an OCTET STRING, which may come in pieces. The caller erases it if it is secret.
    ///
    /// - Parameter tag: the tag without the bit of a constructed element.
    mutating func readOctets(
        _ tag: UInt8 = BERTag.octetString,
        in bytes: Span<UInt8>
    ) throws(IdentityError.Problem) -> [UInt8] {
        let element = try read(in: bytes)
        guard element.tag & ~BERTag.constructed == tag else { throw .malformed(part) }
        var octets: [UInt8] = []
        octets.reserveCapacity(element.contents.count)
        try append(element, to: &octets, in: bytes, depth: 0)
        return octets
    }

    private func append(
        _ element: BERElement,
        to octets: inout [UInt8],
        in bytes: Span<UInt8>,
        depth: Int
    ) throws(IdentityError.Problem) {
        guard element.tag & BERTag.constructed != 0 else {
            for index in element.contents { octets.append(bytes[index]) }
            return
        }
        guard depth < IdentityLimits.nesting else { throw .malformed(part) }
        var pieces = BERReader(over: element.contents, of: part)
        while !pieces.isAtEnd {
            let piece = try pieces.read(in: bytes)
            guard piece.tag & ~BERTag.constructed == BERTag.octetString else { throw .malformed(part) }
            try append(piece, to: &octets, in: bytes, depth: depth + 1)
        }
    }

    // MARK: - Tag and length

    private mutating func read(in bytes: Span<UInt8>, depth: Int) throws(IdentityError.Problem) -> BERElement {
        guard end - offset >= 2 else { throw .malformed(part) }
        let tag = bytes[offset]
        guard tag & 0x1F != 0x1F else { throw .malformed(part) }
        let first = bytes[offset + 1]
        var start = offset + 2
        if first == 0x80 {
            guard tag & BERTag.constructed != 0, depth < IdentityLimits.nesting else { throw .malformed(part) }
            var inside = BERReader(over: start..<end, of: part)
            while true {
                if inside.end - inside.offset >= 2, bytes[inside.offset] == 0, bytes[inside.offset + 1] == 0 { break }
                _ = try inside.read(in: bytes, depth: depth + 1)
            }
            offset = inside.offset + 2
            return BERElement(tag: tag, contents: start..<inside.offset)
        }
        var length = Int(first)
        if first > 0x80 {
            let count = Int(first & 0x7F)
            guard count <= 4, end - start >= count else { throw .malformed(part) }
            length = 0
            for index in start..<start + count { length = length << 8 | Int(bytes[index]) }
            start += count
        }
        // The sum cannot overflow: a length has 32 bits.
        guard length <= end - start else { throw .malformed(part) }
        offset = start + length
        return BERElement(tag: tag, contents: start..<offset)
    }
}

/// The dotted numbers of an OBJECT IDENTIFIER's contents (X.690 8.19), for messages.
func dottedText(of identifier: [UInt8]) -> String {
    var numbers: [UInt64] = []
    var number: UInt64 = 0
    for byte in identifier {
        guard number < 1 << 56 else { return "a long identifier" }
        number = number << 7 | UInt64(byte & 0x7F)
        guard byte < 0x80 else { continue }
        if numbers.isEmpty {
            let root = min(number / 40, 2)
            numbers = [root, number - root * 40]
        } else {
            numbers.append(number)
        }
        number = 0
    }
    return numbers.map(String.init).joined(separator: ".")
}

/// One unit of a URL path: a byte or a percent escape.
///
/// An escape of an unreserved character equals that character (RFC 3986 6.2.2.2), so it is `plain`. All other escapes
/// differ from their byte, because servers may distinguish them.
enum PathUnit: Equatable, Sendable {
    case plain(UInt8)
    case escaped(UInt8)
    /// A `%` that is not followed by two hexadecimal digits.
    case malformed

    /// The byte that a server sees if it decodes all escapes.
    var byte: UInt8? {
        switch self {
        case .plain(let byte), .escaped(let byte): byte
        case .malformed: nil
        }
    }

    static let slash = PathUnit.plain(UInt8(ascii: "/"))
    static let semicolon = PathUnit.plain(UInt8(ascii: ";"))
}

/// Iterates over the units of a raw path up to a `?` or `#`; allocates nothing.
struct PathUnits<Bytes: IteratorProtocol<UInt8>>: IteratorProtocol {
    private var bytes: Bytes
    private var consumed = 0
    private var hasEnded = false
    /// The offset of the last returned unit, in UTF-8 bytes of the path.
    private(set) var offset = 0

    init<Path: Sequence<UInt8>>(_ path: Path) where Path.Iterator == Bytes {
        bytes = path.makeIterator()
    }

    mutating func next() -> PathUnit? {
        offset = consumed
        guard !hasEnded, let byte = bytes.next(), byte != UInt8(ascii: "?"), byte != UInt8(ascii: "#") else {
            hasEnded = true
            return nil
        }
        consumed += 1
        guard byte == UInt8(ascii: "%") else { return .plain(byte) }
        guard let high = bytes.next().flatMap({ hexadecimalValue(of: $0) }),
            let low = bytes.next().flatMap({ hexadecimalValue(of: $0) })
        else {
            hasEnded = true
            return .malformed
        }
        consumed += 2
        let value = high << 4 | low
        return isUnreserved(value) ? .plain(value) : .escaped(value)
    }

    /// The next unit; skips the parameters of a segment (`;version=2`).
    mutating func nextOutsideParameters() -> PathUnit? {
        var unit = next()
        guard unit == .semicolon else { return unit }
        while unit != nil, unit != .slash { unit = next() }
        return unit
    }
}

/// RFC 3986 2.3: letters, digits, `-`, `.`, `_`, `~`.
private func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        true
    default: false
    }
}

private func hexadecimalValue(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
}

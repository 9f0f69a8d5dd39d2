internal import CNameLanes

/// The parts of an absolute URL of the usual form, found 16 bytes at a time.
///
/// ```text
/// https://www.host.example:8443/path?query
///         host             port path
/// ```
///
/// Usual form: the host is an ASCII name without `--` whose last label does not begin with a digit, and the URL has no
/// byte that ``URLLocation`` refuses. Any other URL is left to ``URLLocation``. If this type finds parts,
/// ``URLLocation`` finds the same parts.
package struct PlainURL: Equatable, Sendable {
    /// `http` or `https`, from any case.
    package let scheme: Scheme
    /// A canonical name, except that it may contain upper case.
    package let host: Range<Int>
    /// The port of the URL, or the default port of the scheme.
    package let port: UInt16
    /// The raw path without query; empty if the URL has no path.
    package let path: Range<Int>

    /// The number of bytes of a piece, one bit of a word for each. Longer hosts are read in several pieces.
    private static let piece = 64
    /// The number of bytes that are classified at once.
    private static let width = 16

    /// Finds the parts of `bytes`, or returns `nil` if the URL does not have the usual form.
    ///
    /// - Complexity: O(*n*) in the length of `bytes`; allocates nothing.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let first = bytes.baseAddress, bytes.count >= Self.width, bytes.count <= URLLocation.maximumLength,
            let (scheme, start) = URLParts.commonScheme(unsafe bytes.span),
            let end = unsafe Self.endOfHost(first, start..<bytes.count)
        else { return nil }
        var pathStart = end
        var port = scheme.defaultPort
        if end < bytes.count, unsafe bytes[end] == UInt8(ascii: ":") {
            pathStart += 1
            while pathStart < bytes.count, unsafe bytes[pathStart] &- UInt8(ascii: "0") < 10 { pathStart += 1 }
            guard let number = unsafe Origin.port(in: bytes.span, end + 1..<pathStart, ifEmpty: port) else {
                return nil
            }
            port = number
        }
        guard let pathEnd = unsafe Self.endOfPath(first, pathStart..<bytes.count) else { return nil }
        assert(start < end && end <= pathStart && pathStart <= pathEnd && pathEnd <= bytes.count)
        self.scheme = scheme
        self.port = port
        host = start..<end
        path = pathStart..<pathEnd
    }

    /// The end of the name at the start of `range`, or `nil` if the name does not have the usual form.
    @inline(__always)
    private static func endOfHost(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) -> Int? {
        let found = unsafe look(bytes, range)
        guard found.length < piece else { return unsafe endOfLongHost(bytes, range, found) }
        return unsafe isPlain(bytes + range.lowerBound, found) ? range.lowerBound &+ found.length : nil
    }

    /// Up to 64 classified bytes of a host.
    private struct Piece {
        /// The number of leading bytes that a name may contain.
        var length = 0
        /// One bit for each dot and hyphen, the first byte in the lowest bit. Bits behind `length` have no meaning.
        var dots: UInt64 = 0
        var hyphens: UInt64 = 0
    }

    /// Classifies the first bytes of `range`.
    @inline(__always)
    private static func look(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) -> Piece {
        var piece = Piece()
        while piece.length < Self.piece, range.lowerBound &+ piece.length < range.upperBound {
            let offset = range.lowerBound &+ piece.length
            // In bounds: a URL has at least 16 bytes. The load ends at the end of the URL, and bytes before `offset`
            // are shifted out.
            let passed = max(offset &+ width &- range.upperBound, 0)
            assert(offset - passed >= 0 && offset - passed + width <= range.upperBound)
            let found = unsafe sallyport_look_at_host(bytes + (offset &- passed))
            piece.dots |= UInt64(found.dots &>> UInt16(passed)) &<< UInt64(piece.length)
            piece.hyphens |= UInt64(found.hyphens &>> UInt16(passed)) &<< UInt64(piece.length)
            let others = ~UInt32(found.names) &>> UInt32(passed)
            piece.length &+= others.trailingZeroBitCount
            if others.trailingZeroBitCount < width { break }
        }
        return piece
    }

    /// ``endOfHost(_:_:)`` for a name of 64 or more bytes, of which `first` is the first piece.
    @inline(never)
    private static func endOfLongHost(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>, _ first: Piece) -> Int? {
        var (piece, start) = (first, range.lowerBound)
        // The length of the current label, and whether the previous byte is a dot or a hyphen. The start counts as a
        // dot.
        var (label, isDotBefore, isHyphenBefore): (Int, UInt64, UInt64) = (0, 1, 0)
        while true {
            guard start &- range.lowerBound &+ piece.length <= Hostname.maximumNameLength else { return nil }
            let inside = piece.length == Self.piece ? ~0 : UInt64(1) &<< UInt64(piece.length) &- 1
            let (dots, hyphens) = (piece.dots & inside, piece.hyphens & inside)
            // As in `isPlain`: labels are not empty, and two hyphens are left to `URLLocation`.
            guard dots & (dots &<< 1 | isDotBefore) == 0, hyphens & (hyphens &<< 1 | isHyphenBefore) == 0 else {
                return nil
            }
            // A label between two dots of a piece has at most 62 bytes.
            label &+= dots == 0 ? piece.length : dots.trailingZeroBitCount
            guard label <= Hostname.maximumLabelLength else { return nil }
            if dots != 0 { label = piece.length &- 64 &+ dots.leadingZeroBitCount }
            start &+= piece.length
            guard piece.length == Self.piece else { break }
            (isDotBefore, isHyphenBefore) = (dots &>> 63, hyphens &>> 63)
            piece = unsafe look(bytes, start..<range.upperBound)
        }
        // A name with a dot at the end is left to `URLLocation`. In bounds: the last label therefore has a byte.
        guard label > 0 else { return nil }
        return unsafe bytes[start &- label] &- UInt8(ascii: "0") >= 10 ? start : nil
    }

    /// Whether a name of fewer than 64 bytes has the usual form.
    @inline(__always)
    private static func isPlain(_ name: UnsafePointer<UInt8>, _ piece: Piece) -> Bool {
        guard piece.length > 0 else { return false }
        let inside = UInt64(1) &<< UInt64(piece.length) &- 1
        let (dots, hyphens) = (piece.dots & inside, piece.hyphens & inside)
        // Labels are not empty: the name has no dot at its start and no two dots in a row. A dot at the end is left to
        // `URLLocation`, which drops it.
        guard dots & (1 | 1 &<< UInt64(piece.length &- 1) | dots &<< 1) == 0 else { return false }
        // Two hyphens may belong to "xn--".
        guard hyphens & hyphens &<< 1 == 0 else { return false }
        // A last label that begins with a digit may be a number, and the host an address. In bounds: the last byte is
        // not a dot.
        return unsafe name[64 &- dots.leadingZeroBitCount] &- UInt8(ascii: "0") >= 10
    }

    /// The end of the path at the start of `range`, or `nil` if it has bytes that ``URLLocation`` must check.
    @inline(__always)
    private static func endOfPath(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return range.lowerBound }
        switch unsafe bytes[range.lowerBound] {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break
        default: return nil
        }
        var offset = range.lowerBound
        var end = range.upperBound
        while offset < range.upperBound {
            // In bounds, as in `look`.
            let passed = max(offset &+ width &- range.upperBound, 0)
            assert(offset - passed >= 0 && offset - passed + width <= range.upperBound)
            let found = unsafe sallyport_look_at_path(bytes + (offset &- passed))
            guard found.odd &>> UInt16(passed) == 0 else { return nil }
            let marks = found.marks &>> UInt16(passed)
            if marks != 0, end == range.upperBound { end = offset &+ marks.trailingZeroBitCount }
            offset &+= width
        }
        return end
    }
}

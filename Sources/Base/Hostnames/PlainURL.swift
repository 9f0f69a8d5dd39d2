internal import CNameLanes

/// The parts of an absolute URL of the shape that nearly all have, found sixteen bytes at a time.
///
/// ```text
/// https://www.host.example:8443/path?query
///         host             port path
/// ```
///
/// The host is a name whose last label begins with no digit, and that nobody reads otherwise; nothing stands anywhere that ``URLLocation`` refuses. Whatever is a little different is left to it, so that a URL that has plain
/// parts is one that ``URLLocation`` takes, with just these parts.
package struct PlainURL: Equatable, Sendable {
    /// The scheme that is spoken.
    package let scheme: Scheme
    /// A canonical name but for capitals.
    package let host: Range<Int>
    /// The port behind the host, or the scheme's own.
    package let port: UInt16
    /// The raw path without query; empty where there is none.
    package let path: Range<Int>

    /// How many bytes of a host one word has bits for; longer hosts are looked at in pieces of as many.
    private static let piece = 64
    /// How many bytes are looked at together.
    private static let width = 16

    /// Finds the parts of `bytes`, or returns `nil` where ``URLLocation`` is to be asked.
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
            guard let number = unsafe Origin.port(in: bytes.span, end + 1..<pathStart) else { return nil }
            port = number
        }
        guard let pathEnd = unsafe Self.endOfPath(first, pathStart..<bytes.count) else { return nil }
        self.scheme = scheme
        self.port = port
        host = start..<end
        path = pathStart..<pathEnd
    }

    /// Where the name ends that begins with `range`, or `nil` where it is no plain one.
    @inline(__always)
    private static func endOfHost(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) -> Int? {
        let found = unsafe look(bytes, range)
        guard found.length < piece else { return unsafe endOfLongHost(bytes, range, found) }
        return unsafe isPlain(bytes + range.lowerBound, found) ? range.lowerBound &+ found.length : nil
    }

    /// What up to 64 bytes of a host are.
    private struct Piece {
        /// How many bytes of names there are.
        var length = 0
        /// A bit for each dot and hyphen, the first byte lowest; behind the name there may be others.
        var dots: UInt64 = 0
        var hyphens: UInt64 = 0
    }

    /// Looks at the beginning of `range`.
    @inline(__always)
    private static func look(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) -> Piece {
        var piece = Piece()
        while piece.length < Self.piece, range.lowerBound &+ piece.length < range.upperBound {
            let offset = range.lowerBound &+ piece.length
            // In bounds: a URL has sixteen bytes at least, and those before `offset` are shifted out.
            let passed = max(offset &+ width &- range.upperBound, 0)
            let found = unsafe sallyport_look_at_host(bytes + (offset &- passed))
            piece.dots |= UInt64(found.dots &>> UInt16(passed)) &<< UInt64(piece.length)
            piece.hyphens |= UInt64(found.hyphens &>> UInt16(passed)) &<< UInt64(piece.length)
            let others = ~UInt32(found.names) &>> UInt32(passed)
            piece.length &+= others.trailingZeroBitCount
            if others.trailingZeroBitCount < width { break }
        }
        return piece
    }

    /// ``endOfHost(_:_:)`` for a name of 64 bytes and more, of which `first` was looked at.
    @inline(never)
    private static func endOfLongHost(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>, _ first: Piece) -> Int? {
        var (piece, start) = (first, range.lowerBound)
        // The bytes of the label so far, and whether the byte before is a dot (as at the start) or a hyphen.
        var (label, isDotBefore, isHyphenBefore): (Int, UInt64, UInt64) = (0, 1, 0)
        while true {
            guard start &- range.lowerBound &+ piece.length <= Hostname.maximumNameLength else { return nil }
            let inside = piece.length == Self.piece ? ~0 : UInt64(1) &<< UInt64(piece.length) &- 1
            let (dots, hyphens) = (piece.dots & inside, piece.hyphens & inside)
            // As in `isPlain`: no empty label, no two hyphens.
            guard dots & (dots &<< 1 | isDotBefore) == 0, hyphens & (hyphens &<< 1 | isHyphenBefore) == 0 else {
                return nil
            }
            // Inside a piece no label between two dots can be too long.
            label &+= dots == 0 ? piece.length : dots.trailingZeroBitCount
            guard label <= Hostname.maximumLabelLength else { return nil }
            if dots != 0 { label = piece.length &- 64 &+ dots.leadingZeroBitCount }
            start &+= piece.length
            guard piece.length == Self.piece else { break }
            (isDotBefore, isHyphenBefore) = (dots &>> 63, hyphens &>> 63)
            piece = unsafe look(bytes, start..<range.upperBound)
        }
        // No dot at the end; in bounds: the last label has a byte then.
        guard label > 0 else { return nil }
        return unsafe bytes[start &- label] &- UInt8(ascii: "0") >= 10 ? start : nil
    }

    /// Whether a name of less than 64 bytes has no labels that need a closer look.
    @inline(__always)
    private static func isPlain(_ name: UnsafePointer<UInt8>, _ piece: Piece) -> Bool {
        guard piece.length > 0 else { return false }
        let inside = UInt64(1) &<< UInt64(piece.length) &- 1
        let (dots, hyphens) = (piece.dots & inside, piece.hyphens & inside)
        // No empty label: no dot at the start or behind another one. A dot at the end would be dropped, which others can do.
        guard dots & (1 | 1 &<< UInt64(piece.length &- 1) | dots &<< 1) == 0 else { return false }
        // Two hyphens may be those of "xn--".
        guard hyphens & hyphens &<< 1 == 0 else { return false }
        // "Ends in a number", or might. In bounds: no dot is the last byte.
        return unsafe name[64 &- dots.leadingZeroBitCount] &- UInt8(ascii: "0") >= 10
    }

    /// Where the path ends that begins with `range`, or `nil` if there is something that no plain URL has.
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
            // In bounds, as above.
            let passed = max(offset &+ width &- range.upperBound, 0)
            let found = unsafe sallyport_look_at_path(bytes + (offset &- passed))
            guard found.odd &>> UInt16(passed) == 0 else { return nil }
            let marks = found.marks &>> UInt16(passed)
            if marks != 0, end == range.upperBound { end = offset &+ marks.trailingZeroBitCount }
            offset &+= width
        }
        return end
    }
}

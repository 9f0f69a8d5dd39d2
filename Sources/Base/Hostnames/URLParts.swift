internal import WireFormat

/// The ranges of the parts of an absolute URL in its bytes; nothing is copied.
///
/// ```text
/// https://www.host.example:8443/path?query
///         host             port path
/// ```
///
/// Use it where allocation is not allowed. ``Hostname/appendCanonicalName(parsing:in:to:)`` makes the host canonical.
package struct URLParts: Equatable, Sendable {
    /// `http` or `https`, from any case.
    package let scheme: Scheme
    /// The host as written, an IPv6 address with its brackets; not validated.
    package let host: Range<Int>
    /// The end of the authority and start of the path.
    package let end: Int

    /// Finds the authority at the start of `bytes`, up to the first `/`, `?` or `#`. The rest is not checked.
    package init(authorityOf bytes: Span<UInt8>) throws(OriginError) {
        let (scheme, start) = try Self.scheme(bytes)
        var end = start
        var colon: Int?
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            // The text before "@" is a user name: "https://good.example@evil.example" leads to evil.example.
            if byte == UInt8(ascii: "@") { throw .userinfo(offset: end) }
            if byte == UInt8(ascii: ":"), colon == nil { colon = end }
            end += 1
        }
        let isBracketed = start < end && bytes[start] == UInt8(ascii: "[")
        let hostEnd = isBracketed ? Hostname.end(in: bytes, from: start, limit: end) : colon ?? end
        self.scheme = scheme
        self.end = end
        host = start..<hostEnd
    }

    /// Finds the authority of a whole URL, which has no white space, no controls, and at most ``URLLocation/maximumLength`` bytes.
    init(of bytes: Span<UInt8>) throws(URLLocationError) {
        try Self.check(bytes)
        do throws(OriginError) { try self.init(authorityOf: bytes) } catch { throw .origin(error) }
    }

    /// The origin.
    ///
    /// - Precondition: `bytes` are those that the parts were found in.
    func origin(in bytes: Span<UInt8>, hosts: HostReader = .ascii) throws(URLLocationError) -> Origin {
        do throws(OriginError) { return try Origin(self, of: bytes, hosts: hosts) } catch { throw .origin(error) }
    }

    /// The port after the host, or the default port of the scheme.
    ///
    /// - Precondition: `bytes` are those that the parts were found in.
    package func port(in bytes: Span<UInt8>) throws(OriginError) -> UInt16 {
        let hostEnd = host.upperBound
        guard hostEnd < end else { return scheme.defaultPort }
        guard bytes[hostEnd] == UInt8(ascii: ":") else {
            throw .host(.forbiddenByte(bytes[hostEnd], offset: hostEnd))
        }
        guard let port = Origin.port(in: bytes, hostEnd + 1..<end, ifEmpty: scheme.defaultPort) else {
            throw .invalidPort(offset: hostEnd + 1)
        }
        return port
    }

    /// The raw path up to the query or fragment; empty if the URL has no path.
    ///
    /// - Precondition: `bytes` are those that the parts were found in.
    package func path(in bytes: Span<UInt8>) throws(URLLocationError) -> Range<Int> {
        var offset = end
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            guard byte != UInt8(ascii: "\\") else { throw .forbiddenByte(byte, offset: offset) }
            offset += 1
        }
        return end..<offset
    }

    /// Refuses white space and controls in a URL, and a text that is too long.
    package static func check(_ bytes: Span<UInt8>) throws(URLLocationError) {
        guard bytes.count <= URLLocation.maximumLength else { throw .tooLong(length: bytes.count) }
        var start = 0
        while let eight = littleEndianUInt64(in: bytes, at: start) {
            if holdsControl(eight) { break }
            start += 8
        }
        for offset in start..<bytes.count where bytes[offset] <= 0x20 || bytes[offset] == 0x7f {
            throw .forbiddenByte(bytes[offset], offset: offset)
        }
    }

    /// Whether one of eight bytes is at most 0x20, or 0x7f.
    ///
    /// A subtraction sets the high bit of each smaller byte. The mask removes bytes whose high bit was set before. A
    /// borrow only reaches bytes above a byte that is a control itself, so the answer is exact.
    private static func holdsControl(_ bytes: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let delete = bytes ^ (ones &* 0x7f)
        let isSmall = (bytes &- ones &* 0x21) & ~bytes
        let isDelete = (delete &- ones) & ~delete
        return (isSmall | isDelete) & (ones &* 0x80) != 0
    }

    /// The scheme and the start of the authority, if the text has at least eight bytes and begins with `http://` or
    /// `https://`.
    @inline(__always)
    static func commonScheme(_ bytes: Span<UInt8>) -> (Scheme, authority: Int)? {
        guard let start = littleEndianUInt64(in: bytes, at: 0) else { return nil }
        // "https://" and "http://" in upper or lower case, as eight bytes. Only letters fold to these letters.
        if start | 0x20_2020_2020 == 0x2f2f_3a73_7074_7468 { return (.https, 8) }
        if start << 8 | 0x20_2020_2000 == 0x2f2f_3a70_7474_6800 { return (.http, 7) }
        return nil
    }

    private static func scheme(_ bytes: Span<UInt8>) throws(OriginError) -> (Scheme, authority: Int) {
        if let common = commonScheme(bytes) { return common }
        var colon = 0
        while colon < bytes.count, isSchemeByte(bytes[colon]) { colon += 1 }
        guard colon > 0, bytes.count - colon >= 3, bytes[colon] == UInt8(ascii: ":"),
            bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
        else { throw .missingScheme(offset: colon) }
        guard let scheme = scheme(bytes, colon) else { throw .unsupportedScheme(offset: 0) }
        return (scheme, colon + 3)
    }

    /// The scheme in the first `end` bytes, in upper or lower case.
    private static func scheme(_ bytes: Span<UInt8>, _ end: Int) -> Scheme? {
        // No other byte of a scheme folds to one of these letters.
        guard end == 4 || end == 5, bytes[0] | 0x20 == UInt8(ascii: "h"), bytes[1] | 0x20 == UInt8(ascii: "t"),
            bytes[2] | 0x20 == UInt8(ascii: "t"), bytes[3] | 0x20 == UInt8(ascii: "p")
        else { return nil }
        if end == 4 { return .http }
        return bytes[4] | 0x20 == UInt8(ascii: "s") ? .https : nil
    }

    /// RFC 3986 3.1: letters, digits, `+`, `-`, `.`.
    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

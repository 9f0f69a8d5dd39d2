/// How the text of a host becomes a ``Hostname``: ASCII only, or international names too.
///
/// ASCII hosts take the same path in both cases. The module `InternationalHostnames` has the reader for international
/// names.
public struct HostReader: Sendable {
    /// Maps a name that is not plain ASCII to its canonical form. Offsets of errors count from the start of the bytes.
    package typealias Mapping = @Sendable (Span<UInt8>, Range<Int>) throws(HostnameError) -> Hostname

    private let mapping: Mapping?

    package init(mapping: Mapping?) {
        self.mapping = mapping
    }

    /// Accepts only ASCII names and does not validate `xn--` labels.
    public static let ascii = HostReader(mapping: nil)

    /// Parses the host in `range` of `bytes`; offsets of errors count from the start of `bytes`.
    ///
    /// - Precondition: `range` lies inside `bytes`.
    package func hostname(parsing bytes: Span<UInt8>, in range: Range<Int>) throws(HostnameError) -> Hostname {
        guard let mapping, Self.isInternational(bytes, range) else { return try Hostname(parsing: bytes, in: range) }
        return try mapping(bytes, range)
    }

    /// Whether `range` needs no mapping, so that the caller may parse it as ASCII.
    package func isPlain(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        mapping == nil || !Self.isInternational(bytes, range)
    }

    /// Whether a name has a byte above 127 or a label that begins with `xn--`.
    private static func isInternational(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let byte = bytes[offset]
            if byte >= 0x80 { return true }
            if byte == UInt8(ascii: "-"), hasPrefix(bytes, range, hyphen: offset) { return true }
            offset &+= 1
        }
        return false
    }

    /// Whether the hyphen at `offset` is the last byte of an `xn--` at the start of a label.
    private static func hasPrefix(_ bytes: Span<UInt8>, _ range: Range<Int>, hyphen offset: Int) -> Bool {
        let start = offset - 3
        guard start >= range.lowerBound, bytes[start] | 0x20 == UInt8(ascii: "x"),
            bytes[start + 1] | 0x20 == UInt8(ascii: "n"), bytes[start + 2] == UInt8(ascii: "-")
        else { return false }
        return start == range.lowerBound || bytes[start - 1] == UInt8(ascii: ".")
    }
}

/// The place of a field in a head.
package struct FieldLine: Equatable {
    /// From the first byte of the name to the line's end.
    package let line: Range<Int>
    package let name: Range<Int>
    /// Without blanks at both ends.
    package let value: Range<Int>

    /// Reads the line that begins at `start` of `bytes`; the caller has checked that every line ends with CR LF.
    ///
    /// Strict (RFC 9112 section 5): no folding, no blank before the colon, no control characters, also no CR by itself.
    @inline(__always)
    package init(parsing bytes: Span<UInt8>, at start: Int) throws(HeadDefect) {
        var index = start
        if bytes[index].isBlank { throw .folded }
        while bytes[index].isToken { index &+= 1 }
        guard index > start, bytes[index] == UInt8(ascii: ":") else { throw .fieldName }
        name = start..<index
        index &+= 1
        let from = index
        while bytes[index].isFieldByte { index &+= 1 }
        // The first byte that no value may have is the line's end, or a defect.
        guard bytes[index] == 0x0D, index &+ 1 < bytes.count, bytes[index &+ 1] == 0x0A else { throw .fieldValue }
        value = bytes.trimmed(from..<index)
        line = start..<index &+ 2
    }
}

/// A field that the relay itself reads or replaces.
package enum KnownField {
    case authorization, connection, contentLength, expect, host, http2Settings, keepAlive, proxyAuthenticate,
        proxyAuthenticationInfo
    case proxyAuthorization, proxyConnection, proxySupport, te, transferEncoding, upgrade, via

    /// The field whose name is `range` of `bytes`; `nil` for all others.
    @inline(__always)
    package init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard let found = Self.candidate(range.count, bytes[range.lowerBound].lowercased),
            bytes.equals(found.name, in: range)
        else { return nil }
        self = found.field
    }

    @inline(__always)
    private static func candidate(_ length: Int, _ first: UInt8) -> (name: StaticString, field: KnownField)? {
        switch (length, first) {
        case (2, UInt8(ascii: "t")): ("te", .te)
        case (3, UInt8(ascii: "v")): ("via", .via)
        case (4, UInt8(ascii: "h")): ("host", .host)
        case (6, UInt8(ascii: "e")): ("expect", .expect)
        case (7, UInt8(ascii: "u")): ("upgrade", .upgrade)
        case (10, UInt8(ascii: "c")): ("connection", .connection)
        case (10, UInt8(ascii: "k")): ("keep-alive", .keepAlive)
        case (13, UInt8(ascii: "a")): ("authorization", .authorization)
        case (13, UInt8(ascii: "p")): ("proxy-support", .proxySupport)
        case (14, UInt8(ascii: "c")): ("content-length", .contentLength)
        case (14, UInt8(ascii: "h")): ("http2-settings", .http2Settings)
        case (16, UInt8(ascii: "p")): ("proxy-connection", .proxyConnection)
        case (17, UInt8(ascii: "t")): ("transfer-encoding", .transferEncoding)
        case (18, UInt8(ascii: "p")): ("proxy-authenticate", .proxyAuthenticate)
        case (19, UInt8(ascii: "p")): ("proxy-authorization", .proxyAuthorization)
        case (25, UInt8(ascii: "p")): ("proxy-authentication-info", .proxyAuthenticationInfo)
        default: nil
        }
    }
}

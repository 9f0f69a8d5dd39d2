internal import WireFormat

/// An IPv6 address (RFC 4291), without a zone.
package struct IPv6Address: Hashable, Sendable {
    // Two halves, because Swift 6.3.1 loses the alignment of a UInt128 where a closure captures it behind another value (debug builds).
    private let high: UInt64
    private let low: UInt64

    /// The 16 bytes as one number; the first group of the text is the most significant.
    package var rawValue: UInt128 { UInt128(high) << 64 | UInt128(low) }

    package init(rawValue: UInt128) {
        (high, low) = (UInt64(rawValue >> 64), UInt64(truncatingIfNeeded: rawValue))
    }

    /// Whether this is `::ffff:a.b.c.d` (RFC 4291 2.5.5.2). A socket connects to such an address over IPv4.
    package var isIPv4Mapped: Bool { rawValue >> 32 == 0xffff }

    /// Parses the text forms of RFC 4291 2.2, without brackets.
    ///
    /// - Precondition: `range` lies inside `bytes`.
    /// - Throws: `HostnameError.invalidIPv6` or `.zoneIdentifier`, with the offset in `bytes`.
    package init(parsing bytes: Span<UInt8>, in range: Range<Int>) throws(HostnameError) {
        var offset = range.lowerBound
        let end = range.upperBound
        var groups: UInt128 = 0
        var count = 0
        var gap: Int?
        if end - offset >= 2, bytes[offset] == colon, bytes[offset + 1] == colon {
            gap = 0
            offset += 2
        }
        while offset < end {
            guard count < 8 else { throw .invalidIPv6(offset: offset) }
            let start = offset
            var group: UInt128 = 0
            while offset < end, offset - start < 4, let digit = Hexadecimal.value(of: bytes[offset]) {
                group = group << 4 | UInt128(digit)
                offset += 1
            }
            if offset < end, bytes[offset] == UInt8(ascii: ".") {
                guard count <= 6, let tail = IPv4Address(parsing: bytes, in: start..<end) else {
                    throw .invalidIPv6(offset: start)
                }
                groups = groups << 32 | UInt128(tail.rawValue)
                count += 2
                offset = end
                break
            }
            if offset < end, bytes[offset] == UInt8(ascii: "%") { throw .zoneIdentifier(offset: offset) }
            guard offset > start else { throw .invalidIPv6(offset: offset) }
            groups = groups << 16 | group
            count += 1
            guard offset < end else { break }
            guard bytes[offset] == colon else { throw .invalidIPv6(offset: offset) }
            offset += 1
            guard offset < end else { throw .invalidIPv6(offset: offset) }
            if bytes[offset] == colon {
                guard gap == nil else { throw .invalidIPv6(offset: offset) }
                gap = count
                offset += 1
            }
        }
        guard let gap else {
            guard count == 8 else { throw .invalidIPv6(offset: end) }
            self.init(rawValue: groups)
            return
        }
        // "::" replaces at least one group of zeros.
        guard count < 8 else { throw .invalidIPv6(offset: end) }
        let tailBits = (count - gap) * 16
        let tail = groups & ((1 << UInt128(tailBits)) - 1)
        self.init(rawValue: (groups >> UInt128(tailBits)) << UInt128((8 - gap) * 16) | tail)
    }
}

extension IPv6Address: CustomStringConvertible {
    /// The text of RFC 5952 section 4, without brackets: lower case, the longest run of zeros as `::`.
    package var description: String {
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: rawValue >> UInt128(112 - $0 * 16)) }
        var gap = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, groups[end] == 0 { end += 1 }
            // 4.2.2 and 4.2.3: a single zero group is not shortened; of equally long runs the first is.
            if end - start > max(gap.count, 1) { gap = start..<end }
            start = end + 1
        }
        func text(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        if gap.isEmpty { return text(groups[...]) }
        return text(groups[..<gap.lowerBound]) + "::" + text(groups[gap.upperBound...])
    }
}

private let colon = UInt8(ascii: ":")

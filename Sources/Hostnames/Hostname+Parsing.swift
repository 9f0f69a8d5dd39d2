internal import WireFormat

extension Hostname {
    /// Parses a host as it stands in the authority of a URL: `www.host.example`, `192.0.2.1`, `[2001:db8::1]`.
    ///
    /// Letters are lower-cased and one trailing dot of a name is dropped; nothing else is repaired. Labels are made of
    /// letters, digits, `-` and `_`. A name whose last label is a number is an IPv4 address or an error, as the "ends in
    /// a number" checker of the WHATWG URL standard says, and only four plain decimal numbers are such an address.
    ///
    /// - Parameter text: the host alone, without scheme, port, path or user.
    /// - Complexity: O(*n*) in the length of `text`.
    /// - Throws: ``HostnameError``, whose offsets count UTF-8 bytes of `text`.
    public init(parsing text: some StringProtocol) throws(HostnameError) {
        let bytes = [UInt8](text.utf8)
        try self.init(parsing: bytes.span, in: 0..<bytes.count)
    }

    /// Parses the host that stands in `range` of `bytes`; the offsets of errors count from the start of `bytes`.
    ///
    /// - Precondition: `range` lies inside `bytes`.
    package init(parsing bytes: Span<UInt8>, in range: Range<Int>) throws(HostnameError) {
        guard !range.isEmpty else { throw .empty(offset: range.lowerBound) }
        if bytes[range.lowerBound] == UInt8(ascii: "[") {
            form = .ipv6(try Self.bracketedAddress(parsing: bytes, in: range))
            return
        }
        let name = try Self.canonicalName(parsing: bytes, in: range)
        guard endsInNumber(name) else {
            form = .name(name)
            return
        }
        // A trailing dot makes "192.0.2.1." a name to the resolver and an address to a browser, so it is odd as well.
        guard let address = IPv4Address(parsing: bytes, in: range) else {
            throw .oddIPv4(offset: range.lowerBound)
        }
        form = .ipv4(address)
    }

    /// Where the host that starts at `start` ends: past its closing bracket, or before the first `:`, or at `limit`.
    package static func end(in bytes: Span<UInt8>, from start: Int, limit: Int) -> Int {
        guard start < limit else { return limit }
        let bracketed = bytes[start] == UInt8(ascii: "[")
        for offset in start..<limit {
            if bracketed, bytes[offset] == UInt8(ascii: "]") { return offset + 1 }
            if !bracketed, bytes[offset] == UInt8(ascii: ":") { return offset }
        }
        return limit
    }

    private static func bracketedAddress(
        parsing bytes: Span<UInt8>,
        in range: Range<Int>
    ) throws(HostnameError) -> IPv6Address {
        guard bytes[range.upperBound - 1] == UInt8(ascii: "]") else {
            throw .unclosedBracket(offset: range.lowerBound)
        }
        let address = try IPv6Address(parsing: bytes, in: range.lowerBound + 1..<range.upperBound - 1)
        guard !address.isIPv4Mapped else { throw .ipv4MappedIPv6(offset: range.lowerBound) }
        return address
    }

    private static func canonicalName(
        parsing bytes: Span<UInt8>,
        in range: Range<Int>
    ) throws(HostnameError) -> [UInt8] {
        guard range.count <= maximumNameLength + 1 else {
            throw .nameTooLong(offset: range.lowerBound, length: range.count)
        }
        var name: [UInt8] = []
        name.reserveCapacity(range.count)
        var labelStart = range.lowerBound
        for offset in range {
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                name.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): name.append(byte | 0x20)
            case UInt8(ascii: "."):
                try checkLabel(labelStart..<offset)
                labelStart = offset + 1
                name.append(byte)
            case UInt8(ascii: "%"): throw .percentEscape(offset: offset)
            case 0x80...: throw .nonASCII(offset: offset)
            default: throw .forbiddenByte(byte, offset: offset)
            }
        }
        if labelStart == range.upperBound {
            name.removeLast()
        } else {
            try checkLabel(labelStart..<range.upperBound)
        }
        guard name.count <= maximumNameLength else {
            throw .nameTooLong(offset: range.lowerBound, length: name.count)
        }
        return name
    }

    private static func checkLabel(_ label: Range<Int>) throws(HostnameError) {
        guard !label.isEmpty else { throw .emptyLabel(offset: label.lowerBound) }
        guard label.count <= maximumLabelLength else {
            throw .labelTooLong(offset: label.lowerBound, length: label.count)
        }
    }
}

/// The WHATWG "ends in a number" checker: the last label is all digits, or `0x` and hexadecimal digits, if any.
private func endsInNumber(_ name: [UInt8]) -> Bool {
    let start = name.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? 0
    let label = name[start...]
    if label.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) { return true }
    return label.starts(with: [UInt8(ascii: "0"), UInt8(ascii: "x")])
        && label.dropFirst(2).allSatisfy { Hexadecimal.value(of: $0) != nil }
}

internal import WireFormat

extension Hostname {
    /// Parses a host as written in a URL: `www.host.example`, `192.0.2.1`, `[2001:db8::1]`.
    ///
    /// - Letters become lower case, and one trailing dot of a name is dropped. Nothing else is repaired.
    /// - Labels consist of letters, digits, `-` and `_`.
    /// - A name whose last label is a number (the "ends in a number" checker of the WHATWG URL standard) is an IPv4
    ///   address or an error. Only four decimal numbers are accepted as an IPv4 address.
    ///
    /// - Parameter text: the host without scheme, port, path or user name.
    /// - Complexity: O(*n*) in the length of `text`.
    /// - Throws: ``HostnameError``, whose offsets count UTF-8 bytes of `text`.
    public init(parsing text: some StringProtocol) throws(HostnameError) {
        let bytes = [UInt8](text.utf8)
        try self.init(parsing: bytes.span, in: 0..<bytes.count)
    }

    /// Parses the host in `range` of `bytes`; offsets of errors count from the start of `bytes`.
    ///
    /// - Precondition: `range` lies inside `bytes`.
    package init(parsing bytes: Span<UInt8>, in range: Range<Int>) throws(HostnameError) {
        guard !range.isEmpty else { throw .empty(offset: range.lowerBound) }
        if bytes[range.lowerBound] == UInt8(ascii: "[") {
            form = .ipv6(try Self.bracketedAddress(parsing: bytes, in: range))
            return
        }
        // An IPv4 address ends in a digit. Parsing it first avoids an allocation for a name.
        if bytes[range.upperBound - 1] &- UInt8(ascii: "0") < 10, let address = IPv4Address(parsing: bytes, in: range) {
            form = .ipv4(address)
            return
        }
        var name: [UInt8] = []
        name.reserveCapacity(min(range.count, Self.maximumNameLength + 1))
        switch try Self.appendCanonicalName(parsing: bytes, in: range, to: &name) {
        case .name:
            form = .name(name)
            assert(form.brokenInvariant() == nil)
        case .ipv4(let address): form = .ipv4(address)
        }
    }

    /// The kinds of hosts without brackets.
    package enum NameForm: Equatable, Sendable {
        /// A name, which was appended.
        case name
        /// An address; nothing was appended.
        case ipv4(IPv4Address)
    }

    /// Appends the canonical form of the name in `range` of `bytes`. If it throws, `name` is unchanged.
    ///
    /// Use it to store many names in one array.
    ///
    /// - Precondition: `range` lies inside `bytes` and is not empty.
    package static func appendCanonicalName(
        parsing bytes: Span<UInt8>,
        in range: Range<Int>,
        to name: inout [UInt8]
    ) throws(HostnameError) -> NameForm {
        let start = name.count
        do throws(HostnameError) {
            try appendLabels(of: bytes, in: range, to: &name)
            guard endsInNumber(name[start...]) else { return .name }
            // "192.0.2.1." with a trailing dot is an error too: a resolver reads it as a name, a browser as an address.
            guard let address = IPv4Address(parsing: bytes, in: range) else {
                throw .oddIPv4(offset: range.lowerBound)
            }
            name.removeLast(name.count - start)
            return .ipv4(address)
        } catch {
            if name.count > start { name.removeLast(name.count - start) }
            throw error
        }
    }

    /// The end of the host at `start`: behind its closing bracket, before the first `:`, or at `limit`.
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

    private static func appendLabels(
        of bytes: Span<UInt8>,
        in range: Range<Int>,
        to name: inout [UInt8]
    ) throws(HostnameError) {
        guard range.count <= maximumNameLength + 1 else {
            throw .nameTooLong(offset: range.lowerBound, length: range.count)
        }
        var labelStart = range.lowerBound
        var hasCapital = false
        for offset in range {
            let byte = bytes[offset]
            if byte == UInt8(ascii: ".") {
                try checkLabel(labelStart..<offset)
                labelStart = offset + 1
            } else {
                guard isNameByte(byte) else { throw forbidden(byte, offset) }
                hasCapital = hasCapital || byte &- UInt8(ascii: "A") < 26
            }
        }
        var end = range.upperBound
        if labelStart == end {
            end -= 1
        } else {
            try checkLabel(labelStart..<end)
        }
        guard end - range.lowerBound <= maximumNameLength else {
            throw .nameTooLong(offset: range.lowerBound, length: end - range.lowerBound)
        }
        let start = name.count
        // One append of all bytes, because each append of a byte would check the capacity.
        unsafe bytes.extracting(range.lowerBound..<end).withUnsafeBufferPointer { unsafe name.append(contentsOf: $0) }
        guard hasCapital else { return }
        for index in start..<name.count where name[index] &- UInt8(ascii: "A") < 26 { name[index] |= 0x20 }
    }

    /// Letters, digits, `-` and `_`.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        // One bit for each byte: 0 to 63, and 64 to 127.
        let low: UInt64 = 0x03ff_2000_0000_0000
        let high: UInt64 = 0x07ff_fffe_87ff_fffe
        return byte < 0x80 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }

    private static func forbidden(_ byte: UInt8, _ offset: Int) -> HostnameError {
        switch byte {
        case UInt8(ascii: "%"): .percentEscape(offset: offset)
        case 0x80...: .nonASCII(offset: offset)
        default: .forbiddenByte(byte, offset: offset)
        }
    }

    private static func checkLabel(_ label: Range<Int>) throws(HostnameError) {
        guard !label.isEmpty else { throw .emptyLabel(offset: label.lowerBound) }
        guard label.count <= maximumLabelLength else {
            throw .labelTooLong(offset: label.lowerBound, length: label.count)
        }
    }
}

/// The WHATWG "ends in a number" checker: the last label consists of digits, or of `0x` and optional hexadecimal
/// digits.
private func endsInNumber(_ name: ArraySlice<UInt8>) -> Bool {
    // Such a label ends in a hexadecimal digit or in "0x"; most names do not.
    guard let last = name.last, Hexadecimal.value(of: last) != nil || last == UInt8(ascii: "x") else { return false }
    let start = name.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? name.startIndex
    let label = name[start...]
    if label.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) { return true }
    guard label.count > 1, label[start] == UInt8(ascii: "0"), label[start + 1] == UInt8(ascii: "x") else {
        return false
    }
    return label.dropFirst(2).allSatisfy { Hexadecimal.value(of: $0) != nil }
}

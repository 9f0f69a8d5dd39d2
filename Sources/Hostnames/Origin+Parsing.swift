extension Origin {
    /// Parses the origin at the start of `bytes`, up to the first `/`, `?` or `#`, and says where it ends.
    package static func parse(
        prefixOf bytes: Span<UInt8>,
        hosts: HostReader = .ascii
    ) throws(OriginError) -> (origin: Origin, end: Int) {
        let (scheme, start) = try parseScheme(bytes)
        var end = start
        while end < bytes.count, !isAuthorityEnd(bytes[end]) {
            // Everything before "@" is a user, so "https://good.example@evil.example" is a visit to evil.example.
            guard bytes[end] != UInt8(ascii: "@") else { throw .userinfo(offset: end) }
            end += 1
        }
        let hostEnd = Hostname.end(in: bytes, from: start, limit: end)
        let host: Hostname
        do throws(HostnameError) {
            host = try hosts.hostname(parsing: bytes, in: start..<hostEnd)
        } catch {
            throw .host(error)
        }
        guard hostEnd < end else { return (Origin(scheme: scheme, host: host), end) }
        guard bytes[hostEnd] == UInt8(ascii: ":") else {
            throw .host(.forbiddenByte(bytes[hostEnd], offset: hostEnd))
        }
        guard let port = port(in: bytes, hostEnd + 1..<end) else { throw .invalidPort(offset: hostEnd + 1) }
        return (Origin(scheme: scheme, host: host, port: port), end)
    }

    /// Reads a port from 1 to 65535 in decimal without leading zeros, or returns `nil`.
    package static func port(in bytes: Span<UInt8>, _ range: Range<Int>) -> UInt16? {
        guard (1...5).contains(range.count), bytes[range.lowerBound] != UInt8(ascii: "0") else { return nil }
        var port: UInt32 = 0
        for offset in range {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) else { return nil }
            port = port * 10 + UInt32(bytes[offset] - UInt8(ascii: "0"))
        }
        return UInt16(exactly: port)
    }

    private static func parseScheme(_ bytes: Span<UInt8>) throws(OriginError) -> (Scheme, authority: Int) {
        var colon = 0
        while colon < bytes.count, isSchemeByte(bytes[colon]) { colon += 1 }
        guard colon > 0, bytes.count - colon >= 3, bytes[colon] == UInt8(ascii: ":"),
            bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
        else { throw .missingScheme(offset: colon) }
        guard let scheme = scheme(bytes, colon) else { throw .unsupportedScheme(offset: 0) }
        return (scheme, colon + 3)
    }

    /// The scheme that the first `end` bytes name, in either case.
    private static func scheme(_ bytes: Span<UInt8>, _ end: Int) -> Scheme? {
        // No other byte that may stand in a scheme folds to one of these letters.
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

    private static func isAuthorityEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}

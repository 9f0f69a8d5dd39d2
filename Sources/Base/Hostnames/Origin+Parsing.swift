extension Origin {
    /// Parses the origin at the start of `bytes`, up to the first `/`, `?` or `#`; returns it and its end.
    package static func parse(
        prefixOf bytes: Span<UInt8>,
        hosts: HostReader = .ascii
    ) throws(OriginError) -> (origin: Origin, end: Int) {
        let parts = try URLParts(authorityOf: bytes)
        return (try Origin(parts, of: bytes, hosts: hosts), parts.end)
    }

    /// Makes an origin from the parts found in `bytes`.
    init(_ parts: URLParts, of bytes: Span<UInt8>, hosts: HostReader) throws(OriginError) {
        scheme = parts.scheme
        do throws(HostnameError) {
            host = try hosts.hostname(parsing: bytes, in: parts.host)
        } catch {
            throw .host(error)
        }
        port = try parts.port(in: bytes)
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
}

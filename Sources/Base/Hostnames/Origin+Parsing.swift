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

    /// Reads the port behind a colon: a decimal number from 1 to 65535, or returns `nil`.
    ///
    /// RFC 3986 section 3.2.3 writes a port as any number of digits, so zeros may lead it, and `host:` is `host` with the default
    /// port (section 6.2.3).
    ///
    /// - Parameter empty: the port if `range` is empty.
    package static func port(in bytes: Span<UInt8>, _ range: Range<Int>, ifEmpty empty: UInt16) -> UInt16? {
        guard !range.isEmpty else { return empty }
        var port: UInt32 = 0
        for offset in range {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) else { return nil }
            port = port * 10 + UInt32(bytes[offset] - UInt8(ascii: "0"))
            guard port <= UInt16.max else { return nil }
        }
        return port == 0 ? nil : UInt16(port)
    }
}

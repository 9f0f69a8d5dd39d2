extension RecordedEndpoint {
    /// Reads `host`, `host:port` or `[address]:port`; 443 where no port stands.
    ///
    /// - Returns: the endpoint with its host in lower case, or `nil` for what no recording holds.
    package init?(parsing text: some StringProtocol) {
        let lowercase = text.lowercased()
        var host = lowercase[...]
        var port = 443
        let bracket = host.lastIndex(of: "]")
        if let colon = host.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? (host.firstIndex(of: ":") == colon) {
            let digits = host[host.index(after: colon)...]
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else { return nil }
            port = number
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        // The dot of the root (RFC 1034 section 3.1) makes no other server.
        if host.hasSuffix(".") { host = host.dropLast() }
        self.init(host: String(host), port: port)
        guard isPlain else { return nil }
    }

    /// Whether a recording may hold it: a name or address in lower case, and a port.
    var isPlain: Bool { Self.isPlain(host: host) && (1...65_535).contains(port) }

    /// Whether a host has only the characters of names and addresses in a URL. Other characters are refused, because they
    /// can control a terminal or a page.
    static func isPlain(host: String) -> Bool {
        (1...253).contains(host.utf8.count)
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "]"),
                    UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}

/// Reads the target of a request from a URL.
enum RequestTarget {
    /// The target in origin form (RFC 9112 section 3.2.1).
    static func inOriginForm(of url: some StringProtocol) -> String {
        let bytes = Array(url.utf8)
        let slash = UInt8(ascii: "/")
        var start = bytes.startIndex
        // After "scheme://".
        while start + 2 < bytes.count, bytes[start] != slash || bytes[start + 1] != slash { start += 1 }
        start = min(start + 2, bytes.count)
        while start < bytes.count, ![slash, UInt8(ascii: "?"), UInt8(ascii: "#")].contains(bytes[start]) { start += 1 }
        let rest = bytes[start...].prefix { $0 != UInt8(ascii: "#") }
        let text = String(decoding: rest, as: UTF8.self)
        return text.hasPrefix("/") ? text : "/" + text
    }
}

internal import WireFormat

/// What a question at the terminal shows of a certificate besides its names.
enum CertificateText {
    /// The most bytes of a serial number (RFC 5280 section 4.1.2.2); some certificates have more.
    private static let mostSerialBytes = 20

    /// From when until when it is valid.
    static func validity(_ begin: Int64, _ end: Int64) -> String {
        "from \(Timestamp.text(unixSeconds: begin)) until \(Timestamp.text(unixSeconds: end))"
    }

    /// The serial number: two digits a byte, with colons between them, as OpenSSL shows it.
    static func serial(_ bytes: [UInt8]) -> String {
        // A zero before a high bit only says that the number is positive.
        let bytes = bytes.count > 1 && bytes[0] == 0 ? bytes[1...] : bytes[...]
        let digits = bytes.prefix(mostSerialBytes).map { Hexadecimal.encode([$0].span) }
        return digits.joined(separator: ":") + (bytes.count > mostSerialBytes ? ":..." : "")
    }
}

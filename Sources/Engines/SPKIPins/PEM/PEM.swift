/// The textual form of certificates (RFC 7468), many in one text.
///
/// Strict where a certificate could be lost or changed: a damaged boundary, a missing end and anything but base64 inside
/// a certificate are errors with their line. Lenient where nothing depends on it: text between the blocks, CRLF, spaces
/// behind a boundary, a byte order mark, and blocks of another label (keys, for instance), which are passed over unread.
package enum PEM {
    /// The most bytes a text may have.
    package static let largestText = 64 << 20
    /// The most certificates a text may have.
    package static let mostCertificates = 131_072

    /// Returns the DER of each certificate in `text`, in order; none at all is an empty array.
    ///
    /// The contents are decoded, not judged: `CertificateWalk` does that.
    package static func certificates(in text: Span<UInt8>) throws(PEMError) -> [[UInt8]] {
        guard text.count <= largestText else { throw .tooLarge(bytes: text.count, limit: largestText) }
        var certificates: [[UInt8]] = []
        var open: Block?
        var lines = Lines(in: text)
        while let line = lines.next(in: text) {
            switch try boundary(in: text, line: line) {
            case .begin(let label):
                if let open { throw .nestedBegin(line: line.number, outer: open.beginLine) }
                open = Block(
                    label: label,
                    beginLine: line.number,
                    isCertificate: equal(text, label, "CERTIFICATE".utf8)
                )
            case .end(let label):
                guard let block = open, isSame(text, block.label, label) else {
                    throw .unexpectedEnd(line: line.number)
                }
                if block.isCertificate {
                    guard certificates.count < mostCertificates else {
                        throw .tooManyCertificates(line: block.beginLine, limit: mostCertificates)
                    }
                    certificates.append(try block.decoded())
                }
                open = nil
            case nil:
                try open?.append(text, line)
            }
        }
        if let open { throw .unterminated(line: open.beginLine) }
        return certificates
    }

    private enum Boundary {
        case begin(label: Range<Int>)
        case end(label: Range<Int>)
    }

    /// Recognises `-----BEGIN label-----` and `-----END label-----`.
    private static func boundary(in text: Span<UInt8>, line: Line) throws(PEMError) -> Boundary? {
        var range = line.range
        while let last = range.last, isBlank(text[last]) { range = range.dropLast() }
        var start = range.lowerBound
        while start < range.upperBound, isBlank(text[start]) { start += 1 }
        let visible = start..<range.upperBound
        let begins = hasPrefix(text, visible, "-----BEGIN ")
        guard begins || hasPrefix(text, visible, "-----END ") else { return nil }
        let labelStart = start + (begins ? 11 : 9)
        // An indented boundary would be prose to one reader and a certificate to another.
        guard start == range.lowerBound, labelStart + 5 < range.upperBound,
            equal(text, range.upperBound - 5..<range.upperBound, "-----".utf8)
        else { throw .malformedBoundary(line: line.number) }
        let label = labelStart..<range.upperBound - 5
        return begins ? .begin(label: label) : .end(label: label)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func hasPrefix(_ text: Span<UInt8>, _ range: Range<Int>, _ prefix: String) -> Bool {
        equal(text, range.prefix(prefix.utf8.count), prefix.utf8)
    }

    private static func isSame(_ text: Span<UInt8>, _ range: Range<Int>, _ other: Range<Int>) -> Bool {
        guard range.count == other.count else { return false }
        for index in 0..<range.count where text[range.lowerBound + index] != text[other.lowerBound + index] {
            return false
        }
        return true
    }
}

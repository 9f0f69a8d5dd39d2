internal import WireFormat

/// The textual form of certificates (RFC 7468), many in one text.
///
/// Strict where a certificate could be lost or changed: a damaged boundary, a missing end and anything but base64 inside
/// a certificate are errors with their line. Lenient where nothing depends on it: text between the blocks, CRLF, blanks
/// at the end of a line, a byte order mark, and blocks of another label (keys, for instance), which are passed over unread.
package enum PEM {
    /// The most bytes a text may have.
    package static let largestText = 64 << 20
    /// The most certificates a text may have.
    package static let mostCertificates = 131_072

    /// Returns the DER of each certificate in `text`, in order; none at all is an empty array.
    ///
    /// The contents are decoded, not judged: `CertificateWalk` does that. The first damage is thrown.
    package static func certificates(in text: Span<UInt8>) throws(PEMError) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        _ = try read(text) { certificate throws(PEMError) in certificates.append(try certificate.get()) }
        return certificates
    }

    /// Returns what `text` holds; a certificate whose contents are damaged costs no other one.
    ///
    /// - Throws: where it cannot be told any more which lines belong to which block.
    static func contents(in text: Span<UInt8>) throws(PEMError) -> CertificateInput.Contents {
        var certificates: [Result<[UInt8], PEMError>] = []
        let labels = try read(text) { certificate throws(PEMError) in certificates.append(certificate) }
        return CertificateInput.Contents(certificates: certificates, otherLabels: labels)
    }

    /// The labels of certificates: that of RFC 7468, the two older ones that its section 5.1 names, and that of OpenSSL.
    private static let certificateLabels = ["CERTIFICATE", "X509 CERTIFICATE", "X.509 CERTIFICATE", trustedLabel]
    /// A certificate, followed by what OpenSSL trusts it for (X509_CERT_AUX), as 'openssl x509 -trustout' writes it.
    private static let trustedLabel = "TRUSTED CERTIFICATE"

    /// The most labels of other blocks that are kept, and the most bytes of one.
    private static let mostLabels = (count: 8, bytes: 64)

    /// Hands each certificate to `body`, in order; returns the labels of the other blocks, each once.
    private static func read(
        _ text: Span<UInt8>,
        _ body: (Result<[UInt8], PEMError>) throws(PEMError) -> Void
    ) throws(PEMError) -> [String] {
        guard text.count <= largestText else { throw .tooLarge(bytes: text.count, limit: largestText) }
        var count = 0
        var labels: [String] = []
        var open: Block?
        var lines = Lines(in: text)
        while let line = lines.next(in: text) {
            switch try boundary(in: text, line: line) {
            case .begin(let label):
                if let open { throw .nestedBegin(line: line.number, outer: open.beginLine) }
                open = Block(
                    label: label,
                    beginLine: line.number,
                    isCertificate: certificateLabels.contains { equal(text, label, $0.utf8) },
                    isTrusted: equal(text, label, trustedLabel.utf8)
                )
            case .end(let label):
                guard let block = open, isSame(text, block.label, label) else {
                    throw .unexpectedEnd(line: line.number)
                }
                if block.isCertificate {
                    guard count < mostCertificates else {
                        throw .tooManyCertificates(line: block.beginLine, limit: mostCertificates)
                    }
                    count += 1
                    try body(Result { () throws(PEMError) in try block.decoded() })
                } else if labels.count < mostLabels.count {
                    let bytes = [UInt8](copying: text.extracting(label.prefix(mostLabels.bytes)))
                    let name = String(decoding: bytes, as: UTF8.self)
                    if !labels.contains(name) { labels.append(name) }
                }
                open = nil
            case nil:
                open?.append(text, line)
            }
        }
        if let open { throw .unterminated(line: open.beginLine) }
        return labels
    }

    private enum Boundary {
        case begin(label: Range<Int>)
        case end(label: Range<Int>)
    }

    /// Recognises `-----BEGIN label-----` and `-----END label-----`.
    private static func boundary(in text: Span<UInt8>, line: Line) throws(PEMError) -> Boundary? {
        let range = withoutTrailingBlanks(line.range, in: text)
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

    static func withoutTrailingBlanks(_ range: Range<Int>, in text: Span<UInt8>) -> Range<Int> {
        var end = range.upperBound
        while end > range.lowerBound, isBlank(text[end - 1]) { end -= 1 }
        return range.lowerBound..<end
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

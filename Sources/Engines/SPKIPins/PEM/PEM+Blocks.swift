internal import WireFormat

extension PEM {
    /// One line of a text, its line break not included.
    struct Line {
        let number: Int
        let range: Range<Int>
    }

    /// Cuts a text at LF or CRLF.
    struct Lines {
        private var offset: Int
        private var number = 0

        init(in text: Span<UInt8>) {
            // UTF-8's byte order mark would hide a boundary on the first line.
            let startsWithMark = text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
            offset = startsWithMark ? 3 : 0
        }

        mutating func next(in text: Span<UInt8>) -> Line? {
            guard offset < text.count else { return nil }
            let start = offset
            while offset < text.count, text[offset] != UInt8(ascii: "\n") { offset += 1 }
            var end = offset
            if end > start, text[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            offset += 1
            number += 1
            return Line(number: number, range: start..<end)
        }
    }

    /// A block that has begun: its base64 digits so far, and on which line each stretch of them stood.
    struct Block {
        let label: Range<Int>
        let beginLine: Int
        let isCertificate: Bool
        /// Whether other data follow the certificate.
        private let isTrusted: Bool
        /// Why the certificate cannot be had, known before its end.
        private var problem: PEMError?
        private var digits: [UInt8] = []
        private var lineStarts: [(digit: Int, line: Int)] = []

        /// As many digits as the largest certificate takes, padding included.
        private static let mostDigits = (CertificateWalk.largestCertificate + 2) / 3 * 4

        init(label: Range<Int>, beginLine: Int, isCertificate: Bool, isTrusted: Bool) {
            self.label = label
            self.beginLine = beginLine
            self.isCertificate = isCertificate
            self.isTrusted = isTrusted
        }

        /// Takes one line of contents, without the blanks at its end; the contents of blocks that are not certificates are not kept.
        mutating func append(_ text: Span<UInt8>, _ line: Line) {
            guard isCertificate, problem == nil else { return }
            let range = PEM.withoutTrailingBlanks(line.range, in: text)
            guard digits.count + range.count <= Self.mostDigits else {
                problem = .certificateTooLarge(line: beginLine, limit: CertificateWalk.largestCertificate)
                digits = []
                return
            }
            // A line without digits cannot be to blame for one, and many of them would cost memory.
            guard !range.isEmpty else { return }
            lineStarts.append((digits.count, line.number))
            digits.append(copying: text.extracting(range))
        }

        func decoded() throws(PEMError) -> [UInt8] {
            if let problem { throw problem }
            guard !digits.isEmpty else { throw .emptyBlock(line: beginLine) }
            do throws(Base64Error) {
                let bytes = try Base64.decode(digits.span)
                return isTrusted ? Self.firstElement(of: bytes) : bytes
            } catch .invalidCharacter(let offset) {
                throw .invalidBase64(line: line(ofDigit: offset))
            } catch {
                // The length is wrong. A foreign character is the likelier cause, and has a line of its own.
                if let offset = digits.firstIndex(where: { !isBase64($0) }) {
                    throw .invalidBase64(line: line(ofDigit: offset))
                }
                throw .invalidEnding(line: beginLine)
            }
        }

        /// The first element of DER; all bytes if they do not begin with one.
        private static func firstElement(of bytes: [UInt8]) -> [UInt8] {
            var reader = DERReader(over: 0..<bytes.count)
            guard let element = try? reader.readElement(in: bytes.span) else { return bytes }
            return Array(bytes[element.range])
        }

        private func line(ofDigit offset: Int) -> Int {
            lineStarts.last { $0.digit <= offset }?.line ?? beginLine
        }

        private func isBase64(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
                true
            default: false
            }
        }
    }
}

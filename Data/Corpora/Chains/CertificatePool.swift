internal import SPKIPins
internal import SecureDigests
internal import WireFormat

/// The certificates of a recording while it is read, and the texts that they share.
struct CertificatePool {
    let path: String
    private(set) var certificates: [RecordedCertificate] = []
    private(set) var texts: [String] = []
    private(set) var verified = 0
    private var numbers: [CertificateFingerprint: Int32] = [:]
    private var textNumbers: [String: Int32] = [:]

    init(path: String) {
        self.path = path
    }

    /// The certificate with this fingerprint, in hexadecimal digits; `nil` for an unknown one or none at all.
    func number(_ line: Span<UInt8>, _ range: Range<Int>) -> Int32? {
        guard let fingerprint = Self.fingerprint(line, range) else { return nil }
        return numbers[fingerprint]
    }

    /// Whether the certificate is there.
    func holds(_ fingerprint: CertificateFingerprint) -> Bool { numbers[fingerprint] != nil }

    /// The number of a text; the same for the same text.
    mutating func number(of text: String) -> Int32 {
        if let known = textNumbers[text] { return known }
        let number = Int32(texts.count)
        texts.append(text)
        textNumbers[text] = number
        return number
    }

    /// Reads `certificates.ndjson`.
    mutating func read() throws(RecordingError) {
        try LineFeed(path: path).forEach { (line, number) throws(RecordingError) in
            var field = ""
            do throws(JSONLineError) {
                try add(line, number, &field)
            } catch {
                throw RecordingError(path: path, line: number, problem: error.problem(field))
            }
        }
    }

    private static let fields = [
        "certificate_sha256", "spki_sha256", "not_before", "not_after", "is_ca", "key_bits", "key_type", "subject",
        "issuer",
    ]

    private mutating func add(_ line: Span<UInt8>, _ number: Int, _ field: inout String) throws(JSONLineError) {
        var json = JSONLine()
        var fingerprint: CertificateFingerprint?
        var key: Pin?
        var notBefore: Int64?
        var notAfter: Int64?
        var isAuthority = false
        var (keyType, keyBits, subject, issuer) = (Int32(-1), 0, Int32(-1), Int32(-1))
        try json.open(line)
        while let name = try json.nextName(line) {
            field = JSONLine.name(line, name, among: Self.fields)
            switch field {
            case "certificate_sha256":
                fingerprint = try json.plainText(line).flatMap { Self.fingerprint(line, $0) }
                if fingerprint == nil { throw .wrongType(expected: "64 hexadecimal digits") }
            case "spki_sha256":
                key = try json.plainText(line).flatMap { Self.pin(line, $0) }
                if key == nil { throw .wrongType(expected: "base64 of 32 bytes") }
            case "not_before": notBefore = try Self.time(&json, line)
            case "not_after": notAfter = try Self.time(&json, line)
            case "is_ca": isAuthority = try json.truth(line)
            case "key_bits": keyBits = json.null(line) ? 0 : try json.integer(line)
            case "key_type": keyType = self.number(of: try json.text(line))
            case "subject": subject = self.number(of: try json.text(line))
            case "issuer": issuer = self.number(of: try json.text(line))
            default:
                // An unknown name could be any text, so it is in no error.
                try json.skipValue(line)
            }
        }
        field = ""
        guard let fingerprint else { throw .missing("certificate_sha256") }
        guard let key else { throw .missing("spki_sha256") }
        guard let notBefore else { throw .missing("not_before") }
        guard let notAfter else { throw .missing("not_after") }
        guard certificates.count < ChainRecording.Limits.certificates else {
            throw .tooMany("certificates", ChainRecording.Limits.certificates)
        }
        guard numbers.updateValue(Int32(certificates.count), forKey: fingerprint) == nil else {
            field = "certificate_sha256"
            throw .repeated
        }
        certificates.append(
            RecordedCertificate(
                fingerprint: fingerprint,
                key: key,
                notBefore: notBefore,
                notAfter: notAfter,
                isAuthority: isAuthority,
                keyBits: Int32(clamping: keyBits),
                keyType: keyType,
                subject: subject,
                issuer: issuer
            )
        )
    }

    /// Compares the bytes in a PEM file with what was said of them.
    mutating func verify(_ path: String) throws(RecordingError) {
        var block: [UInt8] = []
        var digits: [UInt8] = []
        var blockLine = 1
        let (begin, end) = (Array("-----BEGIN CERTIFICATE-----".utf8), Array("-----END CERTIFICATE-----".utf8))
        try LineFeed(path: path).forEach { (line, number) throws(RecordingError) in
            let isFirst = block.isEmpty
            if isFirst { blockLine = number }
            block.append(copying: line)
            block.append(UInt8(ascii: "\n"))
            guard line.count >= end.count, end.indices.allSatisfy({ line[$0] == end[$0] }) else {
                if !isFirst || !Self.equal(line, begin) { digits.append(copying: line) }
                return
            }
            // Mostly there is nothing but digits, and one pass is enough; what else there may be, the reader of PEM knows.
            let plain = Self.equal(line, end) ? try? Base64.decode(digits.span) : nil
            if let plain {
                try verify(plain, path, blockLine)
            } else {
                for certificate in try certificates(in: block, path, blockLine) {
                    try verify(certificate, path, blockLine)
                }
            }
            block.removeAll(keepingCapacity: true)
            digits.removeAll(keepingCapacity: true)
        }
    }

    private static func equal(_ line: Span<UInt8>, _ text: [UInt8]) -> Bool {
        line.count == text.count && text.indices.allSatisfy { line[$0] == text[$0] }
    }

    private func certificates(in block: [UInt8], _ path: String, _ line: Int) throws(RecordingError) -> [[UInt8]] {
        do throws(PEMError) {
            return try PEM.certificates(in: block.span)
        } catch {
            throw RecordingError(path: path, line: line, problem: "the certificate that starts here: \(error)")
        }
    }

    private mutating func verify(_ certificate: [UInt8], _ path: String, _ line: Int) throws(RecordingError) {
        let fingerprint = CertificateFingerprint(words: Digest32(sha256Of: certificate.span).words)
        guard let number = numbers[fingerprint] else {
            let problem = "this certificate is not in certificates.ndjson: add its line, or take it away"
            throw RecordingError(path: path, line: line, problem: problem)
        }
        guard let key = try? Pin(ofCertificate: certificate.span), key == certificates[Int(number)].key else {
            let problem = "this certificate's key is not its spki_sha256: make certificates.ndjson again"
            throw RecordingError(path: path, line: line, problem: problem)
        }
        verified += 1
    }

    // MARK: - Values

    static func time(_ json: inout JSONLine, _ line: Span<UInt8>) throws(JSONLineError) -> Int64 {
        guard let range = try json.plainText(line), let time = RecordingTime.unixSeconds(in: line, range) else {
            throw .wrongType(expected: "a time like 2026-01-31T09:30:00Z")
        }
        return time
    }

    /// The pin that stands in base64 at `range`, or `nil`.
    static func pin(_ line: Span<UInt8>, _ range: Range<Int>) -> Pin? {
        guard range.count == 44, let bytes = try? Base64.decode(line.extracting(range)) else { return nil }
        return Pin(digest: bytes.span)
    }

    private static func fingerprint(_ line: Span<UInt8>, _ range: Range<Int>) -> CertificateFingerprint? {
        guard range.count == 64 else { return nil }
        var words = SIMD4<UInt64>()
        for index in 0..<32 {
            guard let high = Hexadecimal.value(of: line[range.lowerBound + 2 * index]),
                let low = Hexadecimal.value(of: line[range.lowerBound + 2 * index + 1])
            else { return nil }
            words[index / 8] |= UInt64(high << 4 | low) << UInt64(index % 8 * 8)
        }
        return CertificateFingerprint(words: words)
    }
}

internal import SPKIPins
internal import WireFormat

/// The certificates of a recording while it is read, and the texts that they share.
struct CertificatePool: Sendable {
    let path: String
    private(set) var certificates: [RecordedCertificate] = []
    var texts = TextPool()
    private var numbers = NumberTable()
    private var keyBytes = [UInt8](repeating: 0, count: 33)

    init(path: String) {
        self.path = path
    }

    /// The number of a certificate; `nil` for an unknown one.
    @inline(__always)
    func number(of fingerprint: CertificateFingerprint) -> Int32? {
        numbers.number(hash: hash(of: fingerprint)) { number in
            certificates[Int(number)].fingerprint == fingerprint
        }
    }

    /// All of a fingerprint counts: it is what a line says, and lines may say hashes that nothing has.
    @inline(__always)
    private func hash(of fingerprint: CertificateFingerprint) -> UInt64 {
        var hash: UInt64 = 0
        for index in 0..<4 { hash = numbers.adding(fingerprint.words[index], to: hash) }
        return hash
    }

    /// Whether the certificate is there.
    func holds(_ fingerprint: CertificateFingerprint) -> Bool { number(of: fingerprint) != nil }

    /// Reads `certificates.ndjson`.
    mutating func read() throws(RecordingError) {
        try LineFeed(path: path).forEach { (line, number) throws(RecordingError) in
            var field: Field?
            do throws(JSONLineError) {
                try add(line, &field)
            } catch {
                throw RecordingError(path: path, line: number, problem: error.problem(field?.rawValue ?? ""))
            }
        }
    }

    /// In the order of the lines that we write.
    private enum Field: String, CaseIterable {
        case fingerprint = "certificate_sha256"
        case isAuthority = "is_ca"
        case issuer
        case keyBits = "key_bits"
        case keyType = "key_type"
        case notAfter = "not_after"
        case notBefore = "not_before"
        case key = "spki_sha256"
        case subject
    }

    private let fields = JSONFields<Field>()

    private mutating func add(_ line: Span<UInt8>, _ field: inout Field?) throws(JSONLineError) {
        var json = JSONScanner()
        var seen: UInt32 = 0
        var fingerprint: CertificateFingerprint?
        var key: Pin?
        var notBefore: Int64?
        var notAfter: Int64?
        var isAuthority = false
        var (keyType, keyBits, subject, issuer) = (Int32(-1), 0, Int32(-1), Int32(-1))
        var isMore = try json.openObject(line)
        while isMore {
            let member = fields.member(try json.memberName(line), seen: &seen)
            field = member.field
            guard !member.isRepeated else { throw .repeatedName }
            switch field {
            case .fingerprint:
                fingerprint = Self.fingerprint(&json, line)
                if fingerprint == nil { throw .wrongType(expected: "64 hexadecimal digits") }
            case .key:
                key = pin(&json, line)
                if key == nil { throw .wrongType(expected: "base64 of 32 bytes") }
            case .notBefore: notBefore = try Self.time(&json, line)
            case .notAfter: notAfter = try Self.time(&json, line)
            case .isAuthority:
                guard let flag = json.boolean(line) else { throw .wrongType(expected: "true or false") }
                isAuthority = flag
            case .keyBits: keyBits = json.null(line) ? 0 : try json.integer(line)
            case .keyType: keyType = try texts.number(&json, line)
            case .subject: subject = try texts.number(&json, line)
            case .issuer: issuer = try texts.number(&json, line)
            // An unknown name could be any text, so it is in no error.
            case nil: try json.skipUnknown(line)
            }
            isMore = try json.nextMember(line)
        }
        field = nil
        guard let fingerprint else { throw .missing(Field.fingerprint.rawValue) }
        guard let key else { throw .missing(Field.key.rawValue) }
        guard let notBefore else { throw .missing(Field.notBefore.rawValue) }
        guard let notAfter else { throw .missing(Field.notAfter.rawValue) }
        guard certificates.count < ChainRecording.Limits.certificates else {
            throw .tooMany("certificates", ChainRecording.Limits.certificates)
        }
        guard !holds(fingerprint) else {
            field = .fingerprint
            throw .repeated
        }
        numbers.insert(Int32(certificates.count), hash: hash(of: fingerprint))
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

    // MARK: - Values

    static func time(_ json: inout JSONScanner, _ line: Span<UInt8>) throws(JSONLineError) -> Int64 {
        // Without a fraction, as most are, or with one.
        guard let range = json.plainText(line, count: 20) ?? json.plainText(line),
            let time = Timestamp(inUTC: line, range)?.seconds
        else {
            throw .wrongType(expected: "a time like 2026-01-31T09:30:00Z")
        }
        return time
    }

    /// The pin that stands next, in base64; `nil` for anything else.
    mutating func pin(_ json: inout JSONScanner, _ line: Span<UInt8>) -> Pin? {
        guard let range = json.plainText(line, count: 44),
            let count = try? Base64.decode(line.extracting(range), into: &keyBytes, at: 0)
        else { return nil }
        return Pin(digest: keyBytes.span.extracting(first: count))
    }

    /// The fingerprint that stands next, in hexadecimal digits; `nil` for anything else.
    @inline(__always)
    static func fingerprint(_ json: inout JSONScanner, _ line: Span<UInt8>) -> CertificateFingerprint? {
        guard let range = json.plainText(line, count: 64) else { return nil }
        var words = SIMD4<UInt64>()
        for index in 0..<4 {
            let start = range.lowerBound &+ 16 &* index
            guard let first = littleEndianUInt64(in: line, at: start), let low = Hexadecimal.fourBytes(of: first),
                let second = littleEndianUInt64(in: line, at: start &+ 8), let high = Hexadecimal.fourBytes(of: second)
            else { return nil }
            words[index] = UInt64(high) << 32 | UInt64(low)
        }
        return CertificateFingerprint(words: words)
    }
}

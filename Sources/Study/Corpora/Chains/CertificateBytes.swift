internal import SPKIPins
internal import Secrets
internal import WireFormat

/// Compares the bytes in `certificates.pem` with what `certificates.ndjson` says of them.
///
/// Three quarters of a recording are read here. A block that looks as our own do is decoded from where it was read to where
/// it is hashed, and many are hashed side by side; whatever looks different is left to the reader of PEM.
struct CertificateBytes {
    /// As many certificates are hashed at once at most: they stay in the nearer caches.
    private static let mostAtOnce = 64
    private static let begin = [UInt8]("-----BEGIN CERTIFICATE-----\n".utf8)
    private static let end = [UInt8]("-----END CERTIFICATE-----".utf8)
    /// Characters of a line as we write it.
    private static let lineDigits = 64
    /// Bytes of the largest certificate, and of a line that makes it too large.
    private static let mostDecoded = CertificateWalk.largestCertificate + lineDigits

    let path: String
    private let pool: CertificatePool
    /// How many certificates were what is said of them.
    private(set) var verified = 0

    // Decoded certificates that are not hashed yet: their bytes, the range of each one, and its line in the file.
    private var decoded = [UInt8](repeating: 0, count: 4 * CertificateWalk.largestCertificate)
    private var filled = 0
    private var certificates: [(place: Range<Int>, line: Int)] = []

    init(path: String, pool: CertificatePool) {
        self.path = path
        self.pool = pool
    }

    /// Reads the file, and throws at the first certificate whose bytes differ from what the recording states.
    mutating func verify() throws(RecordingError) {
        var line = 1
        try ChunkFeed(path: path).forEach { (bytes, isAtEnd) throws(RecordingError) in
            var start = 0
            while start < bytes.count {
                if let block = decodeBlock(bytes, from: start, line: line) {
                    line += block.lines
                    start = block.end
                    if certificates.count == Self.mostAtOnce || decoded.count - filled < Self.mostDecoded {
                        try compare()
                    }
                    continue
                }
                let window = bytes.extracting(start..<min(bytes.count, start + ChainRecording.Limits.blockBytes))
                guard isAtEnd || window.count == ChainRecording.Limits.blockBytes else { break }
                guard let block = Self.block(in: window) else {
                    guard window.count < ChainRecording.Limits.blockBytes else { throw Self.noEnd(path, line) }
                    // Text behind the last certificate, or one that a crash cut short.
                    break
                }
                try read(window.extracting(first: block.end), line: line)
                line += block.lines
                start += block.end
            }
            return start
        }
        try compare()
    }

    // MARK: - Blocks

    /// Decodes the certificate that starts at `start` when it looks as our own do: where its block ends, and its lines.
    private mutating func decodeBlock(_ bytes: Span<UInt8>, from start: Int, line: Int) -> (end: Int, lines: Int)? {
        guard Self.stands(Self.begin, in: bytes, at: start) else { return nil }
        let largest = CertificateWalk.largestCertificate
        var place = start &+ Self.begin.count
        var (written, lines, isPadded) = (filled, 1, false)
        while place < bytes.count, bytes[place] != UInt8(ascii: "-") {
            let full = place &+ Self.lineDigits
            let isFull = full < bytes.count && bytes[full] == UInt8(ascii: "\n")
            guard !isPadded, written - filled <= largest,
                let end = isFull ? full : newline(in: bytes, from: place), end - place <= Self.lineDigits,
                let count = try? Base64.decode(bytes.extracting(place..<end), into: &decoded, at: written), count > 0
            else { return nil }
            isPadded = count < (end - place) / 4 * 3
            written += count
            place = end &+ 1
            lines += 1
        }
        let end = place &+ Self.end.count
        guard written > filled, written - filled <= largest, end < bytes.count, bytes[end] == UInt8(ascii: "\n"),
            Self.stands(Self.end, in: bytes, at: place)
        else { return nil }
        certificates.append((filled..<written, line))
        filled = written
        return (end + 1, lines + 1)
    }

    /// Where the first block ends, with its line, and how many lines it has; `nil` when it does not end.
    private static func block(in bytes: Span<UInt8>) -> (end: Int, lines: Int)? {
        var (start, lines) = (0, 0)
        while start < bytes.count {
            let next = newline(in: bytes, from: start) ?? bytes.count
            lines += 1
            if stands(end, in: bytes, at: start) { return (min(next + 1, bytes.count), lines) }
            start = next + 1
        }
        return nil
    }

    private static func stands(_ text: [UInt8], in bytes: Span<UInt8>, at start: Int) -> Bool {
        guard bytes.count - start >= text.count else { return false }
        for index in text.indices where bytes[start &+ index] != text[index] { return false }
        return true
    }

    /// Reads a PEM block whose layout differs from the one that this project writes.
    private mutating func read(_ block: Span<UInt8>, line: Int) throws(RecordingError) {
        // The certificates before this block are checked first, so that errors come in the order of the file.
        try compare()
        let found: [[UInt8]]
        do throws(PEMError) {
            found = try PEM.certificates(in: block)
        } catch {
            throw RecordingError(path: path, line: line, problem: "the certificate that starts here: \(error)")
        }
        for certificate in found {
            decoded.replaceSubrange(0..<certificate.count, with: certificate)
            certificates.append((0..<certificate.count, line))
            try compare()
        }
    }

    private static func noEnd(_ path: String, _ line: Int) -> RecordingError {
        let problem = "no certificate ends within \(ChainRecording.Limits.blockBytes) bytes: is this PEM?"
        return RecordingError(path: path, line: line, problem: problem)
    }

    // MARK: - Hashes

    /// Hashes what was decoded, and its keys.
    private mutating func compare() throws(RecordingError) {
        let places = certificates.map(\.place)
        let digests = Digest32.sha256(of: places, in: decoded.span)
        let keys = Pin.ofCertificates(at: places, in: decoded.span)
        for (index, certificate) in certificates.enumerated() {
            guard let number = pool.number(of: CertificateFingerprint(words: digests[index].words)) else {
                let problem = "this certificate is not in certificates.ndjson: add its line, or take it away"
                throw RecordingError(path: path, line: certificate.line, problem: problem)
            }
            guard case .success(pool.certificates[Int(number)].key) = keys[index] else {
                let problem = "this certificate's key is not its spki_sha256: make certificates.ndjson again"
                throw RecordingError(path: path, line: certificate.line, problem: problem)
            }
        }
        verified += certificates.count
        certificates.removeAll(keepingCapacity: true)
        filled = 0
    }
}

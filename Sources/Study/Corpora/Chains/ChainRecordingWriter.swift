package import Foundation
package import SPKIPins
internal import Secrets
internal import WireFormat

/// Appends to a recording of chains, one writer at a time.
///
/// The writer appends whole lines and never changes existing ones. ``commit()`` puts facts of certificates on the disk before their bytes,
/// and both before the observations that name them: whatever moment a crash picks, what is there can be read. A line that a
/// crash cut short is taken away by the next writer.
package struct ChainRecordingWriter: ~Copyable {
    /// What is seen at one time, or at both ends of a span; certificates in DER.
    package struct Entry: Sendable {
        /// When the chain was first seen, in seconds since 1970.
        package var first: Int64
        /// When it was last seen; not before `first`.
        package var last: Int64
        /// The host and port that presented the chain.
        package var endpoint: RecordedEndpoint
        /// The chain as validation built it, leaf to anchor; `nil` when it did not validate.
        package var validated: [[UInt8]]?
        /// The chain as the server sent it; `nil` = unknown.
        package var presented: [[UInt8]]?
        /// What the chain is.
        package var label = ChainLabel.genuine
        /// Keys that the operator held in reserve.
        package var nextKeys: [Pin] = []
        /// The time at which the leaf's key of the server's previous chain leaked, in seconds since 1970.
        package var previousKeyLeaked: Int64?
        /// Who saw the chain.
        package var source: String?
        /// A remark for people; no program reads it.
        package var note: String?

        /// One chain, seen from `first` to `last`.
        package init(first: Int64, last: Int64, endpoint: RecordedEndpoint) {
            self.first = first
            self.last = last
            self.endpoint = endpoint
        }
    }

    /// Pending bytes at which ``add(_:keepingBytes:)`` commits by itself.
    package static let pendingBytes = 4 << 20

    private var observations: AppendOnlyFile
    private var certificates: AppendOnlyFile
    private var bytes: AppendOnlyFile
    private let known: CertificatePool
    private var added: Set<CertificateFingerprint> = []
    private let encoder = JSONEncoder()
    /// Whether observations were there before.
    package let appends: Bool

    /// Opens the recording in `folder` for appending, or starts one there.
    ///
    /// A folder with anything else in it is refused: a recording of challenges has a `certificates.pem`, too.
    ///
    /// - Complexity: linear in `certificates.ndjson`, which says which certificates are there already.
    package init(folder: URL) throws(RecordingError) {
        let appends = try ChainRecordingFolder(making: folder.path).holdsObservations()
        // The lock comes first: what the other files hold may be judged by one writer alone.
        let observations = try AppendOnlyFile(folder.appending(path: "observations.ndjson").path, isLocked: true)
        let certificates = try AppendOnlyFile(folder.appending(path: "certificates.ndjson").path)
        let bytes = try AppendOnlyFile(folder.appending(path: "certificates.pem").path)
        try observations.dropTornTail(after: "\n")
        try certificates.dropTornTail(after: "\n")
        try bytes.dropTornTail(after: "-----END CERTIFICATE-----\n")
        var known = CertificatePool(path: certificates.path)
        try known.read()
        self.observations = observations
        self.certificates = certificates
        self.bytes = bytes
        self.known = known
        self.appends = appends
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// Adds an observation and the certificates that are new in it.
    ///
    /// - Parameter keepingBytes: whether the bytes of new certificates are written, too.
    /// - Throws: an error that names the certificate that cannot be read; then the recording is unchanged.
    package mutating func add(_ entry: Entry, keepingBytes: Bool = true) throws(RecordingError) {
        let chains = [entry.validated, entry.presented].compactMap(\.self)
        let limit = ChainRecording.Limits.chain
        guard !chains.isEmpty, chains.allSatisfy({ (1...limit).contains($0.count) }) else {
            throw problem("\(entry.endpoint): a chain has 1 to \(limit) certificates")
        }
        guard entry.endpoint.isPlain else {
            throw problem("a host is a name in lower case (A-labels) or an address, and its port 1 to 65535")
        }
        guard entry.first <= entry.last, entry.nextKeys.count <= ChainRecording.Limits.nextKeys else {
            throw problem(
                "\(entry.endpoint): a span ends after it starts, with \(ChainRecording.Limits.nextKeys) keys at most"
            )
        }
        guard entry.previousKeyLeaked ?? entry.first <= entry.first else {
            throw problem("\(entry.endpoint): a key leaks before the chain after it is seen")
        }
        // All are read before one is written, so that a bad certificate leaves no good one without its observation.
        var facts: [(fingerprint: CertificateFingerprint, line: CertificateLine, der: [UInt8])] = []
        for der in chains.joined() {
            let fingerprint = CertificateFingerprint(of: der)
            guard !known.holds(fingerprint), !added.contains(fingerprint) else { continue }
            do throws(CertificateError) {
                facts.append((fingerprint, CertificateLine(try CertificateDetails(of: der.span), der), der))
            } catch {
                throw problem("\(entry.endpoint): a certificate of its chain: \(error)")
            }
        }
        let line = try encoded(ObservationLine(entry))
        for fact in facts where added.insert(fact.fingerprint).inserted {
            certificates.append(try encoded(fact.line))
            if keepingBytes { bytes.append(Self.pem(fact.der)) }
        }
        observations.append(line)
        if observations.pending + certificates.pending + bytes.pending > Self.pendingBytes { try commit() }
    }

    /// Puts everything that was added on the disk.
    package mutating func commit() throws(RecordingError) {
        try certificates.flush()
        try bytes.flush()
        try observations.flush()
    }

    private func encoded(_ value: some Encodable) throws(RecordingError) -> [UInt8] {
        guard let data = try? encoder.encode(value), data.count < ChainRecording.Limits.lineBytes else {
            throw problem("a line would be longer than \(ChainRecording.Limits.lineBytes) bytes")
        }
        return [UInt8](data) + [UInt8(ascii: "\n")]
    }

    private func problem(_ text: String) -> RecordingError {
        RecordingError(path: observations.path, line: nil, problem: text)
    }

    private static func pem(_ der: [UInt8]) -> [UInt8] {
        var text = "-----BEGIN CERTIFICATE-----\n"
        var rest = Base64.encode(der.span)[...]
        while !rest.isEmpty {
            text += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return [UInt8]((text + "-----END CERTIFICATE-----\n").utf8)
    }
}

extension CertificateFingerprint {
    init(of der: [UInt8]) {
        self.init(words: Digest32(sha256Of: der.span).words)
    }
}

/// A line of `observations.ndjson`.
private struct ObservationLine: Encodable {
    let time, first, last: String?
    let host: String
    let port: Int
    let chain, presented: [String]?
    let label: ChainLabel
    let nextKeys: [String]?
    let previousKeyLeaked: String?
    let source, note: String?

    enum CodingKeys: String, CodingKey {
        case time, first, last, host, port, chain, presented, label, source, note
        case nextKeys = "next_keys"
        case previousKeyLeaked = "previous_key_leaked"
    }

    init(_ entry: ChainRecordingWriter.Entry) {
        let isOnce = entry.first == entry.last
        time = isOnce ? Timestamp.text(unixSeconds: entry.first) : nil
        first = isOnce ? nil : Timestamp.text(unixSeconds: entry.first)
        last = isOnce ? nil : Timestamp.text(unixSeconds: entry.last)
        host = entry.endpoint.host
        port = entry.endpoint.port
        chain = entry.validated?.map(CertificateLine.fingerprint)
        presented = entry.presented?.map(CertificateLine.fingerprint)
        label = entry.label
        nextKeys = entry.nextKeys.isEmpty ? nil : entry.nextKeys.map(CertificateLine.base64)
        previousKeyLeaked = entry.previousKeyLeaked.map(Timestamp.text(unixSeconds:))
        source = entry.source
        note = entry.note
    }
}

/// A line of `certificates.ndjson`.
private struct CertificateLine: Encodable {
    let certificateSHA256, spkiSHA256, keyType: String
    let keyBits: Int?
    let subject, issuer, notBefore, notAfter: String
    let isAuthority: Bool

    enum CodingKeys: String, CodingKey {
        case subject, issuer
        case certificateSHA256 = "certificate_sha256"
        case spkiSHA256 = "spki_sha256"
        case keyType = "key_type"
        case keyBits = "key_bits"
        case notBefore = "not_before"
        case notAfter = "not_after"
        case isAuthority = "is_ca"
    }

    init(_ details: CertificateDetails, _ der: [UInt8]) {
        certificateSHA256 = Self.fingerprint(der)
        spkiSHA256 = Self.base64(details.pin)
        keyType = details.key.type
        keyBits = details.key.bits
        subject = details.subject
        issuer = details.issuer
        notBefore = Timestamp.text(unixSeconds: details.notBefore)
        notAfter = Timestamp.text(unixSeconds: details.notAfter)
        isAuthority = details.isAuthority
    }

    static func fingerprint(_ der: [UInt8]) -> String {
        Hexadecimal.encode(Digest32(sha256Of: der.span).bytes.span)
    }

    static func base64(_ pin: Pin) -> String { String(pin.description.dropFirst("sha256/".count)) }
}

/// What certificates and keys at hand tell about pins: which key each is under whatever name, and which authority it hangs on.
///
/// The rule about backups is here once, for the compiler of policies and for the audit.
package struct KnownKeys {
    /// Whose signature a certificate has, and whose name it bears.
    private struct Names {
        let issuer: ArraySlice<UInt8>
        let subject: ArraySlice<UInt8>
    }

    /// The contents of the key's bit string: the key itself, without the identifier of its algorithm.
    private var keys: [Pin: ArraySlice<UInt8>] = [:]
    private var names: [Pin: [Names]] = [:]

    /// Knows nothing yet.
    package init() {}

    init(of certificates: [[UInt8]]) throws(PinPolicyError) {
        for (index, certificate) in certificates.enumerated() {
            do throws(CertificateError) {
                try append(certificate: certificate)
            } catch {
                throw .unreadableCertificate(index: index, reason: error)
            }
        }
    }

    /// Learns from a certificate in DER, of which no more is read than the walk to its key does.
    package mutating func append(certificate bytes: [UInt8]) throws(CertificateError) {
        let walk = try CertificateWalk(of: bytes.span)
        let pin = Pin(hashing: bytes.span.extracting(walk.subjectPublicKeyInfo.range))
        keys[pin] = bytes[walk.subjectPublicKeyInfo.key]
        names[pin, default: []].append(Names(issuer: bytes[walk.issuer], subject: bytes[walk.subject]))
    }

    /// Learns from a key that has no certificate, the DER of its SubjectPublicKeyInfo.
    package mutating func append(subjectPublicKeyInfo bytes: [UInt8]) throws(CertificateError) {
        var reader = DERReader(over: 0..<bytes.count)
        let info = try SubjectPublicKeyInfo(reading: &reader, in: bytes.span)
        try reader.finish()
        keys[Pin(hashing: bytes.span)] = bytes[info.key]
    }

    /// Whether both pins are known to be of one key.
    package func isOneKey(_ one: Pin, _ other: Pin) -> Bool {
        guard let key = keys[one] else { return one == other }
        return key == keys[other]
    }

    /// Why backups are none; `backup` is the first or, of dependent ones, the last that is meant.
    package enum BackupFault: Equatable, Sendable {
        /// The backup is the key of a primary pin under another algorithm identifier.
        case primaryKey(backup: Pin, primary: Pin)
        /// Every backup hangs on the authority of a primary pin: one has issued both, or one of the two the other.
        case sameAuthority(backup: Pin, primary: Pin)
    }

    /// What is wrong with the backups beside the primary pins, or `nil` where one may serve when the others are gone.
    ///
    /// A key that is not known hangs on nobody: most likely nobody has signed it yet. Of several certificates of one key
    /// (cross-signed ones), one from elsewhere is enough.
    ///
    /// - Complexity: O(*n*) in the pins and their certificates.
    package func fault(of backups: [Pin], besides primary: [Pin]) -> BackupFault? {
        guard !keys.isEmpty else { return nil }
        let relatives = Relatives(of: primary, keys, names)
        var dependent: BackupFault?
        var isAnyIndependent = false
        for backup in backups {
            if let key = keys[backup], let owner = relatives.owners[key] {
                return .primaryKey(backup: backup, primary: owner)
            }
            let known = names[backup] ?? []
            let related = known.compactMap(relatives.relative)
            if let first = related.first, related.count == known.count {
                dependent = .sameAuthority(backup: backup, primary: first)
            } else {
                isAnyIndependent = true
            }
        }
        return isAnyIndependent ? nil : dependent
    }

    /// The primary pins, by what a backup could have in common with them.
    private struct Relatives {
        var owners: [ArraySlice<UInt8>: Pin] = [:]
        private var byIssuer: [ArraySlice<UInt8>: Pin] = [:]
        private var bySubject: [ArraySlice<UInt8>: Pin] = [:]

        init(of primary: [Pin], _ keys: [Pin: ArraySlice<UInt8>], _ names: [Pin: [Names]]) {
            for pin in primary.reversed() {
                if let key = keys[pin] { owners[key] = pin }
                for known in names[pin] ?? [] {
                    byIssuer[known.issuer] = pin
                    bySubject[known.subject] = pin
                }
            }
        }

        /// The primary pin that hangs on one authority with a certificate.
        func relative(of names: Names) -> Pin? {
            byIssuer[names.issuer] ?? bySubject[names.issuer] ?? byIssuer[names.subject]
        }
    }
}

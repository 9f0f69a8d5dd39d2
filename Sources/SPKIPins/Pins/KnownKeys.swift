/// What certificates at hand tell about pinned keys: which key it is under whatever name, and which authority it hangs on.
struct KnownKeys {
    private struct Certificate {
        let key: ArraySlice<UInt8>
        let issuer: ArraySlice<UInt8>
        let subject: ArraySlice<UInt8>

        /// Whether both hang on one authority: issued by the same, or one issued by the other.
        func sharesAuthority(with other: Certificate) -> Bool {
            issuer == other.issuer || issuer == other.subject || subject == other.issuer
        }
    }

    private var certificates: [Pin: [Certificate]] = [:]

    init(of known: [[UInt8]]) throws(PinPolicyError) {
        for (index, bytes) in known.enumerated() {
            do throws(CertificateError) {
                let walk = try CertificateWalk(of: bytes.span)
                let pin = Pin(hashing: bytes.span.extracting(walk.subjectPublicKeyInfo.range))
                let certificate = Certificate(
                    key: bytes[walk.subjectPublicKeyInfo.key],
                    issuer: bytes[walk.issuer],
                    subject: bytes[walk.subject]
                )
                certificates[pin, default: []].append(certificate)
            } catch {
                throw .unreadableCertificate(index: index, reason: error)
            }
        }
    }

    /// Throws when a backup has the key of a primary pin under another algorithm identifier, and when no backup is left
    /// that might hang on another authority than the primary pins do.
    func checkBackups(in members: [PinSet.Member], entry: Int) throws(PinPolicyError) {
        guard !certificates.isEmpty else { return }
        let primary = members.filter { $0.role == .primary }.flatMap { certificates[$0.pin] ?? [] }
        var dependent: Pin?
        var isAnyIndependent = false
        for backup in members where backup.role == .backup {
            guard let known = certificates[backup.pin] else {
                // A key without a certificate yet: nobody has signed it.
                isAnyIndependent = true
                continue
            }
            if known.contains(where: { own in primary.contains { $0.key == own.key } }) {
                throw .backupHasPrimaryKey(entry: entry, pin: backup.pin)
            }
            // Of several certificates of one key (cross-signed ones), one from elsewhere is enough.
            if known.allSatisfy({ own in primary.contains { $0.sharesAuthority(with: own) } }) {
                dependent = backup.pin
            } else {
                isAnyIndependent = true
            }
        }
        if let dependent, !isAnyIndependent { throw .backupOfSameAuthority(entry: entry, pin: dependent) }
    }
}

internal import WireFormat

/// What known certificates and keys say about pins: the key bits of each pin, and its certificate authority.
///
/// The compiler of policies and the audit share the rule about backups.
package struct KnownKeys {
    /// Issuer and subject of a certificate.
    private struct Names {
        let issuer: ArraySlice<UInt8>
        let subject: ArraySlice<UInt8>
    }

    /// The contents of the key's bit string: the key itself, without the identifier of its algorithm.
    private var keys: [Pin: ArraySlice<UInt8>] = [:]
    private var names: [Pin: [Names]] = [:]

    /// Makes an empty collection.
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

    /// Adds a certificate in DER, which is read as far as its key.
    package mutating func append(certificate bytes: [UInt8]) throws(CertificateError) {
        let walk = try CertificateWalk(of: bytes.span)
        let pin = Pin(hashing: bytes.span.extracting(walk.subjectPublicKeyInfo.range))
        keys[pin] = bytes[walk.subjectPublicKeyInfo.key]
        names[pin, default: []].append(Names(issuer: bytes[walk.issuer], subject: bytes[walk.subject]))
    }

    /// Adds a key without a certificate, the DER of its SubjectPublicKeyInfo.
    package mutating func append(subjectPublicKeyInfo bytes: [UInt8]) throws(CertificateError) {
        var reader = DERReader(over: 0..<bytes.count)
        let info = try SubjectPublicKeyInfo(reading: &reader, in: bytes.span)
        try reader.finish()
        keys[Pin(hashing: bytes.span)] = bytes[info.key]
    }

    /// Whether both pins are known to belong to one key.
    package func isOneKey(_ one: Pin, _ other: Pin) -> Bool {
        guard let key = keys[one] else { return one == other }
        return key == keys[other]
    }

    /// Why backups cannot serve as such; `backup` is the first such pin or, for `sameAuthority`, the last.
    package enum BackupFault: Equatable, Sendable {
        /// The backup is the key of a primary pin under another algorithm identifier.
        case primaryKey(backup: Pin, primary: Pin)
        /// Every backup shares the authority of a primary pin: one issuer signed both, or one of the two signed the other.
        case sameAuthority(backup: Pin, primary: Pin)
    }

    /// What is wrong with the backups beside the primary pins, or `nil` if one of them is independent.
    ///
    /// An unknown key counts as independent, because it most likely has no certificate yet. Of several certificates of one
    /// key (cross-signed ones), one of another authority is enough.
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

    /// The primary pins by key, issuer and subject.
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

        /// The primary pin that shares an authority with a certificate.
        func relative(of names: Names) -> Pin? {
            byIssuer[names.issuer] ?? bySubject[names.issuer] ?? byIssuer[names.subject]
        }
    }
}

internal import SPKIPins

/// The certificates and keys of an audit, read as far as they can be, and what is to be told of the others.
struct AuditedCertificates {
    private(set) var certificates: [KnownCertificate] = []
    private(set) var keys = AuditedKeys()
    /// What the compiler of policies would know.
    private(set) var pinned = KnownKeys()
    /// What may have been hashed in place of a key.
    private(set) var mistaken = MistakenHashes()
    private(set) var findings: [AuditFinding] = []

    /// Reads a certificate in DER that was given at `index`, or that a server presents at `place`.
    mutating func append(_ certificate: [UInt8], at place: AuditFinding.Place, index: Int? = nil) {
        do throws(CertificateError) {
            let walk = try CertificateWalk(of: certificate.span)
            let one = try KnownCertificate(of: certificate)
            try pinned.append(certificate: certificate)
            mistaken.append(certificate: certificate)
            certificates.append(one)
            keys.append(one.pin, Array(certificate[walk.subjectPublicKeyInfo.range]), certificate: index)
            if let error = one.detailsError {
                findings.append(AuditFinding(place: place, problem: .certificate(.unreadableDetails(error))))
            }
        } catch {
            findings.append(AuditFinding(place: place, problem: .key(.unreadable(.malformed(error)))))
        }
    }

    /// Takes the DER of a SubjectPublicKeyInfo.
    mutating func append(subjectPublicKeyInfo key: [UInt8]) {
        keys.append(Pin(hashing: key.span), key, certificate: nil)
        // One that cannot be read is told of among the keys.
        try? pinned.append(subjectPublicKeyInfo: key)
    }
}

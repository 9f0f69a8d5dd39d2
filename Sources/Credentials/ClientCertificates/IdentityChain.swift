internal import SPKIPins

/// The certificate of a key, and the certificates of its issuers.
package struct IdentityChain: Sendable {
    /// DER, the key's own certificate first.
    package let certificates: [[UInt8]]
    /// The first second in which the key's certificate is valid, counted from 1970-01-01T00:00:00Z.
    package let notBefore: Int64
    /// The last second in which it is valid.
    package let notAfter: Int64

    /// Chooses among certificates in any order, of which others are left out.
    ///
    /// - Parameters:
    ///   - publicKeyInfo: the key's SubjectPublicKeyInfo in DER.
    ///   - certificates: DER.
    ///   - limit: the most certificates.
    /// - Complexity: O(*n*²) in the number of certificates, which is bounded.
    package init(
        of publicKeyInfo: [UInt8],
        in certificates: [[UInt8]],
        limit: Int = IdentityLimits.certificates
    ) throws(IdentityError.Problem) {
        guard !certificates.isEmpty else { throw .noCertificate }
        guard certificates.count <= limit else { throw .tooManyCertificates }
        var links: [CertificateLink] = []
        for (index, certificate) in certificates.enumerated() {
            guard let link = CertificateLink(of: certificate) else { throw .unreadableCertificate(number: index + 1) }
            links.append(link)
        }
        // A renewed certificate of the same key is the better one.
        let own = links.filter { $0.publicKeyInfo.elementsEqual(publicKeyInfo) }.max { $0.notAfter < $1.notAfter }
        guard let own else { throw .keyMatchesNoCertificate }
        var chain = [own]
        while let last = chain.last, last.issuer != last.subject,
            let next = links.first(where: { $0.subject == last.issuer && !chain.contains($0) })
        {
            chain.append(next)
        }
        self.certificates = chain.map(\.bytes)
        notBefore = own.notBefore
        notAfter = own.notAfter
    }
}

/// The parts of a certificate by which a chain is made.
private struct CertificateLink: Equatable {
    let bytes: [UInt8]
    let subject: ArraySlice<UInt8>
    let issuer: ArraySlice<UInt8>
    let publicKeyInfo: ArraySlice<UInt8>
    let notBefore: Int64
    let notAfter: Int64

    init?(of certificate: [UInt8]) {
        let span = certificate.span
        guard let walk = try? CertificateWalk(of: span), let validity = try? walk.validity(in: span) else { return nil }
        bytes = certificate
        subject = certificate[walk.subject]
        issuer = certificate[walk.issuer]
        publicKeyInfo = certificate[walk.subjectPublicKeyInfo.range]
        (notBefore, notAfter) = validity
    }
}

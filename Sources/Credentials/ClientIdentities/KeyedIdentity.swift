public import Credentials
internal import SPKIPins
internal import WireFormat

/// A client identity and its private key, which belong together.
///
/// The description is the name; neither the key nor a certificate is shown.
public struct KeyedIdentity: Sendable {
    /// The name and the certificates, the key's own first.
    public let identity: ClientIdentity
    /// The private key.
    public let key: IdentityKey
    /// The first second in which the key's certificate is valid, counted from 1970-01-01T00:00:00Z.
    public let notBefore: Int64
    /// The last second in which it is valid.
    public let notAfter: Int64

    /// Pairs a key with its certificate.
    ///
    /// - Parameters:
    ///   - name: the name of the identity in the profile.
    ///   - certificates: DER, in any order. The chain is made of the key's certificate and, as far as they are there, of its issuers;
    ///     others are left out.
    ///   - key: the private key.
    /// - Complexity: O(*n*²) in the number of certificates, which is bounded.
    public init(name: String, certificates: [[UInt8]], key: IdentityKey) throws(IdentityError.Problem) {
        guard !certificates.isEmpty else { throw .noCertificate }
        guard certificates.count <= IdentityLimits.certificates else { throw .tooManyCertificates }
        var links: [CertificateLink] = []
        for (index, certificate) in certificates.enumerated() {
            guard let link = CertificateLink(of: certificate) else { throw .unreadableCertificate(number: index + 1) }
            links.append(link)
        }
        // A renewed certificate of the same key is the better one.
        let own = links.filter { $0.publicKeyInfo.elementsEqual(key.publicKeyInfo) }.max { $0.notAfter < $1.notAfter }
        guard let own else { throw .keyMatchesNoCertificate }
        var chain = [own]
        while let last = chain.last, last.issuer != last.subject,
            let next = links.first(where: { $0.subject == last.issuer && !chain.contains($0) })
        {
            chain.append(next)
        }
        identity = ClientIdentity(name: name, certificateChain: chain.map(\.bytes))
        self.key = key
        notBefore = own.notBefore
        notAfter = own.notAfter
    }

    /// Whether the identity's certificate is valid at a time in seconds since 1970-01-01T00:00:00Z.
    public func isValid(at seconds: Int64) -> Bool { notBefore <= seconds && seconds <= notAfter }
}

extension KeyedIdentity: CustomStringConvertible {
    /// The name of the identity.
    public var description: String { identity.description }
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

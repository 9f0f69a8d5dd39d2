public import Credentials
public import SPKIPins
internal import WireFormat

/// A client identity with what decides whether a server accepts it.
public struct IdentityCandidate: Sendable {
    /// The name and the certificates.
    public let identity: ClientIdentity
    /// The name of the owner (RFC 4514).
    public let subject: String
    /// The name of the authority that issued the certificate.
    public let issuer: String
    /// Kind and size of the key.
    public let key: CertificateDetails.Key
    /// The first second in which the certificate is valid, counted from 1970-01-01T00:00:00Z.
    public let notBefore: Int64
    /// The last second in which it is valid.
    public let notAfter: Int64
    /// What the certificate allows its key to do.
    public let uses: CertificateUses
    /// The issuers of the chain's certificates: DER Names, byte for byte.
    let issuers: Set<[UInt8]>

    /// Reads the certificates of an identity.
    public init(_ identity: ClientIdentity) throws(CertificateError) {
        self.identity = identity
        let leaf = identity.certificateChain[0]
        let walk = try CertificateWalk(of: leaf.span)
        (notBefore, notAfter) = try walk.validity(in: leaf.span)
        uses = try CertificateUses(of: leaf.span)
        key = try CertificateDetails.Key(ofCertificate: leaf.span)
        subject = Self.text(Array(leaf[walk.subject]))
        issuer = Self.text(Array(leaf[walk.issuer]))
        var issuers: Set<[UInt8]> = []
        for certificate in identity.certificateChain {
            issuers.insert(Array(certificate[try CertificateWalk(of: certificate.span).issuer]))
        }
        self.issuers = issuers
    }

    private static func text(_ name: [UInt8]) -> String {
        DistinguishedName.text(ofName: name) ?? "a name that cannot be read"
    }

    /// How far a candidate gets; a later obstacle says more to the user.
    enum Obstacle: Int, Comparable {
        case use, issuer, key, begin, end

        static func < (one: Obstacle, other: Obstacle) -> Bool { one.rawValue < other.rawValue }
    }

    /// Why the identity cannot be presented; `nil` if it can.
    ///
    /// - Parameter now: Unix time in seconds; `nil` if the time does not count.
    func obstacle(to request: CertificateRequest, at now: Int64?) -> (place: Obstacle, refusal: Refusal)? {
        let name = identity.name
        guard uses.allowClientAuthentication else { return (.use, .identityNotForClients(identity: name)) }
        guard request.authorities.isEmpty || request.authorities.contains(where: issuers.contains) else {
            return (.issuer, .issuerNotAccepted(identity: name))
        }
        guard request.accepts(key) else { return (.key, .keyNotAccepted(identity: name)) }
        guard let now else { return nil }
        if now < notBefore { return (.begin, .identityNotYetValid(identity: name, from: notBefore)) }
        if now > notAfter { return (.end, .identityExpired(identity: name, since: notAfter)) }
        return nil
    }
}

extension IdentityCandidate: Hashable {
    /// Whether the name and the certificates are the same.
    public static func == (one: IdentityCandidate, other: IdentityCandidate) -> Bool { one.identity == other.identity }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity.name) }
}

extension IdentityCandidate: CustomStringConvertible {
    /// One line: name, owner, issuer, and the last second of validity.
    public var description: String {
        "\(identity.name): \(subject), issued by \(issuer), valid until \(Timestamp.text(unixSeconds: notAfter))"
    }
}

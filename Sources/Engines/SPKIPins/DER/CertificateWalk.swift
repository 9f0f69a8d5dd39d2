package import WireFormat

/// The offsets of the parts of an X.509 certificate (RFC 5280 4.1).
///
/// ```
/// SEQUENCE                            Certificate, fills the bytes given
///   SEQUENCE                          TBSCertificate
///     [0] { INTEGER }                 version; absent in version 1
///     INTEGER                         serial
///     SEQUENCE                        signature, required, contents not read
///     SEQUENCE                        issuer
///     SEQUENCE { time, time }         notBefore, notAfter
///     SEQUENCE                        subject
///     SEQUENCE { SEQUENCE, BIT STRING }  subjectPublicKeyInfo
///     …                               unique identifiers, extensions: whole elements, contents not read
///   SEQUENCE                          signatureAlgorithm
///   BIT STRING                        signature
/// ```
///
/// Every tag before the key is checked, so other bytes cannot be taken for the key. Key algorithms, extensions, negative
/// serials and unreadable dates are not checked, because they must not cost a pin. A walk therefore does not validate a
/// certificate; a decision needs a validated chain.
public struct CertificateWalk: Equatable, Sendable {
    /// The most bytes a certificate may have.
    public static let largestCertificate = 65_536

    /// The contents of the serial number: big-endian, two's complement.
    public let serial: Range<Int>
    /// The issuer's Name, header included.
    public let issuer: Range<Int>
    /// The first second of validity, as an element; `unixSeconds(ofTime:in:)` reads it.
    package let notBefore: DERElement
    /// The last second of validity, as an element.
    package let notAfter: DERElement
    /// The subject's Name, header included.
    public let subject: Range<Int>
    /// The key; its pin is the hash of the whole element.
    public let subjectPublicKeyInfo: SubjectPublicKeyInfo
    /// The contents of the outer AlgorithmIdentifier: how the issuer signed.
    public let signatureAlgorithm: Range<Int>

    /// Walks through `certificate`, exactly one certificate in DER.
    ///
    /// - Complexity: O(1) in practice, because it skips all contents; no allocation.
    public init(of certificate: Span<UInt8>) throws(CertificateError) {
        guard certificate.count <= Self.largestCertificate else {
            throw .tooLarge(bytes: certificate.count, limit: Self.largestCertificate)
        }
        var whole = DERReader(over: 0..<certificate.count)
        let outer = try whole.readElement(DERTag.sequence, in: certificate)
        try whole.finish()

        var parts = DERReader(over: outer.contents)
        let toBeSigned = try parts.readElement(DERTag.sequence, in: certificate)
        signatureAlgorithm = try parts.readElement(DERTag.sequence, in: certificate).contents
        _ = try parts.readElement(DERTag.bitString, in: certificate)
        try parts.finish()

        var fields = DERReader(over: toBeSigned.contents)
        if let version = try fields.readElement(ifTag: DERTag.explicit0, in: certificate) {
            var inside = DERReader(over: version.contents)
            _ = try inside.readElement(DERTag.integer, in: certificate)
            try inside.finish()
        }
        serial = try fields.readElement(DERTag.integer, in: certificate).contents
        _ = try fields.readElement(DERTag.sequence, in: certificate)
        issuer = try fields.readElement(DERTag.sequence, in: certificate).range

        let validity = try fields.readElement(DERTag.sequence, in: certificate)
        var times = DERReader(over: validity.contents)
        notBefore = try Self.readTime(&times, in: certificate)
        notAfter = try Self.readTime(&times, in: certificate)
        try times.finish()

        subject = try fields.readElement(DERTag.sequence, in: certificate).range
        subjectPublicKeyInfo = try SubjectPublicKeyInfo(reading: &fields, in: certificate)
        while !fields.isAtEnd { _ = try fields.readElement(in: certificate) }
        assert(serial.upperBound <= issuer.lowerBound && issuer.upperBound <= notBefore.start)
        assert(subject.upperBound <= subjectPublicKeyInfo.range.lowerBound)
        assert(subjectPublicKeyInfo.range.upperBound <= certificate.count)
    }

    /// When the certificate is valid: the first and the last second, counted from 1970-01-01T00:00:00Z.
    ///
    /// - Parameter certificate: the bytes that were walked through.
    /// - Complexity: O(1); no allocation.
    public func validity(
        in certificate: Span<UInt8>
    ) throws(CertificateError) -> (notBefore: Int64, notAfter: Int64) {
        (try unixSeconds(ofTime: notBefore, in: certificate), try unixSeconds(ofTime: notAfter, in: certificate))
    }

    @inline(__always)
    private static func readTime(
        _ reader: inout DERReader,
        in bytes: Span<UInt8>
    ) throws(CertificateError) -> DERElement {
        if let time = try reader.readElement(ifTag: DERTag.generalizedTime, in: bytes) { return time }
        return try reader.readElement(DERTag.utcTime, in: bytes)
    }
}

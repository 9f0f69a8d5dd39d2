internal import WireFormat

/// Details of a certificate for people: names, times, kind of key, whether it belongs to an authority.
///
/// Stricter than the walk to the key, since more is read: here every part of the frame must be well-formed (names, times,
/// identifiers, the list of extensions), though no extension but basic constraints is looked into. A certificate that is
/// refused here may still have a pin; `Pin(ofCertificate:)` asks for no more than it needs.
public struct CertificateDetails: Equatable, Sendable {
    /// Kind and size of a public key.
    public struct Key: Equatable, Sendable {
        /// `RSA`, `EC`, `Ed25519`, `Ed448`, `DSA`, or the dotted identifier of another algorithm.
        public let type: String
        /// Bits of the modulus or of the curve's field; `nil` where they are not known.
        public let bits: Int?
    }

    /// The subject's name (RFC 4514), most specific part first.
    public let subject: String
    /// The issuer's name (RFC 4514).
    public let issuer: String
    /// The serial number: big-endian, two's complement.
    public let serial: [UInt8]
    /// The pin of the key.
    public let pin: Pin
    /// Kind and size of the key.
    public let key: Key
    /// The first second of validity, counted from 1970-01-01T00:00:00Z.
    public let notBefore: Int64
    /// The last second of validity.
    public let notAfter: Int64
    /// Whether basic constraints (RFC 5280 4.2.1.9) say that it is an authority's.
    public let isAuthority: Bool

    /// Reads one certificate in DER, and nothing else.
    ///
    /// - Complexity: O(*n*).
    public init(of certificate: Span<UInt8>) throws(CertificateError) {
        let walk = try CertificateWalk(of: certificate)
        try checkInteger(walk.serial, in: certificate)
        subject = try DistinguishedName.text(of: walk.subject, in: certificate)
        issuer = try DistinguishedName.text(of: walk.issuer, in: certificate)
        serial = [UInt8](copying: certificate.extracting(walk.serial))
        notBefore = try unixSeconds(ofTime: walk.notBefore, in: certificate)
        notAfter = try unixSeconds(ofTime: walk.notAfter, in: certificate)
        key = try KeyKind.key(of: walk.subjectPublicKeyInfo, in: certificate)
        pin = Pin(hashing: certificate.extracting(walk.subjectPublicKeyInfo.range))
        isAuthority = try CertificateFrame.check(walk, in: certificate)
    }
}

extension CertificateDetails.Key {
    /// Reads the kind and the size of a certificate's key, and checks no more of the certificate than its pin needs.
    public init(ofCertificate certificate: Span<UInt8>) throws(CertificateError) {
        self = try KeyKind.key(of: try CertificateWalk(of: certificate).subjectPublicKeyInfo, in: certificate)
    }
}

/// Throws unless the contents of an INTEGER are there and in their shortest form (X.690 8.3).
package func checkInteger(_ contents: Range<Int>, in bytes: Span<UInt8>) throws(CertificateError) {
    guard !contents.isEmpty else { throw .invalidContents(offset: contents.lowerBound) }
    guard contents.count > 1 else { return }
    let first = bytes[contents.lowerBound]
    let isNextNegative = bytes[contents.lowerBound + 1] >= 0x80
    guard !(first == 0 && !isNextNegative), !(first == 0xFF && isNextNegative) else {
        throw .invalidContents(offset: contents.lowerBound)
    }
}

/// Reads an OBJECT IDENTIFIER (X.690 8.19) as dotted numbers.
package func dottedIdentifier(_ reader: inout DERReader, in bytes: Span<UInt8>) throws(CertificateError) -> String {
    let element = try reader.readElement(DERTag.objectIdentifier, in: bytes)
    let contents = element.contents
    guard !contents.isEmpty, contents.count <= 64, bytes[contents.upperBound - 1] < 0x80 else {
        throw .invalidContents(offset: element.start)
    }
    var numbers: [UInt64] = []
    var number: UInt64 = 0
    var isFirstByte = true
    for offset in contents {
        // A number has no padding, and fits 63 bits; identifiers in use do.
        guard !(isFirstByte && bytes[offset] == 0x80), number < 1 << 56 else {
            throw .invalidContents(offset: element.start)
        }
        number = number << 7 | UInt64(bytes[offset] & 0x7F)
        isFirstByte = bytes[offset] < 0x80
        guard isFirstByte else { continue }
        if numbers.isEmpty {
            let root = min(number / 40, 2)
            numbers = [root, number - root * 40]
        } else {
            numbers.append(number)
        }
        number = 0
    }
    return numbers.map(String.init).joined(separator: ".")
}

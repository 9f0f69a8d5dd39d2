internal import SPKIPins

/// Where the parts of a SubjectPublicKeyInfo stand, one step further in than a pin needs to know.
struct KeyFrame {
    enum Algorithm {
        case rsa, ellipticCurve, other
    }

    let algorithm: Algorithm
    /// What stands behind the algorithm's identifier.
    let parameters: Range<Int>
    /// The contents of the bit string, its count of unused bits included.
    let key: Range<Int>

    // RFC 8017 appendix C: 1.2.840.113549.1.1, and .1 (PKCS #1 1.5), .7 (OAEP) or .10 (PSS).
    private static let rsaFamily: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01]
    private static let rsaMembers: [UInt8] = [1, 7, 10]
    // RFC 5480 2.1.1: 1.2.840.10045.2.1
    private static let ellipticCurveKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]

    init(of bytes: Span<UInt8>) throws(CertificateError) {
        var reader = DERReader(over: 0..<bytes.count)
        let frame = try SubjectPublicKeyInfo(reading: &reader, in: bytes)
        try reader.finish()
        var inside = DERReader(over: frame.algorithm)
        let identifier = try inside.readElement(DERTag.objectIdentifier, in: bytes).contents
        if equal(bytes, identifier, Self.ellipticCurveKey) {
            algorithm = .ellipticCurve
        } else if identifier.count == Self.rsaFamily.count + 1, equal(bytes, identifier.dropLast(), Self.rsaFamily),
            Self.rsaMembers.contains(bytes[identifier.upperBound - 1])
        {
            algorithm = .rsa
        } else {
            algorithm = .other
        }
        parameters = inside.offset..<frame.algorithm.upperBound
        key = frame.key
    }
}

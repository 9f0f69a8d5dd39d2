internal import SPKIPins
internal import WireFormat

/// The positions of the parts of a SubjectPublicKeyInfo: algorithm, parameters and key.
struct KeyFrame {
    enum Algorithm: Equatable {
        case rsa, ellipticCurve
        /// Another one, by its dotted identifier.
        case other(String)
    }

    let algorithm: Algorithm
    /// The bytes after the algorithm's identifier.
    let parameters: Range<Int>
    /// The contents of the bit string, its count of unused bits included.
    let key: Range<Int>

    // RFC 8017 appendix C: rsaEncryption (PKCS #1 1.5), id-RSAES-OAEP and id-RSASSA-PSS.
    private static let rsa = ["1.2.840.113549.1.1.1", "1.2.840.113549.1.1.7", "1.2.840.113549.1.1.10"]
    // RFC 5480 2.1.1
    private static let ellipticCurveKey = "1.2.840.10045.2.1"

    init(of bytes: Span<UInt8>) throws(CertificateError) {
        var reader = DERReader(over: 0..<bytes.count)
        let frame = try SubjectPublicKeyInfo(reading: &reader, in: bytes)
        try reader.finish()
        var inside = DERReader(over: frame.algorithm)
        let identifier = try dottedIdentifier(&inside, in: bytes)
        switch identifier {
        case Self.ellipticCurveKey: algorithm = .ellipticCurve
        case _ where Self.rsa.contains(identifier): algorithm = .rsa
        default: algorithm = .other(identifier)
        }
        parameters = inside.offset..<frame.algorithm.upperBound
        key = frame.key
    }

    /// The dotted identifier of the curve; `nil` if the parameters are not a named curve (RFC 5480 2.1.1).
    func curveIdentifier(in bytes: Span<UInt8>) throws(CertificateError) -> String? {
        var reader = DERReader(over: parameters)
        guard !reader.isAtEnd, bytes[parameters.lowerBound] == DERTag.objectIdentifier else { return nil }
        let identifier = try dottedIdentifier(&reader, in: bytes)
        try reader.finish()
        return identifier
    }
}

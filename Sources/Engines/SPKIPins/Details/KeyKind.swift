internal import WireFormat

/// Which kind of key a SubjectPublicKeyInfo holds, as far as its kind is known here.
enum KeyKind {
    static func key(
        of info: SubjectPublicKeyInfo,
        in bytes: Span<UInt8>
    ) throws(CertificateError) -> CertificateDetails.Key {
        var algorithm = DERReader(over: info.algorithm)
        let identifier = try dottedIdentifier(&algorithm, in: bytes)
        var curve: String?
        if !algorithm.isAtEnd {
            var parameters = algorithm
            let element = try algorithm.readElement(in: bytes)
            if element.tag == DERTag.objectIdentifier { curve = try dottedIdentifier(&parameters, in: bytes) }
        }
        try algorithm.finish()
        switch identifier {
        case "1.2.840.113549.1.1.1", "1.2.840.113549.1.1.10":
            return .init(type: "RSA", bits: bitsOfFirstInteger(in: info.key, bytes))
        case "1.2.840.10045.2.1": return .init(type: "EC", bits: curve.flatMap { fieldBits[$0] })
        case "1.2.840.10040.4.1": return .init(type: "DSA", bits: nil)
        case "1.3.101.112": return .init(type: "Ed25519", bits: 256)
        case "1.3.101.113": return .init(type: "Ed448", bits: 456)
        default: return .init(type: identifier, bits: nil)
        }
    }

    private static let fieldBits = [
        "1.2.840.10045.3.1.1": 192, "1.3.132.0.33": 224, "1.2.840.10045.3.1.7": 256, "1.3.132.0.34": 384,
        "1.3.132.0.35": 521, "1.3.132.0.10": 256, "1.3.36.3.3.2.8.1.1.7": 256, "1.3.36.3.3.2.8.1.1.11": 384,
        "1.3.36.3.3.2.8.1.1.13": 512,
    ]

    /// RSAPublicKey (RFC 8017 A.1.1) begins with the modulus; a key that does not is none of our business here.
    private static func bitsOfFirstInteger(in key: Range<Int>, _ bytes: Span<UInt8>) -> Int? {
        guard !key.isEmpty else { return nil }
        var outer = DERReader(over: key.lowerBound + 1..<key.upperBound)
        guard let sequence = try? outer.readElement(DERTag.sequence, in: bytes) else { return nil }
        var inside = DERReader(over: sequence.contents)
        guard let modulus = try? inside.readElement(DERTag.integer, in: bytes).contents else { return nil }
        var start = modulus.lowerBound
        while start < modulus.upperBound, bytes[start] == 0 { start += 1 }
        guard start < modulus.upperBound else { return 0 }
        return (modulus.upperBound - start) * 8 - bytes[start].leadingZeroBitCount
    }
}

internal import WireFormat

/// The hash function inside a certificate's signature, as channel bindings of RFC 5929 4.1 need it.
///
/// `nil` means a signature that has none (Ed25519, ML-DSA) or one that is not known here; RFC 5929 leaves the
/// `tls-server-end-point` binding of such a certificate undefined, so callers must not guess.
package enum SignatureHash: Equatable, Sendable {
    case md5, sha1, sha256, sha384, sha512
}

extension CertificateWalk {
    /// The hash of the outer signature algorithm: RSA PKCS #1 1.5 and ECDSA name it, RSA-PSS has it in its parameters.
    package func signatureHash(in certificate: Span<UInt8>) throws(CertificateError) -> SignatureHash? {
        var reader = DERReader(over: signatureAlgorithm)
        switch try readObjectIdentifier(&reader, in: certificate) {
        case .rsaWithMD5: return .md5
        case .rsaWithSHA1, .rsaWithSHA1ByOIW, .ecdsaWithSHA1: return .sha1
        case .rsaWithSHA256, .ecdsaWithSHA256: return .sha256
        case .rsaWithSHA384, .ecdsaWithSHA384: return .sha384
        case .rsaWithSHA512, .ecdsaWithSHA512: return .sha512
        case .rsaPSS: return try hashOfPSS(&reader, in: certificate)
        default: return nil
        }
    }

    /// Reads RSASSA-PSS-params (RFC 4055 3.1) as far as its first field, `[0]` hashAlgorithm.
    private func hashOfPSS(
        _ reader: inout DERReader,
        in bytes: Span<UInt8>
    ) throws(CertificateError) -> SignatureHash? {
        // RFC 4055 3.1: a signature must have the parameters; without them there is no hash to name.
        guard let parameters = try reader.readElement(ifTag: DERTag.sequence, in: bytes) else { return nil }
        var fields = DERReader(over: parameters.contents)
        guard let field = try fields.readElement(ifTag: DERTag.explicit0, in: bytes) else { return .sha1 }
        var inside = DERReader(over: field.contents)
        let algorithm = try inside.readElement(DERTag.sequence, in: bytes)
        try inside.finish()
        var identifier = DERReader(over: algorithm.contents)
        return switch try readObjectIdentifier(&identifier, in: bytes) {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        default: nil
        }
    }

    private func readObjectIdentifier(
        _ reader: inout DERReader,
        in bytes: Span<UInt8>
    ) throws(CertificateError) -> ObjectIdentifier? {
        let element = try reader.readElement(DERTag.objectIdentifier, in: bytes)
        guard element.contents.count <= ObjectIdentifier.mostBytes else { return nil }
        // The leading 1 keeps the length: without it, zero bytes in front would not count.
        var packed: UInt128 = 1
        for offset in element.contents { packed = packed << 8 | UInt128(bytes[offset]) }
        return ObjectIdentifier(rawValue: packed)
    }
}

/// The object identifiers that decide above: a 1, then the bytes of the encoded identifier.
private enum ObjectIdentifier: UInt128 {
    /// As many as fit behind the leading 1; a longer identifier is none of these.
    static let mostBytes = 15

    // RFC 8017 appendix C: 1.2.840.113549.1.1
    case rsaWithMD5 = 0x01_2A86_4886_F70D_0101_04
    case rsaWithSHA1 = 0x01_2A86_4886_F70D_0101_05
    case rsaPSS = 0x01_2A86_4886_F70D_0101_0A
    case rsaWithSHA256 = 0x01_2A86_4886_F70D_0101_0B
    case rsaWithSHA384 = 0x01_2A86_4886_F70D_0101_0C
    case rsaWithSHA512 = 0x01_2A86_4886_F70D_0101_0D
    // 1.3.14.3.2.29, a second name of the same thing, still seen in old certificates
    case rsaWithSHA1ByOIW = 0x01_2B0E_0302_1D
    // RFC 5758 3.2 and RFC 3279 2.2.3: 1.2.840.10045.4
    case ecdsaWithSHA1 = 0x01_2A86_48CE_3D04_01
    case ecdsaWithSHA256 = 0x01_2A86_48CE_3D04_0302
    case ecdsaWithSHA384 = 0x01_2A86_48CE_3D04_0303
    case ecdsaWithSHA512 = 0x01_2A86_48CE_3D04_0304
    // RFC 4055 2.1
    case sha1 = 0x01_2B0E_0302_1A
    case sha256 = 0x01_6086_4801_6503_0402_01
    case sha384 = 0x01_6086_4801_6503_0402_02
    case sha512 = 0x01_6086_4801_6503_0402_03
}

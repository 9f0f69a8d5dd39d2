/// Certificates as people hand them over: PEM with many in one text, or one in DER.
public enum CertificateInput {
    /// Returns the DER of each certificate, in order.
    ///
    /// At most 64 MB and 131,072 certificates; none at all is an empty array. The contents are decoded, not judged:
    /// ``CertificateWalk`` and ``Pin/init(ofCertificate:)`` do that.
    ///
    /// - Throws: ``PEMError``, with the line.
    /// - Complexity: O(*n*) in the bytes.
    ///
    /// DER begins with the tag of a SEQUENCE, which is `0`, a digit: a text may begin with it as well, so a boundary
    /// anywhere makes the input PEM.
    public static func certificates(in bytes: Span<UInt8>) throws(PEMError) -> [[UInt8]] {
        let found = try PEM.certificates(in: bytes)
        guard found.isEmpty, bytes.count > 1, bytes[0] == DERTag.sequence, bytes[1] >= 0x80 || bytes.count < 130 else {
            return found
        }
        var certificate: [UInt8] = []
        certificate.reserveCapacity(bytes.count)
        for index in bytes.indices { certificate.append(bytes[index]) }
        return [certificate]
    }
}

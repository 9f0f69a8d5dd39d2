internal import WireFormat

/// Certificates as people hand them over: PEM with many in one text, or one in DER.
///
/// At most 64 MB and 131,072 certificates. The contents are decoded, not judged: ``CertificateWalk`` and
/// ``Pin/init(ofCertificate:)`` do that.
///
/// DER begins with the tag of a SEQUENCE, which is `0`, a digit: a text may begin with it as well, so a boundary anywhere
/// makes the input PEM.
public enum CertificateInput {
    /// What an input holds.
    public struct Contents: Equatable, Sendable {
        /// Of each certificate, in order, its DER, or why its PEM block does not yield one.
        public let certificates: [Result<[UInt8], PEMError>]
        /// The labels of the PEM blocks that are not certificates, such as `X509 CRL`: each once, in order, eight at most.
        public let otherLabels: [String]
    }

    /// Returns the DER of each certificate, in order; none at all is an empty array.
    ///
    /// - Throws: ``PEMError``, with the line, at the first damage.
    /// - Complexity: O(*n*) in the bytes.
    public static func certificates(in bytes: Span<UInt8>) throws(PEMError) -> [[UInt8]] {
        let found = try PEM.certificates(in: bytes)
        return found.isEmpty && isDER(bytes) ? [[UInt8](copying: bytes)] : found
    }

    /// Returns all that the input holds; a PEM block whose contents are damaged costs no other one.
    ///
    /// - Throws: ``PEMError``, with the line, where it is open which lines belong to which block.
    /// - Complexity: O(*n*) in the bytes.
    public static func contents(in bytes: Span<UInt8>) throws(PEMError) -> Contents {
        let found = try PEM.contents(in: bytes)
        guard found.certificates.isEmpty, found.otherLabels.isEmpty, isDER(bytes) else { return found }
        return Contents(certificates: [.success([UInt8](copying: bytes))], otherLabels: [])
    }

    private static func isDER(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 1 && bytes[0] == DERTag.sequence && (bytes[1] >= 0x80 || bytes.count < 130)
    }
}

/// A file in DER that contains certificates in another form. Its first elements tell which (X.690 section 8.1).
enum CertificateContainer {
    /// SEQUENCE { signedData, … } (RFC 2315 section 14).
    case pkcs7
    /// SEQUENCE { 3, SEQUENCE { data or signedData, … } } (RFC 7292 section 4).
    case pkcs12

    /// `nil` for another file.
    init?(_ bytes: Span<UInt8>) {
        guard let inner = Self.contents(at: 0, of: bytes) else { return nil }
        if Self.has(Self.identifiers + [2], at: inner, in: bytes) {
            self = .pkcs7
        } else if Self.has([0x02, 1, 3], at: inner, in: bytes), let content = Self.contents(at: inner + 3, of: bytes),
            Self.has(Self.identifiers, at: content, in: bytes)
        {
            self = .pkcs12
        } else {
            return nil
        }
    }

    /// An object identifier of nine bytes below 1.2.840.113549.1.7, without its last one.
    private static let identifiers: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7]

    private static func has(_ expected: [UInt8], at offset: Int, in bytes: Span<UInt8>) -> Bool {
        bytes.count >= offset + expected.count && expected.indices.allSatisfy { bytes[offset + $0] == expected[$0] }
    }

    /// Where the contents of a SEQUENCE begin, whose length may have any form: some programs leave it open.
    private static func contents(at offset: Int, of bytes: Span<UInt8>) -> Int? {
        guard bytes.count > offset + 2, bytes[offset] == 0x30 else { return nil }
        return offset + 2 + (bytes[offset + 1] > 0x80 ? Int(bytes[offset + 1] & 0x7F) : 0)
    }
}

extension CertificateContainer: CustomStringConvertible {
    /// What the file is, and what to do.
    var description: String {
        switch self {
        case .pkcs7:
            "this is PKCS #7 (.p7b): write its certificates to a PEM file with 'openssl pkcs7 -inform DER -print_certs', and give that file"
        case .pkcs12:
            "this is PKCS #12 (.p12, .pfx): write its certificates to a PEM file with 'openssl pkcs12 -nokeys', and give that file"
        }
    }
}

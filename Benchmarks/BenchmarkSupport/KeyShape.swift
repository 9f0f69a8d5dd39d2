internal import TestSupport

/// The kinds of keys in servers' chains. Their bytes are arbitrary; their structure is that of a real key.
package enum KeyShape: String, CaseIterable, Sendable {
    case p256 = "P-256"
    case rsa2048 = "RSA-2048"
    case rsa4096 = "RSA-4096"

    /// The contents of the AlgorithmIdentifier (RFC 3279 2.3.1, RFC 5480 2.1.1).
    private var algorithm: [[UInt8]] {
        switch self {
        case .p256:
            [der(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]), der(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7])]
        case .rsa2048, .rsa4096: [der(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]), der(0x05)]
        }
    }

    /// Bytes of a modulus, or of a point without its first byte.
    package var keyBytes: Int {
        switch self {
        case .p256: 64
        case .rsa2048: 256
        case .rsa4096: 512
        }
    }

    /// Bytes of a signature by such a key: a modulus, or two integers in DER.
    var signatureBytes: Int { self == .p256 ? 71 : keyBytes }

    /// Puts a key into `certificate` that is made of ``keyBytes`` arbitrary bytes.
    func put(_ key: [UInt8], into certificate: inout HandmadeCertificate) {
        certificate[.keyAlgorithm] = der(0x30, algorithm.flatMap(\.self))
        switch self {
        case .p256:
            certificate[.keyBits] = der(0x03, [0, 4], key)
        case .rsa2048, .rsa4096:
            // The first bit is set, as in every modulus of its length; 65,537 is the exponent.
            let modulus = [0, key[0] | 0x80] + key.dropFirst()
            certificate[.keyBits] = der(0x03, [0], der(0x30, der(0x02, modulus), der(0x02, [1, 0, 1])))
        }
    }
}

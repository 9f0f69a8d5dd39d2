public import SPKIPins

/// Why a SubjectPublicKeyInfo does not hold the key that its algorithm promises; offsets count from its first byte.
public enum PublicKeyError: Error, Equatable, Sendable {
    /// The structure is no strict DER.
    case malformed(CertificateError)
    /// The bit string at `offset` leaves bits of its last byte unused, which no key does.
    case unusedBits(offset: Int)
    /// The integer at `offset` is empty, negative, or written with more bytes than it needs.
    case invalidInteger(offset: Int)
    /// The integer at `offset` is larger than is read.
    case integerTooLarge(offset: Int, bytes: Int, limit: Int)
    /// The parameters of an elliptic-curve key name no curve: absent, or spelled out number by number.
    case unnamedCurve(offset: Int)
    /// The point starts with a byte that stands for no form of SEC 1 2.3.3.
    case invalidPointForm(found: UInt8)
    /// The point has another number of bytes than its curve and form ask for.
    case wrongPointLength(bytes: Int, expected: Int)
}

extension PublicKeyError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .malformed(let error): "\(error)"
        case .unusedBits(let offset): "the key at offset \(offset) ends inside a byte; encode it again"
        case .invalidInteger(let offset): "the number at offset \(offset) is no positive DER integer; encode it again"
        case .integerTooLarge(let offset, let bytes, let limit):
            "the number at offset \(offset) has \(bytes) bytes, at most \(limit) are read; make a smaller key"
        case .unnamedCurve(let offset):
            "the parameters at offset \(offset) name no curve; a certificate's curve has a name (RFC 5480 2.1.1)"
        case .invalidPointForm(let found): "the point starts with \(found), known are 0, 2, 3 and 4; encode it again"
        case .wrongPointLength(let bytes, let expected):
            "the point has \(bytes) bytes where its curve asks for \(expected); encode it again"
        }
    }
}

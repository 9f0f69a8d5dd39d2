public import SPKIPins

/// Why a SubjectPublicKeyInfo does not hold the key that its algorithm promises; offsets count from its first byte.
public enum PublicKeyError: Error, Equatable, Sendable {
    /// The structure is not strict DER.
    case malformed(CertificateError)
    /// The bit string at `offset` has unused bits in its last byte; a key has none.
    case unusedBits(offset: Int)
    /// The integer at `offset` is empty, negative, or written with more bytes than it needs.
    case invalidInteger(offset: Int)
    /// The integer at `offset` is larger than the limit.
    case integerTooLarge(offset: Int, bytes: Int, limit: Int)
    /// The parameters of an elliptic-curve key are not a curve's name: they are absent or explicit.
    case unnamedCurve(offset: Int)
    /// The point's first byte is not a form of SEC 1 2.3.3.
    case invalidPointForm(found: UInt8)
    /// The point's number of bytes does not match its curve and form.
    case wrongPointLength(bytes: Int, expected: Int)
}

extension PublicKeyError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .malformed(let error): "\(error)"
        case .unusedBits(let offset): "the key at offset \(offset) ends inside a byte; encode it again"
        case .invalidInteger(let offset):
            "the number at offset \(offset) is not a positive DER integer; encode it again"
        case .integerTooLarge(let offset, let bytes, let limit):
            "the number at offset \(offset) has \(bytes) bytes, at most \(limit) are read; make a smaller key"
        case .unnamedCurve(let offset):
            "the parameters at offset \(offset) do not name a curve; a certificate needs a named curve (RFC 5480 2.1.1)"
        case .invalidPointForm(let found): "the point starts with \(found), expected 0, 2, 3 or 4; encode it again"
        case .wrongPointLength(let bytes, let expected):
            "the point has \(bytes) bytes, expected \(expected) for its curve; encode it again"
        }
    }
}

/// Why a byte sequence is not the strict DER of an X.509 certificate; every offset counts from the first byte given.
public enum CertificateError: Error, Equatable, Sendable {
    /// The element at `offset` ends after the bytes that enclose it.
    case truncated(offset: Int, needed: Int, available: Int)
    /// The length at `offset` is the indefinite form of BER.
    case indefiniteLength(offset: Int)
    /// The length at `offset` could have been written in fewer bytes.
    case nonMinimalLength(offset: Int)
    /// The length at `offset` has more than four bytes.
    case oversizedLength(offset: Int, lengthBytes: Int)
    /// The tag at `offset` continues in further bytes, which no part of a certificate's frame does.
    case multiByteTag(offset: Int)
    /// The tag at `offset` is not the one that RFC 5280 requires.
    case unexpectedTag(offset: Int, expected: UInt8, found: UInt8)
    /// `count` bytes from `offset` on follow the last element.
    case trailingBytes(offset: Int, count: Int)
    /// The BIT STRING at `offset` has no byte that counts its unused bits, or counts more than seven.
    case invalidBitString(offset: Int)
    /// The time at `offset` is not a date in the forms of RFC 5280.
    case invalidTime(offset: Int)
    /// The element at `offset` has contents that its type does not allow.
    case invalidContents(offset: Int)
    /// The certificate is larger than the limit.
    case tooLarge(bytes: Int, limit: Int)
}

extension CertificateError {
    /// Where the bytes stop being a certificate; for one that is too large, the first byte past the limit.
    public var offset: Int {
        switch self {
        case .truncated(let offset, _, _), .indefiniteLength(let offset), .nonMinimalLength(let offset),
            .oversizedLength(let offset, _), .multiByteTag(let offset), .unexpectedTag(let offset, _, _),
            .trailingBytes(let offset, _), .invalidBitString(let offset), .invalidTime(let offset),
            .invalidContents(let offset):
            offset
        case .tooLarge(_, let limit): limit
        }
    }
}

extension CertificateError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .truncated(let offset, let needed, let available):
            "certificate cut short at offset \(offset): \(needed) bytes needed, \(available) there; fetch it again"
        case .indefiniteLength(let offset):
            "indefinite length at offset \(offset): a certificate is DER, not BER; encode it again"
        case .nonMinimalLength(let offset):
            "length at offset \(offset) is written too long: DER has one form only; encode it again"
        case .oversizedLength(let offset, let lengthBytes):
            "length at offset \(offset) has \(lengthBytes) bytes, at most 4 are read; this is no certificate"
        case .multiByteTag(let offset):
            "tag at offset \(offset) has several bytes; this is no X.509 certificate"
        case .unexpectedTag(let offset, let expected, let found):
            "tag \(found) at offset \(offset) where X.509 has tag \(expected); give a certificate in DER"
        case .trailingBytes(let offset, let count):
            "\(count) bytes too many at offset \(offset): give one certificate, without anything behind it"
        case .invalidBitString(let offset):
            "bit string at offset \(offset) has a wrong count of unused bits; encode the certificate again"
        case .invalidTime(let offset):
            "time at offset \(offset) is neither YYMMDDHHMMSSZ nor YYYYMMDDHHMMSSZ of a real date"
        case .invalidContents(let offset):
            "contents at offset \(offset) are not what their type demands; encode the certificate again"
        case .tooLarge(let bytes, let limit):
            "certificate of \(bytes) bytes: at most \(limit) are read"
        }
    }
}

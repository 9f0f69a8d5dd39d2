/// A hash function of key derivations and authentication codes.
enum PasswordHash: CaseIterable, Equatable {
    case sha1, sha256, sha384, sha512

    /// Such as `SHA-256`.
    var name: String {
        switch self {
        case .sha1: "SHA-1"
        case .sha256: "SHA-256"
        case .sha384: "SHA-384"
        case .sha512: "SHA-512"
        }
    }

    /// The function with this identifier (RFC 8017 appendix B.1); `nil` for another one.
    init?(digest identifier: [UInt8]) {
        switch dottedText(of: identifier) {
        case "1.3.14.3.2.26": self = .sha1
        case "2.16.840.1.101.3.4.2.1": self = .sha256
        case "2.16.840.1.101.3.4.2.2": self = .sha384
        case "2.16.840.1.101.3.4.2.3": self = .sha512
        default: return nil
        }
    }

    /// The function of HMAC with this identifier (RFC 8018 appendix B.1); `nil` for another one.
    init?(hmac identifier: [UInt8]) {
        switch dottedText(of: identifier) {
        case "1.2.840.113549.2.7": self = .sha1
        case "1.2.840.113549.2.9": self = .sha256
        case "1.2.840.113549.2.10": self = .sha384
        case "1.2.840.113549.2.11": self = .sha512
        default: return nil
        }
    }
}

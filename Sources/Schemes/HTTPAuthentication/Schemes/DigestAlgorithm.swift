internal import Crypto
internal import WireFormat

/// A value of the `algorithm` parameter (RFC 7616 section 3.3).
struct DigestAlgorithm: Equatable, Sendable {
    enum Hash: Sendable { case md5, sha256 }

    let hash: Hash
    /// The `-sess` form: A1 contains nonce and cnonce, so it is valid for one nonce.
    let isSession: Bool
    /// The name as the challenge spells it, because the answer repeats it.
    let name: String

    /// Reads the parameter; `nil` for names that are not supported. Without the parameter the algorithm is MD5.
    init?(parameter: String?) {
        name = parameter ?? "MD5"
        switch name.lowercased() {
        case "md5": (hash, isSession) = (.md5, false)
        case "md5-sess": (hash, isSession) = (.md5, true)
        case "sha-256": (hash, isSession) = (.sha256, false)
        case "sha-256-sess": (hash, isSession) = (.sha256, true)
        default: return nil
        }
    }

    /// Higher is stronger.
    var strength: Int { hash == .sha256 ? 1 : 0 }

    /// H(data) in lower-case hexadecimal digits.
    func hexadecimalHash(_ data: [UInt8]) -> String {
        switch hash {
        case .md5: Hexadecimal.encode([UInt8](Insecure.MD5.hash(data: data)).span)
        case .sha256: Hexadecimal.encode([UInt8](SHA256.hash(data: data)).span)
        }
    }

    /// H(text) in lower-case hexadecimal digits.
    func hexadecimalHash(_ text: String) -> String { hexadecimalHash([UInt8](text.utf8)) }
}

internal import Crypto
internal import NTLM
internal import Secrets
internal import WireFormat

/// Makes nonces that show by themselves who made them and when, so that a challenge costs the server no memory.
///
/// A nonce is base64 of 8 bytes of time, 8 random bytes, and the first 16 bytes of an HMAC-SHA256 over both.
struct DigestNonces: Sendable {
    /// A nonce of ours.
    struct Nonce: Hashable {
        let time: UInt64
        let number: UInt64

        /// When it was made.
        var issued: FileTime { FileTime(rawValue: time) }

        fileprivate var bytes: [UInt8] {
            var bytes: [UInt8] = []
            bytes.append(littleEndian: time)
            bytes.append(littleEndian: number)
            return bytes
        }
    }

    private static let codeBytes = 16
    private static let byteCount = 16 + codeBytes
    /// Base64 of ``byteCount`` bytes.
    private static let characterCount = 44

    /// Only this process has it: a nonce of an earlier process is one of another server.
    private let key = SymmetricKey(size: .bits256)

    /// A new nonce.
    func make(now: FileTime) -> String {
        var generator = SystemRandomNumberGenerator()
        let nonce = Nonce(time: now.rawValue, number: generator.next())
        return Base64.encode((nonce.bytes + code(of: nonce)).span)
    }

    /// Reads a nonce; `nil` if this process has not made it.
    func read(_ text: String) -> Nonce? {
        guard text.utf8.count == Self.characterCount, let bytes = try? Base64.decode(text),
            bytes.count == Self.byteCount,
            let time = littleEndianUInt64(in: bytes.span, at: 0), let number = littleEndianUInt64(in: bytes.span, at: 8)
        else { return nil }
        let nonce = Nonce(time: time, number: number)
        let isOurs = constantTimeEqual(code(of: nonce).span, bytes.span.extracting(16..<Self.byteCount))
        return isOurs ? nonce : nil
    }

    private func code(of nonce: Nonce) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: nonce.bytes, using: key).prefix(Self.codeBytes))
    }
}

/// HMAC-SHA256 (RFC 2104) of a whole message.
package enum HMACSHA256 {
    /// The length of a code.
    package static let byteCount = 32
    /// The block of SHA-256, to which RFC 2104 pads the key.
    private static let blockBytes = 64

    /// The code of `message` under `key`: 32 bytes. Erases its copies of both.
    ///
    /// - Parameters:
    ///   - message: any bytes; they may be secret.
    ///   - key: any length; a key that is longer than a block is replaced by its digest, as RFC 2104 asks.
    /// - Complexity: O(*n*) in the length of `message` and of `key`; it makes temporary copies of both.
    package static func code(of message: Span<UInt8>, key: Span<UInt8>) -> [UInt8] {
        var padded = key.count > blockBytes ? digest(of: key) : bytes(of: key, after: [])
        padded += [UInt8](repeating: 0, count: blockBytes - padded.count)
        defer { erase(&padded) }
        var inner = bytes(of: message, after: padded.map { $0 ^ 0x36 })
        defer { erase(&inner) }
        let innerDigest = digest(of: inner.span)
        var outer = bytes(of: innerDigest.span, after: padded.map { $0 ^ 0x5c })
        defer { erase(&outer) }
        return digest(of: outer.span)
    }

    /// `start` and the bytes of `text`, in one allocation, so that no shorter copy stays in memory.
    private static func bytes(of text: Span<UInt8>, after start: [UInt8]) -> [UInt8] {
        var start = start
        defer { erase(&start) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(max(start.count + text.count, blockBytes))
        bytes += start
        for index in text.indices { bytes.append(text[index]) }
        return bytes
    }

    private static func digest(of bytes: Span<UInt8>) -> [UInt8] {
        var digest = SecretDigest(sha256Of: bytes)
        defer { digest.erase() }
        var copy: [UInt8] = []
        copy.reserveCapacity(blockBytes)
        digest.withBytes { for index in $0.indices { copy.append($0[index]) } }
        return copy
    }
}

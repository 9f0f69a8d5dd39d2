import InsecureDigests
import TestSupport
import Testing
import WireFormat

/// Derived keys and encrypted codes against the same in parts: MD5, HMAC-MD5 and the stream of RC4.
@Suite struct EncryptedCodeTests {
    @Test("Two constants behind a key are two digests", arguments: [40, 47, 48, 59, 102, 103])
    func constants(count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        let key = random.bytes(16)
        let (first, second) = (random.bytes(count), random.bytes(143 - count))
        let digests = MD5.hash(Digest16(copying: key.span), then: KeyConstant(first), KeyConstant(second))
        let (one, other) = (key + first, key + second)
        #expect(digests.0.bytes == MD5.hash(one.span).bytes)
        #expect(digests.1.bytes == MD5.hash(other.span).bytes)
    }

    @Test("A number, a message, a code and a keystream", arguments: UInt64(1)...64)
    func codes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // Around 51 bytes, where the message no longer fits into one block.
        for count in [0, Int.random(in: 1...50, using: &random), 50, 51, 52, 60, 300] {
            let message = random.bytes(count)
            let (key, cipherKey) = (random.bytes(16), random.bytes(16))
            let number = UInt32.random(in: 0 ... .max, using: &random)
            var numbered: [UInt8] = []
            numbered.append(littleEndian: number)
            numbered += message
            let plain = HMACMD5.authenticate(numbered.span, key: HMACMD5.Key(key.span)).bytes
            var expected = plain
            RC4(key: cipherKey.span).apply(to: &expected)

            let code = HMACMD5.encryptedCode(
                of: message.span,
                number: number,
                key: Digest16(copying: key.span),
                cipherKey: Digest16(copying: cipherKey.span)
            )
            #expect(code.bytes == expected, "\(count) bytes")
            let open = HMACMD5.encryptedCode(
                of: message.span,
                number: number,
                key: Digest16(copying: key.span),
                cipherKey: nil
            )
            #expect(open.bytes == plain, "\(count) bytes")
        }
    }
}

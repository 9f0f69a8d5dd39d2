import Crypto
import Secrets
import TestSupport
import Testing
import WireFormat

@Suite struct HMACSHA256Tests {
    @Test(
        "The test cases of RFC 4231: short keys, and one that is longer than a block",
        arguments: [
            (
                [UInt8](repeating: 0x0b, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]
    )
    func published(key: [UInt8], text: String, code: String) {
        #expect(Hexadecimal.encode(HMACSHA256.code(of: Array(text.utf8).span, key: key.span).span) == code)
    }

    @Test("Keys and messages of every length of up to three blocks agree with swift-crypto")
    func everyLength() {
        var generator = SeededGenerator(seed: 14)
        let bytes = generator.bytes(200)
        for length in 0...192 {
            let (key, message) = (Array(bytes[..<length]), Array(bytes[..<(192 - length)]))
            let theirs = Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
            #expect(HMACSHA256.code(of: message.span, key: key.span) == theirs, "\(length) bytes")
        }
    }
}

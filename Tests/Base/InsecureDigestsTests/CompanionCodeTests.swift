import InsecureDigests
import TestSupport
import Testing
import WireFormat

@Suite struct CompanionCodeTests {
    @Test("A code beside others is the code by itself, and so are the others", arguments: UInt64(1)...256)
    func agrees(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let message = generator.bytes(Int.random(in: 0...900, using: &generator))
        let other = generator.bytes(Int.random(in: 0...400, using: &generator))
        let digest = Digest16(copying: generator.bytes(16).span)
        let otherKey = HMACMD5.Key(generator.bytes(16).span)
        let key = generator.bytes(16)
        // The message stands up to here, then up to there, then as a whole.
        let stands = (0..<3).map { _ in Int.random(in: 0...message.count, using: &generator) }.sorted()

        var code = CompanionCode(key: Digest16(copying: key.span))
        let first = HMACMD5.authenticate(
            other.span,
            key: otherKey,
            beside: &code,
            of: message.span.extracting(0..<stands[0])
        )
        let second = HMACMD5.authenticate(
            digest,
            key: otherKey,
            beside: &code,
            of: message.span.extracting(0..<stands[1])
        )
        let third = RC4.exchange(digest, key: second, beside: &code, of: message.span.extracting(0..<stands[2]))
        let last = code.finalize(message.span)

        let digestBytes = digest.bytes
        #expect(first.bytes == HMACMD5.authenticate(other.span, key: otherKey).bytes)
        #expect(second.bytes == HMACMD5.authenticate(digestBytes.span, key: otherKey).bytes)
        #expect(third.bytes == RC4.exchange(digest, key: second).bytes)
        let ownKey = HMACMD5.Key(key.span)
        #expect(last.bytes == HMACMD5.authenticate(message.span, key: ownKey).bytes)
    }

    @Test("The code of RFC 2202, beside the same message")
    func vector() {
        let key = [UInt8](repeating: 0xaa, count: 16)
        let data = [UInt8](repeating: 0xdd, count: 50)
        var code = CompanionCode(key: Digest16(copying: key.span))
        let own = HMACMD5.Key(key.span)
        let beside = HMACMD5.authenticate(data.span, key: own, beside: &code, of: data.span)
        #expect(Hexadecimal.encode(beside.bytes.span) == "56be34521d144c88dbb8c733f0e8b3f6")
        #expect(Hexadecimal.encode(code.finalize(data.span).bytes.span) == "56be34521d144c88dbb8c733f0e8b3f6")
    }

    @Test func nothingIsPrinted() {
        #expect("\(CompanionCode(key: Digest16(low: 1, high: 2)))" == "<HMAC-MD5>")
    }
}

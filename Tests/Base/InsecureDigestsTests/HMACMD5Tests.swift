import InsecureDigests
import TestSupport
import Testing
import WireFormat

@Suite struct HMACMD5Tests {
    /// RFC 2202 section 2, cases 1 to 7: key, data, code. The first three stand in RFC 2104 as well.
    static let vectors: [(key: [UInt8], data: [UInt8], code: String)] = [
        (.init(repeating: 0x0b, count: 16), .init("Hi There".utf8), "9294727a3638bb1c13f48ef8158bfc9d"),
        (.init("Jefe".utf8), .init("what do ya want for nothing?".utf8), "750c783e6ab0b503eaa86e310a5db738"),
        (.init(repeating: 0xaa, count: 16), .init(repeating: 0xdd, count: 50), "56be34521d144c88dbb8c733f0e8b3f6"),
        (.init(1...25), .init(repeating: 0xcd, count: 50), "697eaf0aca3a3aea3a75164746ffaa79"),
        (.init(repeating: 0x0c, count: 16), .init("Test With Truncation".utf8), "56461ef2342edc00f9bab995690efd4c"),
        (
            .init(repeating: 0xaa, count: 80), .init("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd"
        ),
        (
            .init(repeating: 0xaa, count: 80),
            .init("Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data".utf8),
            "6f630fad67cda0ee1fb1f562db3aa53e"
        ),
    ]

    @Test("RFC 2202 section 2", arguments: 0..<7)
    func publishedVector(index: Int) {
        let vector = Self.vectors[index]
        let key = HMACMD5.Key(vector.key.span)
        #expect(Hexadecimal.encode(HMACMD5.authenticate(vector.data.span, key: key).bytes.span) == vector.code)
        #expect(Hexadecimal.encode(NaiveDigests.hmacMD5(key: vector.key, vector.data).span) == vector.code)
    }

    @Test("One key serves many messages, in parts", arguments: UInt64(1)...8)
    func agreesWithNaiveTwin(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let keyBytes = generator.bytes(Int.random(in: 0...100, using: &generator))
        let key = HMACMD5.Key(keyBytes.span)
        for length in stride(from: 0, through: 300, by: 3) {
            let message = generator.bytes(length)
            let cut = Int.random(in: 0...length, using: &generator)
            var code = HMACMD5(key)
            code.update(message.span.extracting(0..<cut))
            code.update(message.span.extracting(cut..<length))
            #expect(code.finalize().bytes == NaiveDigests.hmacMD5(key: keyBytes, message), "seed \(seed), \(length)")
        }
    }
}

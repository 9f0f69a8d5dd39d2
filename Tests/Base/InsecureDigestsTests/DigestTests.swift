import InsecureDigests
import TestSupport
import Testing
import WireFormat

@Suite struct DigestTests {
    static let messages = [
        "", "a", "abc", "message digest", "abcdefghijklmnopqrstuvwxyz",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
    ]
    static let md4 = [
        "31d6cfe0d16ae931b73c59d7e0c089c0", "bde52cb31de33e46245e05fbdbd6fb24", "a448017aaf21d8525fc10ae87aa6729d",
        "d9130a8164549fe818874806e1c7014b", "d79e1c308aa5bbcdeea8ed63df412da9", "043f8582f241db351ce627e153e7f0e4",
        "e33b4ddc9c38f2199c3e7b164fcc0536",
    ]
    static let md5 = [
        "d41d8cd98f00b204e9800998ecf8427e", "0cc175b9c0f1b6a831c399e269772661", "900150983cd24fb0d6963f7d28e17f72",
        "f96b697d7cb7938d525a2f31aaf161d0", "c3fcd3d76192e4007dfb496cca67e13b", "d174ab98d277d9f5a5611c2c9f419d9f",
        "57edf4a22be3c955ac49da2e2107b67a",
    ]

    @Test("RFC 1320 A.5", arguments: zip(messages, md4))
    func md4Vectors(message: String, expected: String) {
        #expect(Hexadecimal.encode(MD4.hash([UInt8](message.utf8).span).bytes.span) == expected)
        #expect(Hexadecimal.encode(NaiveDigests.md4([UInt8](message.utf8)).span) == expected)
    }

    @Test("RFC 1321 A.5", arguments: zip(messages, md5))
    func md5Vectors(message: String, expected: String) {
        #expect(Hexadecimal.encode(MD5.hash([UInt8](message.utf8).span).bytes.span) == expected)
        #expect(Hexadecimal.encode(NaiveDigests.md5([UInt8](message.utf8)).span) == expected)
    }

    @Test("Every length up to 300 agrees with the naive twins, whole and in three parts", arguments: UInt64(1)...4)
    func agreesWithNaiveTwins(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for length in 0...300 {
            let message = generator.bytes(length)
            let md4 = NaiveDigests.md4(message)
            let md5 = NaiveDigests.md5(message)
            #expect(MD4.hash(message.span).bytes == md4, "seed \(seed), \(length) bytes")
            #expect(MD5.hash(message.span).bytes == md5, "seed \(seed), \(length) bytes")

            let cuts = [Int.random(in: 0...length, using: &generator), Int.random(in: 0...length, using: &generator)]
                .sorted()
            var streamed = (MD4(), MD5())
            for part in [0..<cuts[0], cuts[0]..<cuts[1], cuts[1]..<length] {
                streamed.0.update(message.span.extracting(part))
                streamed.1.update(message.span.extracting(part))
            }
            #expect(streamed.0.finalize().bytes == md4, "seed \(seed), \(length) bytes cut at \(cuts)")
            #expect(streamed.1.finalize().bytes == md5, "seed \(seed), \(length) bytes cut at \(cuts)")
        }
    }

    @Test func byteByByteIsTheSame() {
        let message = [UInt8](0...199)
        var hasher = MD5()
        for index in message.indices { hasher.update(message.span.extracting(index..<(index + 1))) }
        #expect(hasher.finalize().bytes == NaiveDigests.md5(message))
    }

    @Test func nothingIsPrinted() {
        let empty: [UInt8] = []
        let digest = MD5.hash(empty.span)
        var dumped = ""
        dump(digest, to: &dumped)
        // d41d8cd98f00b204 read as a little-endian integer, as a default description would show it.
        for text in ["\(digest)", String(reflecting: digest), dumped] { #expect(!text.contains("\(digest.low)")) }
        #expect(digest.low == 0x04b2_008f_d98c_1dd4)
        #expect(!String(reflecting: MD4()).contains("pending"))
    }
}

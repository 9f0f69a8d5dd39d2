import Crypto
import Secrets
import TestLimits
import TestSupport
import Testing
import WireFormat

@Suite(.inTurn) struct Digest32Tests {
    private static func usable(_ kernel: SHA256Kernel) throws -> SHA256Kernel {
        if !kernel.runsHere { try Test.cancel("this machine lacks \(kernel)") }
        return kernel
    }

    private static func hexadecimal(_ digest: Digest32) -> String {
        var bytes: [UInt8] = []
        for index in 0..<4 { bytes.append(littleEndian: digest.words[index]) }
        return Hexadecimal.encode(bytes.span)
    }

    /// What swift-crypto makes of a message.
    private static func oracle(_ message: ArraySlice<UInt8>) -> String {
        let bytes = Array(SHA256.hash(data: Array(message)))
        return Hexadecimal.encode(bytes.span)
    }

    @Test(
        "The examples of FIPS 180-4 by NIST: one block, two blocks, a million bytes",
        arguments: SHA256Kernel.allCases,
        [
            ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
            ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ]
    )
    func published(kernel: SHA256Kernel, example: (text: String, count: Int, digest: String)) throws {
        let kernel = try Self.usable(kernel)
        let message = Array(String(repeating: example.text, count: example.count).utf8)
        #expect(Self.hexadecimal(Digest32(sha256Of: message.span, kernel: kernel)) == example.digest)
        #expect(Self.hexadecimal(Digest32(sha256Of: message.span)) == example.digest)
        let many = [Range<Int>](repeating: 0..<message.count, count: 33)
        let digests = Digest32.sha256(of: many, in: message.span, kernel: kernel)
        #expect(digests.map(Self.hexadecimal) == [String](repeating: example.digest, count: 33))
    }

    @Test("Every length of up to ten blocks, at any alignment", arguments: SHA256Kernel.allCases)
    func everyLength(kernel: SHA256Kernel) throws {
        let kernel = try Self.usable(kernel)
        var generator = SeededGenerator(seed: 7)
        let bytes = generator.bytes(700)
        for length in 0...640 {
            let range = length % 13..<length % 13 + length
            let digest = Digest32(sha256Of: bytes.span.extracting(range), kernel: kernel)
            #expect(Self.hexadecimal(digest) == Self.oracle(bytes[range]), "\(length) bytes")
        }
    }

    @Test("Many messages of unlike lengths agree with swift-crypto", arguments: SHA256Kernel.allCases, UInt64(1)...12)
    func manyMessages(kernel: SHA256Kernel, seed: UInt64) throws {
        let kernel = try Self.usable(kernel)
        var generator = SeededGenerator(seed: seed)
        let bytes = generator.bytes(2000)
        for count in [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 40, 200] {
            let longest = [3, 70, 600].randomElement(using: &generator) ?? 3
            let messages = (0..<count).map { _ in
                let start = Int.random(in: 0...1400, using: &generator)
                return start..<start + Int.random(in: 0...longest, using: &generator)
            }
            let digests = Digest32.sha256(of: messages, in: bytes.span, kernel: kernel)
            #expect(digests.map(Self.hexadecimal) == messages.map { Self.oracle(bytes[$0]) }, "\(count) messages")
        }
    }

    @Test("Empty messages in no bytes at all")
    func emptyMessages() {
        let nothing: [UInt8] = []
        let digests = Digest32.sha256(of: [0..<0, 0..<0, 0..<0], in: nothing.span)
        #expect(digests.map(Self.hexadecimal) == [String](repeating: Self.oracle([]), count: 3))
        #expect(Digest32.sha256(of: [], in: nothing.span).isEmpty)
    }

    @Test("A message outside the bytes is the caller's bug")
    func outside() async {
        await #expect(processExitsWith: .failure) {
            let bytes: [UInt8] = [1, 2, 3]
            _ = Digest32.sha256(of: [0..<4], in: bytes.span)
        }
    }

    @Test("The best kernel runs here")
    func best() {
        #expect(SHA256Kernel.bestForMany.runsHere)
        #expect(SHA256Kernel.portable.runsHere)
    }
}

import NTLM
import Testing
import WireFormat

@Suite struct NTHashTests {
    /// MS-NLMP 4.2.2.1.2; the Davenport example; MD4 of nothing (RFC 1320 A.5).
    static let vectors = [
        ("Password", SpecificationExample.ntHash), ("SecREt01", "cd06ca7c7e10c99b1d33b7485a2ed808"),
        ("", "31d6cfe0d16ae931b73c59d7e0c089c0"),
    ]

    @Test("Published hashes", arguments: vectors)
    func publishedVector(password: String, expected: String) throws {
        let text = try NTHash(password: password).withBytes { Hexadecimal.encode($0) }
        #expect(text == expected)
    }

    @Test func aHashIsTakenAsItIs() throws {
        let bytes = [UInt8](0...15)
        let text = try NTHash(hash: bytes.span).withBytes { Hexadecimal.encode($0) }
        #expect(text == "000102030405060708090a0b0c0d0e0f")
    }

    @Test("Only 16 bytes are a hash", arguments: [0, 15, 17])
    func otherLengthsAreRefused(count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        #expect(throws: NTLMKeyError.wrongLength(expected: 16, found: count)) { try NTHash(hash: bytes.span) }
    }

    @Test func aPasswordHasABound() throws {
        _ = try NTHash(password: String(repeating: "p", count: 256))
        #expect(throws: NTLMKeyError.passwordTooLong(units: 257, limit: 256)) {
            try NTHash(password: String(repeating: "p", count: 257))
        }
        // A character beyond the BMP takes two units.
        #expect(throws: NTLMKeyError.passwordTooLong(units: 258, limit: 256)) {
            try NTHash(password: String(repeating: "\u{1F600}", count: 129))
        }
    }
}

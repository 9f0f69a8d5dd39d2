import InsecureDigests
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

    @Test(
        "A password from a String, from UTF-8 and held for a call is the same hash",
        arguments: ["a", "é", "𐐨", "aé"]
    )
    func everyLength(unit: String) throws {
        for count in 0...(256 / unit.utf16.count) {
            let password = String(repeating: unit, count: count)
            // The text as it goes into MD4, made by the standard library.
            let text = password.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
            let expected = MD4.hash(text.span).bytes
            let utf8 = [UInt8](password.utf8)
            #expect(try NTHash(password: password).withBytes { [UInt8](copying: $0) } == expected, "\(count)")
            #expect(try NTHash(utf8: utf8.span).withBytes { [UInt8](copying: $0) } == expected, "\(count)")
            #expect(try NTHash.withHash(of: password) { [UInt8](copying: $0) } == expected, "\(count)")
        }
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

import InsecureDigests
import NTLM
import TestSupport
import Testing
import WireFormat

@Suite struct PasswordBatchTests {
    @Test("Published hashes, the empty password's too") func vectors() throws {
        // MS-NLMP 4.2.2.1.2 for "Password"; the others are the well-known ones of "" and "password".
        let vectors = [
            ("Password", "a4f49c406510bdcab6824ee7c30fd852"), ("", "31d6cfe0d16ae931b73c59d7e0c089c0"),
            ("password", "8846f7eaee8fb117ad06bdd830b7586c"), ("Password", "a4f49c406510bdcab6824ee7c30fd852"),
        ]
        var batch = PasswordBatch(capacity: 64)
        for (password, _) in vectors { try batch.append(utf8: [UInt8](password.utf8).span) }
        let hashes = batch.hashes().map { Hexadecimal.encode($0.bytes.span) }
        #expect(hashes == vectors.map(\.1))
        let left = batch.count
        #expect(left == 0)
    }

    @Test("As one by one, in the same order, round after round", arguments: UInt64(1)...8)
    func agreesWithSingleHashes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let letters = Array("abcXYZ019 äß山\u{1F600}")
        var batch = PasswordBatch(capacity: 65_536)
        for _ in 0..<2 {
            var expected: [String] = []
            for _ in 0..<Int.random(in: 1...300, using: &random) {
                let length = Int.random(in: 0...40, using: &random)
                let password = String((0..<length).map { _ in letters.randomElement(using: &random) ?? "a" })
                try batch.append(utf8: [UInt8](password.utf8).span)
                expected.append(try NTHash(password: password).withBytes { Hexadecimal.encode($0) })
            }
            #expect(batch.hashes().map { Hexadecimal.encode($0.bytes.span) } == expected)
        }
    }

    @Test func whatIsRefusedLeavesNoTrace() throws {
        var batch = PasswordBatch(capacity: 4_096)
        let long = [UInt8](repeating: 0x61, count: 257)
        let invalid: [UInt8] = [0x61, 0xc3, 0x28]
        // 256 units, in two bytes each.
        let longest = [UInt8](String(repeating: "é", count: 256).utf8)
        let tooLong = longest + [0x61]
        try batch.append(utf8: longest.span)
        #expect(throws: NTLMKeyError.passwordTooLong(units: 257, limit: 256)) { try batch.append(utf8: long.span) }
        #expect(throws: NTLMKeyError.passwordTooLong(units: 257, limit: 256)) { try batch.append(utf8: tooLong.span) }
        #expect(throws: NTLMKeyError.passwordNotUTF8) { try batch.append(utf8: invalid.span) }
        try batch.append(utf8: [0x61].span)
        let expected = try ["a"].map { try NTHash(password: $0).withBytes { Hexadecimal.encode($0) } }
        let hashes = batch.hashes().map { Hexadecimal.encode($0.bytes.span) }
        #expect(hashes.count == 2 && hashes.suffix(1) == expected[...])
    }
}

import NTLM
import Testing

@Suite struct NTLMAccountTests {
    private func parsed(_ name: String) throws -> NTLMAccount {
        try NTLMAccount(parsing: name, hash: NTHash(password: "p"))
    }

    @Test(
        "Names as people type them",
        arguments: [
            ("ACME\\ada", "ada", "ACME"), ("ada@acme.example", "ada@acme.example", ""), ("ada", "ada", ""),
            ("\\ada", "ada", ""), ("ACME\\ada\\b", "ada\\b", "ACME"), ("acme.example\\ada@x", "ada@x", "acme.example"),
        ]
    )
    func forms(name: String, user: String, domain: String) throws {
        let account = try parsed(name)
        #expect(account.user == user && account.domain == domain)
    }

    @Test("An empty user name is refused", arguments: ["", "ACME\\"])
    func emptyUser(name: String) {
        #expect(throws: AccountError.userMissing) { try parsed(name) }
    }

    @Test func namesHaveABound() {
        let long = String(repeating: "a", count: 257)
        #expect(throws: AccountError.nameTooLong(units: 257, limit: 256)) { try parsed(long) }
        #expect(throws: AccountError.nameTooLong(units: 257, limit: 256)) { try parsed(long + "\\a") }
    }

    @Test func nonceLengthsAreChecked() {
        let eight = [UInt8](repeating: 0, count: 8)
        #expect(throws: NTLMKeyError.wrongLength(expected: 16, found: 8)) {
            try ClientNonces(clientChallenge: eight.span, exportedSessionKey: eight.span)
        }
        let sixteen = eight + eight
        #expect(throws: NTLMKeyError.wrongLength(expected: 8, found: 16)) {
            try ClientNonces(clientChallenge: sixteen.span, exportedSessionKey: sixteen.span)
        }
    }

    @Test("Unix times, and what lies outside the range")
    func fileTimes() {
        // Davenport's example: 17 June 2003, 10:00 UTC, is 0x01c334b736d39000.
        #expect(FileTime(unixSeconds: 1_055_844_000).rawValue == 0x01c3_34b7_36d3_9000)
        #expect(FileTime(unixSeconds: 0, nanoseconds: 250).rawValue == 116_444_736_000_000_002)
        #expect(FileTime(unixSeconds: -11_644_473_601).rawValue == 0)
        #expect(FileTime(rawValue: 116_444_736_009_999_999).unixSeconds == 0)
        #expect(FileTime(rawValue: 0).unixSeconds == -11_644_473_600)
        #expect(FileTime(unixSeconds: .min).rawValue == 0)
        #expect(FileTime(unixSeconds: .max).rawValue == .max)
        #expect(FileTime(rawValue: 20_000_001).seconds(from: FileTime(rawValue: 0)) == 2)
        #expect(FileTime(rawValue: 0).seconds(from: FileTime(rawValue: .max)) == 1_844_674_407_370)
    }
}

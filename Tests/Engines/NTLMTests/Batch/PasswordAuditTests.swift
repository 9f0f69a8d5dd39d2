import InsecureDigests
import NTLM
import TestSupport
import Testing
import WireFormat

@Suite struct PasswordAuditTests {
    private typealias Example = SpecificationExample

    private func audit() throws -> PasswordAudit {
        let challenge = try Example.bytes(Example.challenge)
        let authenticate = try Example.bytes(Example.authenticate)
        return try PasswordAudit(challenge: challenge.span, authenticate: authenticate.span)
    }

    @Test("MS-NLMP 4.2.4: the password of the example is found") func published() throws {
        let audit = try audit()
        #expect(audit.user == Example.user && audit.domain == Example.domain)
        #expect(audit.firstMatch(among: [Example.password]) == 0)
        #expect(audit.firstMatch(among: ["password", "Passwort", "", "Password"]) == 3)
        #expect(audit.firstMatch(among: ["password", "Password ", "PASSWORD"]) == nil)
        #expect(audit.firstMatch(among: []) == nil)
    }

    @Test("A match is found in every lane, and the first one wins", arguments: [0, 1, 63, 64, 511, 512, 700, 1_299])
    func everyLane(place: Int) throws {
        var candidates = (0..<1_300).map { "candidate \($0)" }
        candidates[place] = Example.password
        candidates[1_299] = Example.password
        // Too long for one block, not ASCII, and too long for any password.
        if place != 5 { candidates[5] = String(repeating: "p", count: 90) }
        if place != 6 { candidates[6] = "pässwörd" }
        if place != 7 { candidates[7] = String(repeating: "p", count: 257) }
        #expect(try audit().firstMatch(among: candidates) == place)
    }

    @Test("Passwords of every sort are found", arguments: UInt64(1)...8) func everySort(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let letters = Array("abcXYZ019 _-äßЖ日𐐨€")
        let passwords = (0..<40).map { number in
            String((0..<(number * 7 % 120)).map { _ in letters[Int.random(in: letters.indices, using: &generator)] })
        }
        let password = passwords[Int.random(in: 20..<40, using: &generator)]
        let now = FileTime(unixSeconds: 1_700_000_000)
        let account = try NTLMAccount(user: "weiß", domain: "ACME", hash: NTHash(password: password))
        var client = ClientHandshake(account: account)
        let negotiate = client.negotiate()
        var server = ServerHandshake(options: .init(computerName: "SRV"))
        let challenge = try server.challenge(to: negotiate.span, now: now)
        let answer = try client.authenticate(challenge: challenge.span, now: now)
        let audit = try PasswordAudit(challenge: challenge.span, authenticate: answer.span)
        #expect(audit.firstMatch(among: passwords) == passwords.firstIndex(of: password))
    }

    @Test func whatIsNoHandshakeIsRefused() throws {
        let challenge = try Example.bytes(Example.challenge)
        let authenticate = try Example.bytes(Example.authenticate)
        #expect(throws: MessageError.wrongMessageType(expected: 2, found: 3)) {
            try PasswordAudit(challenge: authenticate.span, authenticate: authenticate.span)
        }
        var message = try AuthenticateMessage(reading: authenticate)
        message.ntChallengeResponse = [UInt8](repeating: 1, count: 24)
        let old = try message.encoded()
        #expect(throws: MessageError.notAnNTLMv2Response(bytes: 24)) {
            try PasswordAudit(challenge: challenge.span, authenticate: old.span)
        }
    }
}

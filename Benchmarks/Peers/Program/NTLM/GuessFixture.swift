internal import BenchmarkSupport
internal import InsecureDigests
internal import NTLM
internal import WireFormat

/// A recorded response, and passwords that do not match it, as a password cracker tries them.
struct GuessFixture {
    let audit: PasswordAudit
    /// The same, for kernels that are chosen by hand.
    let identity: HMACMD5.SharedMessage
    let hashed: HMACMD5.SharedMessage
    /// Bytes under the proof: the server's challenge and what follows the proof.
    let byteCount: Int
    let passwords = (0..<4096).map { "password\($0 + 1000)" }

    /// The response of hashcat's own `-m 5600`, whose speed its benchmark tells; made with the password `hashcat`.
    static func hashcat() throws -> GuessFixture {
        let response = try Hexadecimal.decode(
            "aab8bf8675658dd2a939458a1077ba08"
                + "010100000000000031c8aa092510945398b9f7b7dde1a9fb00000000f7876f2b04b700"
        )
        let authenticate = message(user: utf16("0UL5G37JOI0SX"), domain: utf16("6VB1IS0KA74"), response: response)
        // `ebe1afa18b7fbfa6`, least significant byte first.
        let serverChallenge: UInt64 = 0xa6bf_7f8b_a1af_e1eb
        let challenge = try ChallengeMessage(flags: [.unicode, .ntlm], serverChallenge: serverChallenge).encoded()
        return try GuessFixture(challenge, authenticate, password: "hashcat")
    }

    /// The response of the log-in that everything else is measured with.
    static func logIn(_ fixture: NTLMFixture) throws -> GuessFixture {
        try GuessFixture(fixture.challenge, fixture.authenticate, password: NTLMFixture.password)
    }

    private init(_ challenge: [UInt8], _ authenticate: [UInt8], password: String) throws {
        audit = try PasswordAudit(challenge: challenge.span, authenticate: authenticate.span)
        precondition(
            audit.firstMatch(among: passwords + [password]) == passwords.count,
            "the right password is not found"
        )
        let message = try AuthenticateMessage(parsing: authenticate.span)
        let server = try ChallengeMessage(parsing: challenge.span)
        var covered: [UInt8] = []
        covered.append(littleEndian: server.serverChallenge)
        covered.append(copying: message.ntChallengeResponse.span.extracting(Digest16.count...))
        byteCount = covered.count
        hashed = HMACMD5.SharedMessage(covered.span)
        identity = HMACMD5.SharedMessage((Self.utf16(audit.user.uppercased() + audit.domain)).span)
    }

    /// Tries all passwords with one kernel; returns something that depends on the last.
    func guess(_ kernel: LaneKernel) -> Int {
        var result = 0
        for start in stride(from: 0, to: passwords.count, by: 512) {
            let proofs = HMACMD5.codes(
                underTexts: passwords[start..<(start + 512)],
                through: [identity, hashed],
                kernel: kernel
            )
            result &+= Int(truncatingIfNeeded: proofs.digests[511].low)
        }
        return result
    }

    /// An AUTHENTICATE (MS-NLMP 2.2.1.3) with these three fields; the others are empty.
    private static func message(user: [UInt8], domain: [UInt8], response: [UInt8]) -> [UInt8] {
        var message = [UInt8]("NTLMSSP\0".utf8)
        message.append(littleEndian: UInt32(3))
        // LM response, NT response, domain, user, workstation, session key: two lengths and an offset each.
        var offset = 64
        for count in [0, response.count, domain.count, user.count, 0, 0] {
            message.append(littleEndian: UInt16(count))
            message.append(littleEndian: UInt16(count))
            message.append(littleEndian: UInt32(offset))
            offset += count
        }
        message.append(littleEndian: NegotiateFlags([.unicode, .ntlm]).rawValue)
        return message + response + domain + user
    }

    private static func utf16(_ text: String) -> [UInt8] {
        text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }
}

import NTLM
import TestSupport
import Testing
import WireFormat

@Suite struct MessageTests {
    private typealias Example = SpecificationExample

    @Test("MS-NLMP 4.2.4.3: CHALLENGE_MESSAGE") func challenge() throws {
        let bytes = try Example.bytes(Example.challenge)
        let message = try ChallengeMessage(reading: bytes)
        #expect(message.flags.rawValue == 0xe28a_8233)
        #expect(message.serverChallenge == Example.serverChallenge)
        #expect(message.targetName == "Server")
        #expect(message.targetInfo?.pairs.map(\.id) == [.nbDomainName, .nbComputerName])
        #expect(message.targetInfo?.pairs.map(\.text) == ["Domain", "Server"])
        #expect(message.version == [6, 0, 0x70, 0x17, 0, 0, 0, 0x0f])
        #expect(try message.encoded() == bytes)
    }

    @Test("MS-NLMP 4.2.4.3: AUTHENTICATE_MESSAGE") func authenticate() throws {
        let bytes = try Example.bytes(Example.authenticate)
        let message = try AuthenticateMessage(reading: bytes)
        #expect(message.flags.rawValue == 0xe288_8235)
        #expect(message.userName == "User")
        #expect(message.domainName == "Domain")
        #expect(message.workstation == "COMPUTER")
        #expect(Hexadecimal.encode(message.lmChallengeResponse.span) == Example.lmv2)
        #expect(Hexadecimal.encode(message.ntChallengeResponse.span) == Example.ntProofStr + Example.temp)
        #expect(Hexadecimal.encode(message.encryptedRandomSessionKey.span) == Example.encryptedSessionKey)
        #expect(message.version == [5, 1, 0x28, 0x0a, 0, 0, 0, 0x0f])
        #expect(message.messageIntegrityCode == nil)
        #expect(try message.encoded() == bytes)
    }

    @Test("The version flag without the field, as curl and cntlm send it")
    func versionFlagWithoutField() throws {
        var message = try AuthenticateMessage(reading: try Example.bytes(Example.authenticate))
        message.version = nil
        let read = try AuthenticateMessage(reading: try message.encoded())
        #expect(read.flags.contains(.version))
        #expect(read.version == nil && read.messageIntegrityCode == nil)
        #expect(read == message)
    }

    @Test(
        "Version and code, alone and together",
        arguments: [(false, false), (true, false), (false, true), (true, true)]
    )
    func optionalFields(hasVersion: Bool, hasCode: Bool) throws {
        var message = try AuthenticateMessage(reading: try Example.bytes(Example.authenticate))
        message.version = hasVersion ? [1, 2, 3, 4, 5, 6, 7, 8] : nil
        message.messageIntegrityCode = hasCode ? [UInt8](20...35) : nil
        let read = try AuthenticateMessage(reading: try message.encoded())
        #expect(read == message)
        #expect(read.messageIntegrityCodeOffset == (hasCode ? (hasVersion ? 72 : 64) : nil))
    }

    @Test func negotiateIsReadInAllItsLengths() throws {
        var message = NegotiateMessage(flags: [.unicode, .ntlm])
        let plain = try message.encoded()
        // gss-ntlmssp 1.2 refuses anything shorter.
        #expect(plain.count == 40)
        #expect(try NegotiateMessage(reading: plain) == message)
        // Some clients leave the version out, and those of old end after the flags.
        #expect(try NegotiateMessage(reading: Array(plain[0..<32])) == message)
        #expect(try NegotiateMessage(reading: Array(plain[0..<16])) == message)
        message.domainName = [UInt8]("ACME".utf8)
        message.version = [10, 0, 0, 0, 0, 0, 0, 15]
        let read = try NegotiateMessage(reading: try message.encoded())
        #expect(read.domainName == message.domainName && read.version == message.version)
        #expect(read.flags == [.unicode, .ntlm, .version, .oemDomainSupplied])
    }

    /// An AUTHENTICATE with its fields in `order` in the payload and gaps of random bytes between them.
    private func scattered(_ order: [Int], seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        // LM, NT, domain, user, workstation, key: MS-NLMP 2.2.1.3.
        let contents = [24, 60, 6, 8, 0, 16].map { generator.bytes($0) }
        var message = [UInt8]("NTLMSSP\0".utf8) + [3, 0, 0, 0] + [UInt8](repeating: 0, count: 48) + [5, 2, 0x88, 0xe2]
        message += generator.bytes(24)
        for field in order {
            message += generator.bytes(Int.random(in: 0...9, using: &generator))
            let place = 12 + 8 * field
            let count = UInt8(contents[field].count)
            // MaxLen may differ from Len; readers ignore it.
            message.replaceSubrange(
                place..<(place + 8),
                with: [count, 0, count &+ 3, 0, UInt8(message.count), 0, 0, 0]
            )
            message += contents[field]
        }
        return message + generator.bytes(5)
    }

    @Test("Fields are read in any order and with gaps between them", arguments: UInt64(1)...20)
    func anyLayoutIsRead(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let order = [0, 1, 2, 3, 4, 5].shuffled(using: &generator)
        let message = try AuthenticateMessage(reading: scattered(order, seed: seed))
        // The generator of `scattered` makes the contents first, so another order has the same contents.
        #expect(message.ntChallengeResponse.count == 60 && message.userNameBytes.count == 8)
        let plain = try AuthenticateMessage(reading: scattered([0, 1, 2, 3, 4, 5], seed: seed))
        #expect(message.ntChallengeResponse == plain.ntChallengeResponse)
        #expect(message.userNameBytes == plain.userNameBytes && message.domainNameBytes == plain.domainNameBytes)
        #expect(message.lmChallengeResponse == plain.lmChallengeResponse)
        #expect(message.encryptedRandomSessionKey == plain.encryptedRandomSessionKey)
        // Written in the order of the specification, and read again: the same fields.
        let written = try message.encoded()
        #expect(try AuthenticateMessage(reading: written) == message)
    }

    @Test("A server of old: no target information, the payload right after the nonce", arguments: [32, 40])
    func challengeWithoutTargetInfo(size: Int) throws {
        let start = "4e544c4d5353500002000000" + "0200020020000000" + "01020000" + "0123456789abcdef"
        let bytes = try Example.bytes(start + "4100" + String(repeating: "00", count: size - 32))
        let message = try ChallengeMessage(reading: bytes)
        #expect(message.targetName == "A")
        #expect(message.targetInfo == nil)
    }

    @Test("No prefix of a real message is one")
    func everyTruncationIsAnError() throws {
        let challenge = try Example.bytes(Example.challenge)
        for count in 0..<challenge.count {
            #expect(throws: MessageError.self) { try ChallengeMessage(reading: Array(challenge[0..<count])) }
        }
        let authenticate = try Example.bytes(Example.authenticate)
        for count in 0..<authenticate.count {
            #expect(throws: MessageError.self) {
                try AuthenticateMessage(reading: Array(authenticate[0..<count]))
            }
        }
        let negotiate = try NegotiateMessage(flags: [.unicode]).encoded()
        for count in 0..<32 where count != 16 {
            #expect(throws: MessageError.self) { try NegotiateMessage(reading: Array(negotiate[0..<count])) }
        }
    }

    @Test("Flipped bytes are read or refused, and never trap", arguments: UInt64(1)...16)
    func flippedBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let originals = [try Example.bytes(Example.challenge), try Example.bytes(Example.authenticate)]
        var refused = 0
        for original in originals {
            for _ in 0..<400 {
                var bytes = original
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    bytes[Int.random(in: 12..<bytes.count, using: &generator)] = UInt8.random(
                        in: 0...255,
                        using: &generator
                    )
                }
                // What could be read can be written and read again, and is the same then.
                if original == originals[0] {
                    guard let message = try? ChallengeMessage(reading: bytes) else {
                        refused += 1
                        continue
                    }
                    let again = try message.encoded()
                    #expect(try ChallengeMessage(reading: again).targetInfo == message.targetInfo)
                } else {
                    guard let message = try? AuthenticateMessage(reading: bytes) else {
                        refused += 1
                        continue
                    }
                    let again = try message.encoded()
                    #expect(try AuthenticateMessage(reading: again) == message)
                    _ = try? NTLMv2Response(reading: message.ntChallengeResponse)
                }
            }
        }
        #expect(refused > 0, "seed \(seed)")
    }

    @Test func offsetsAreCheckedBeyond32Bits() throws {
        // NtChallengeResponse: 65535 bytes at 0xffff_ffff, whose 32-bit sum would lie inside the message.
        var bytes = try Example.bytes(Example.authenticate)
        bytes.replaceSubrange(20..<28, with: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
        let count = bytes.count
        #expect(
            throws: MessageError.payloadOutside(
                .ntChallengeResponse,
                offset: 0xffff_ffff,
                length: 65_535,
                available: count
            )
        ) { try AuthenticateMessage(reading: bytes) }
    }

    @Test func contentsInTheFixedPartAreRefused() throws {
        var bytes = try Example.bytes(Example.challenge)
        bytes[16] = 47
        let count = bytes.count
        #expect(throws: MessageError.payloadOutside(.targetName, offset: 47, length: 12, available: count)) {
            try ChallengeMessage(reading: bytes)
        }
    }

    @Test("Bytes with two owners are refused, in each of the three messages") func sharedBytes() throws {
        // MS-NLMP 4.2.4.3: the domain stands right before the user.
        var authenticate = try Example.bytes(Example.authenticate)
        authenticate[28] += 1
        let domainOffset = Int(authenticate[32])
        let userOffset = Int(authenticate[40])
        #expect(userOffset == domainOffset + Int(authenticate[28]) - 1)
        #expect(
            throws: MessageError.payloadShared(.userName, offset: userOffset, length: Int(authenticate[36]))
        ) { try AuthenticateMessage(reading: authenticate) }
        var challenge = try Example.bytes(Example.challenge)
        let (infoOffset, infoLength) = (Int(challenge[44]), Int(challenge[40]))
        challenge[16] = UInt8(infoOffset + infoLength - 1)
        challenge[12] = 1
        #expect(throws: MessageError.payloadShared(.targetInfo, offset: infoOffset, length: infoLength)) {
            try ChallengeMessage(reading: challenge)
        }
        var negotiate = NegotiateMessage(flags: .unicode)
        negotiate.domainName = [65, 66]
        negotiate.workstation = [67, 68]
        var bytes = try negotiate.encoded()
        bytes[28] -= 1
        let offset = Int(bytes[28])
        #expect(throws: MessageError.payloadShared(.workstation, offset: offset, length: 2)) {
            try NegotiateMessage(reading: bytes)
        }
    }

    @Test func emptyFieldsMayPointAnywhere() throws {
        var bytes = try Example.bytes(Example.authenticate)
        // Workstation: no bytes, at 0.
        bytes.replaceSubrange(44..<52, with: [UInt8](repeating: 0, count: 8))
        #expect(try AuthenticateMessage(reading: bytes).workstation == "")
    }

    @Test func oversizeIsRefused() throws {
        let bytes = try Example.bytes(Example.challenge) + [UInt8](repeating: 0, count: 65_536)
        let count = bytes.count
        #expect(throws: MessageError.tooLong(bytes: count, limit: 65_536)) { try ChallengeMessage(reading: bytes) }
        var message = ChallengeMessage(flags: .unicode, serverChallenge: 0)
        message.targetNameBytes = [UInt8](repeating: 0, count: 65_536)
        #expect(throws: MessageError.fieldTooLong(.targetName, bytes: 65_536, limit: 65_535)) { try message.encoded() }
        message.targetNameBytes = [UInt8](repeating: 0, count: 40_000)
        message.targetInfo = TargetInfo(pairs: [AVPair(id: .singleHost, value: message.targetNameBytes)])
        #expect(throws: MessageError.tooLong(bytes: 80_056, limit: 65_536)) { try message.encoded() }
    }

    @Test func otherTokensAreTold() throws {
        let authenticate = try Example.bytes(Example.authenticate)
        let wrongType = MessageError.wrongMessageType(expected: 2, found: 3)
        #expect(throws: wrongType) { try ChallengeMessage(reading: authenticate) }
        #expect(
            "\(wrongType)"
                == "NTLM message type 3 at offset 8: expected type 2 (CHALLENGE); start the handshake again"
        )
        let other: [UInt8] = [0x60, 0x48, 0x06]
        #expect(throws: MessageError.wrongSignature) { try ChallengeMessage(reading: other) }
        #expect(throws: MessageError.truncated(needed: 32, available: 3)) {
            try ChallengeMessage(reading: Array(authenticate[0..<3]))
        }
    }

    @Test func flagsAreNamedAsInTheSpecification() {
        let flags = NegotiateFlags(rawValue: 0x2000_0100).union(.unicode)
        #expect("\(flags)" == "NTLMSSP_NEGOTIATE_UNICODE NTLMSSP_NEGOTIATE_128 0x100")
        #expect("\(NegotiateFlags())" == "none")
    }
}

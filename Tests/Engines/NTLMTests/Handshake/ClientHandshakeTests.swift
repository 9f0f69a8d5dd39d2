import InsecureDigests
import NTLM
import Secrets
import TestSupport
import Testing
import WireFormat

@Suite struct ClientHandshakeTests {
    private typealias Example = SpecificationExample
    private static let now = FileTime(rawValue: 133_500_000_000_000_000)

    private func account(_ name: String = "Domain\\User") throws -> NTLMAccount {
        try NTLMAccount(parsing: name, hash: NTHash(password: Example.password))
    }

    private func nonces() throws -> ClientNonces {
        let challenge = [UInt8](repeating: 0xaa, count: 8)
        let key = Example.exportedSessionKey
        return try ClientNonces(clientChallenge: challenge.span, exportedSessionKey: key.span)
    }

    /// The specification's CHALLENGE, changed by `change`.
    private func challenge(_ change: (inout ChallengeMessage) -> Void = { _ in }) throws -> [UInt8] {
        var message = try ChallengeMessage(reading: try Example.bytes(Example.challenge))
        change(&message)
        return try message.encoded()
    }

    private func answer(
        _ challenge: [UInt8],
        from name: String = "Domain\\User",
        options: ClientHandshake.Options = .init()
    ) throws -> AuthenticateMessage {
        var handshake = ClientHandshake(account: try account(name), options: options)
        _ = handshake.negotiate()
        let bytes = try handshake.authenticate(challenge: challenge.span, now: Self.now, nonces: try nonces())
        return try AuthenticateMessage(reading: bytes)
    }

    private func timestamp(_ time: FileTime) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: time.rawValue)
        return bytes
    }

    @Test func negotiateTellsNothing() throws {
        var handshake = ClientHandshake(account: try account(), options: .init(workstation: "PC"))
        let bytes = handshake.negotiate()
        let message = try NegotiateMessage(reading: bytes)
        #expect(try message.encoded() == bytes)
        #expect(message.domainName.isEmpty && message.workstation.isEmpty && message.version == nil)
        #expect(message.flags.isDisjoint(with: [.version, .oem, .lmKey, .oemDomainSupplied, .oemWorkstationSupplied]))
        #expect(message.flags.isSuperset(of: [.unicode, .ntlm, .extendedSessionSecurity, .negotiate128, .keyExchange]))
    }

    @Test("Without the server's clock: LMv2, no code, and the keys of MS-NLMP 4.2.4")
    func withoutTimestamp() throws {
        let message = try answer(try challenge())
        #expect(Hexadecimal.encode(message.lmChallengeResponse.span) == Example.lmv2)
        #expect(message.messageIntegrityCode == nil)
        let response = try NTLMv2Response(reading: message.ntChallengeResponse)
        #expect(response.timestamp == Self.now)
        #expect(response.targetInfo.pairs.map(\.id) == [.nbDomainName, .nbComputerName, .targetName])
        #expect(response.targetInfo.value(of: .targetName) == [])
        #expect(message.encryptedRandomSessionKey.count == 16)
    }

    @Test("With the server's clock: no LM response, a code, and attributes in their order")
    func withTimestamp() throws {
        let clock = FileTime(rawValue: Self.now.rawValue - 10_000_000)
        let bytes = try challenge { message in
            message.targetInfo?.set(.timestamp, to: timestamp(clock))
            message.targetInfo?.set(AVPair.ID(rawValue: 0x4242), to: [1, 2, 3])
        }
        let data = [UInt8](0...31)
        let options = ClientHandshake.Options(
            targetName: "HTTP/wiki.acme.example",
            channelBindings: ChannelBindings(tlsServerEndPoint: data.span),
            workstation: "PC"
        )
        var handshake = ClientHandshake(account: try account(), options: options)
        let negotiate = handshake.negotiate()
        let written = try handshake.authenticate(challenge: bytes.span, now: Self.now, nonces: try nonces())
        let message = try AuthenticateMessage(reading: written)
        #expect(message.lmChallengeResponse == [UInt8](repeating: 0, count: 24))
        #expect(message.workstation == "PC")
        let info = try NTLMv2Response(reading: message.ntChallengeResponse).targetInfo
        #expect(
            info.pairs.map(\.id.rawValue) == [2, 1, 7, 0x4242, 10, 9, 6]
        )
        #expect(try info.timestamp() == clock)
        #expect(try info.flags() == .messageIntegrityCode)
        #expect(info.pairs[5].text == "HTTP/wiki.acme.example")
        #expect(message.messageIntegrityCodeOffset == 72)
        let key = Example.exportedSessionKey
        let code = try MessageIntegrityCode.compute(
            key: key.span,
            negotiate: negotiate.span,
            challenge: bytes.span,
            authenticate: written.span
        )
        #expect(code?.bytes == message.messageIntegrityCode)
    }

    @Test func flagsOfTheServerAreReplacedInPlace() throws {
        let bytes = try challenge { message in
            message.targetInfo = TargetInfo(pairs: [
                AVPair(id: .flags, value: [1, 0, 0, 0]), AVPair(id: .timestamp, value: timestamp(Self.now)),
                AVPair(id: .timestamp, value: timestamp(Self.now)), AVPair(id: .flags, value: [0, 0, 0, 0]),
            ])
        }
        let info = try NTLMv2Response(reading: try answer(bytes).ntChallengeResponse).targetInfo
        #expect(info.pairs.map(\.id) == [.flags, .timestamp, .timestamp, .targetName])
        #expect(try info.flags() == [.constrained, .messageIntegrityCode])
    }

    @Test(
        "A CHALLENGE that sets what only a client sets gets no answer, with and without a clock",
        arguments: [AVPair.ID.targetName, .channelBindings],
        [false, true]
    )
    func attributesOfAClient(id: AVPair.ID, sendsTimestamp: Bool) throws {
        let bytes = try challenge { message in
            if sendsTimestamp { message.targetInfo?.set(.timestamp, to: timestamp(Self.now)) }
            message.targetInfo?.set(id, to: [UInt8](repeating: 7, count: 16))
        }
        let error = HandshakeError.message(.avPairOfClient(id: id.rawValue))
        #expect(throws: error) { try answer(bytes) }
        let own = ChannelBindings(applicationData: [1, 2, 3].span)
        #expect(throws: error) { try answer(bytes, options: .init(channelBindings: own)) }
    }

    @Test func twoClocksAreRefused() throws {
        let bytes = try challenge { message in
            message.targetInfo = TargetInfo(pairs: [
                AVPair(id: .timestamp, value: timestamp(Self.now)),
                AVPair(id: .timestamp, value: timestamp(FileTime(rawValue: Self.now.rawValue + 1))),
            ])
        }
        #expect(throws: HandshakeError.message(.avPairContradiction(id: 7))) { try answer(bytes) }
    }

    @Test("The server does not set the client's flag of an untrusted target name") func untrustedFlag() throws {
        let bytes = try challenge { $0.targetInfo?.set(.flags, to: [5, 0, 0, 0]) }
        let info = try NTLMv2Response(reading: try answer(bytes).ntChallengeResponse).targetInfo
        #expect(try info.flags() == .constrained)
    }

    @Test func aCodeThatIsNotSentIsNotPromised() throws {
        let bytes = try challenge { $0.targetInfo?.set(.flags, to: [3, 0, 0, 0]) }
        let message = try answer(bytes)
        #expect(message.messageIntegrityCode == nil)
        #expect(try NTLMv2Response(reading: message.ntChallengeResponse).targetInfo.flags() == .constrained)
    }

    @Test("Flags confirm what is understood, and never a version")
    func flagsAreNotEchoed() throws {
        let bytes = try challenge { $0.flags = NegotiateFlags(rawValue: 0xffff_ffff) }
        let message = try answer(bytes, from: "Domain\\User")
        #expect(
            message.flags == [
                .unicode, .requestTarget, .sign, .seal, .ntlm, .alwaysSign, .extendedSessionSecurity, .targetInfo,
                .negotiate128, .keyExchange, .negotiate56,
            ]
        )
    }

    @Test("Without signing or sealing no key is exchanged, and none is promised")
    func noExchangeWithoutUse() throws {
        let bytes = try challenge { $0.flags.subtract([.sign, .seal]) }
        let message = try answer(bytes)
        #expect(message.encryptedRandomSessionKey.isEmpty && !message.flags.contains(.keyExchange))
    }

    @Test(
        "A server that takes away what is needed gets no answer",
        arguments: [
            NegotiateFlags.ntlm, .extendedSessionSecurity, .targetInfo, .negotiate128,
        ]
    )
    func downgrade(flag: NegotiateFlags) throws {
        let bytes = try challenge { message in
            message.flags.remove(flag)
            if flag == .targetInfo { message.targetInfo = nil }
        }
        #expect(throws: HandshakeError.downgrade(missing: flag)) { try answer(bytes) }
    }

    @Test func unicodeIsNeeded() throws {
        let bytes = try challenge { $0.flags.remove(.unicode) }
        #expect(throws: HandshakeError.unicodeMissing) { try answer(bytes) }
    }

    @Test("36 hours are enough and not more, early or late", arguments: [false, true])
    func staleTimestamp(isEarly: Bool) throws {
        func at(_ seconds: UInt64) throws -> [UInt8] {
            let steps = seconds * FileTime.stepsPerSecond
            let time = FileTime(rawValue: isEarly ? Self.now.rawValue - steps : Self.now.rawValue + steps)
            return try challenge { $0.targetInfo?.set(.timestamp, to: timestamp(time)) }
        }
        _ = try answer(try at(129_600))
        let late = try at(129_601)
        #expect(throws: HandshakeError.staleTimestamp(skewSeconds: 129_601)) { try answer(late) }
    }

    @Test func theDomainIsAskedForWhereItMatters() throws {
        let bytes = try challenge { $0.flags.insert(.targetTypeDomain) }
        #expect(throws: HandshakeError.domainRequired(target: "Server")) { try answer(bytes, from: "User") }
        _ = try answer(bytes, from: "User@realm")
        // curl sends an empty domain for `--user \User:…`.
        _ = try answer(bytes, from: "\\User")
        _ = try answer(try challenge(), from: "User")
        #expect(!"\(HandshakeError.domainRequired(target: "a\r\nb"))".contains("\n"))
    }

    @Test func oneChallengePerNegotiate() throws {
        let bytes = try challenge()
        var handshake = ClientHandshake(account: try account())
        #expect(throws: HandshakeError.wrongStep) { try handshake.authenticate(challenge: bytes.span, now: Self.now) }
        _ = handshake.negotiate()
        _ = try handshake.authenticate(challenge: bytes.span, now: Self.now)
        #expect(throws: HandshakeError.wrongStep) { try handshake.authenticate(challenge: bytes.span, now: Self.now) }
        // A CHALLENGE that was refused ends the handshake as well.
        _ = handshake.negotiate()
        let damaged = Array(bytes.dropLast())
        #expect(throws: HandshakeError.self) { try handshake.authenticate(challenge: damaged.span, now: Self.now) }
        #expect(throws: HandshakeError.wrongStep) { try handshake.authenticate(challenge: bytes.span, now: Self.now) }
    }

    @Test func freshNoncesDiffer() throws {
        let bytes = try challenge()
        var handshake = ClientHandshake(account: try account())
        let answers = try (0..<2).map { _ in
            _ = handshake.negotiate()
            let answer = try handshake.authenticate(challenge: bytes.span, now: Self.now)
            return try AuthenticateMessage(reading: answer)
        }
        #expect(answers[0].ntChallengeResponse != answers[1].ntChallengeResponse)
        #expect(answers[0].encryptedRandomSessionKey != answers[1].encryptedRandomSessionKey)
    }

    @Test("Copies of a handshake have different nonces, and do not change the keys of each other")
    func copiesDiffer() throws {
        let bytes = try challenge()
        var first = ClientHandshake(account: try account())
        _ = first.negotiate()
        var copies = [first, first, first]
        first = ClientHandshake(account: try account())
        let answers = try copies.indices.map { index in
            let answer = try copies[index].authenticate(challenge: bytes.span, now: Self.now)
            return try AuthenticateMessage(reading: answer)
        }
        #expect(Set(answers.map { $0.ntChallengeResponse[32..<40] }).count == 3)
        let keys = copies.map { $0.sessionKeys?.exportedSessionKey.bytes }
        #expect(Set(keys).count == 3 && !keys.contains(nil))
        // What was handed out before stays as it was.
        let kept = copies[0].sessionKeys
        _ = copies[0].negotiate()
        _ = try copies[0].authenticate(challenge: bytes.span, now: Self.now)
        #expect(kept?.exportedSessionKey.bytes == keys[0])
        #expect(copies[0].sessionKeys?.exportedSessionKey.bytes != keys[0])
    }

    @Test("A target name from an untrusted source is reported, with and without a code", arguments: [false, true])
    func untrustedTargetName(sendsTimestamp: Bool) throws {
        let options = ClientHandshake.Options(targetName: "HTTP/elsewhere.example", isTargetNameUntrusted: true)
        var client = ClientHandshake(account: try account(), options: options)
        var server = ServerHandshake(options: .init(computerName: "WIKI", sendsTimestamp: sendsTimestamp))
        let negotiate = client.negotiate()
        let challenge = try server.challenge(to: negotiate.span, now: Self.now)
        let answer = try client.authenticate(challenge: challenge.span, now: Self.now)
        let hash = try NTHash(password: Example.password)
        let visitor = try server.verify(authenticate: answer.span, now: Self.now) { _, _ in hash }
        #expect(visitor.isTargetNameUntrusted && visitor.targetName == "HTTP/elsewhere.example")
        #expect(visitor.hasMessageIntegrityCode == sendsTimestamp)
    }

    @Test func base64IsTheSameMessage() throws {
        let bytes = try challenge()
        var handshake = ClientHandshake(account: try account())
        _ = handshake.negotiate()
        let raw = try handshake.authenticate(challenge: bytes.span, now: Self.now, nonces: try nonces())
        _ = handshake.negotiate()
        let text = try handshake.authenticateBase64(
            challenge: bytes.span,
            now: Self.now,
            nonces: try nonces(),
            prefix: "NTLM "
        )
        #expect(text.hasPrefix("NTLM "))
        #expect(try Base64.decode(text.dropFirst(5)) == raw)
    }

    @Test("Flipped and cut challenges are answered or refused, and never trap", arguments: UInt64(1)...8)
    func damagedChallenges(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let original = try challenge { $0.targetInfo?.set(.timestamp, to: timestamp(Self.now)) }
        var refused = 0
        for _ in 0..<300 {
            var bytes = original
            bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            bytes.removeLast(Int.random(in: 0...2, using: &generator))
            do { _ = try answer(bytes) } catch is HandshakeError { refused += 1 }
        }
        #expect((1..<300).contains(refused), "seed \(seed)")
    }

    @Test("A response has a 16-bit length, and a CHALLENGE that leaves no room for ours is refused")
    func aResponseHasA16BitLength() throws {
        let bytes = try challenge { message in
            message.targetInfo = TargetInfo(pairs: [
                AVPair(id: .singleHost, value: [UInt8](repeating: 0, count: 65_400))
            ])
        }
        // 44 bytes, the attribute with its header, ours (100 letters with a header), MsvAvEOL and four zeros.
        let expected = 44 + 65_404 + 204 + 4 + 4
        #expect(
            throws: HandshakeError.message(.fieldTooLong(.ntChallengeResponse, bytes: expected, limit: 65_535))
        ) { try answer(bytes, options: .init(targetName: String(repeating: "a", count: 100))) }
    }

    @Test func namesHaveBounds() throws {
        let long = String(repeating: "a", count: 1_025)
        let bytes = try challenge()
        #expect(throws: HandshakeError.message(.fieldTooLong(.targetName, bytes: 2_050, limit: 2_048))) {
            try answer(bytes, options: .init(targetName: long))
        }
        #expect(throws: HandshakeError.message(.fieldTooLong(.workstation, bytes: 2_050, limit: 512))) {
            try answer(bytes, options: .init(workstation: long))
        }
    }

    @Test func nothingSecretIsPrinted() throws {
        var handshake = ClientHandshake(account: try account())
        _ = handshake.negotiate()
        let bytes = try challenge()
        _ = try handshake.authenticate(challenge: bytes.span, now: Self.now, nonces: try nonces())
        let hash = try NTHash(password: Example.password)
        // The first bytes of every key here, in hexadecimal and as a dump of an array would show them.
        let keys = [Example.ntHash, Example.ntowfV2, Example.sessionBaseKey, "5555"]
        let forms = try keys.flatMap { key in
            let bytes = try Hexadecimal.decode(key)
            return [String(key.prefix(8)), "\(bytes[0]), \(bytes[1])", "- \(bytes[0])\n"]
        }
        for value in [hash, try account(), handshake, try nonces()] as [any Sendable] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                for form in forms { #expect(!text.contains(form), "\(type(of: value))") }
                #expect(!text.contains(Example.password))
            }
        }
    }
}

import InsecureDigests
import NTLM
import Secrets
import TestSupport
import Testing
import WireFormat

@Suite struct ServerHandshakeTests {
    private static let now = FileTime(rawValue: 133_500_000_000_000_000)

    /// Both ends of one connection, after the CHALLENGE.
    private struct Connection {
        var client: ClientHandshake
        var server: ServerHandshake
        var challenge: [UInt8]
    }

    private func connection(
        _ options: ServerHandshake.Options = .init(computerName: "WIKI"),
        client clientOptions: ClientHandshake.Options = .init(),
        password: String = "Password",
        user: String = "ada",
        serverChallenge: UInt64? = nil
    ) throws -> Connection {
        let account = try NTLMAccount(user: user, domain: "ACME", hash: NTHash(password: password))
        var client = ClientHandshake(account: account, options: clientOptions)
        var server = ServerHandshake(options: options)
        let negotiate = client.negotiate()
        let challenge = try server.challenge(to: negotiate.span, now: Self.now, serverChallenge: serverChallenge)
        return Connection(client: client, server: server, challenge: challenge)
    }

    private func answer(_ connection: inout Connection, nonces: ClientNonces? = nil) throws -> [UInt8] {
        let challenge = connection.challenge
        return try connection.client.authenticate(challenge: challenge.span, now: Self.now, nonces: nonces)
    }

    /// The verdict on an answer, by a fork of the server: `nil` when it gets in.
    private func verdict(
        _ server: ServerHandshake,
        _ authenticate: [UInt8],
        now: FileTime = now
    ) throws -> ServerHandshakeError? {
        var server = server.forked()
        let hash = try NTHash(password: "Password")
        do {
            _ = try server.verify(authenticate: authenticate.span, now: now) { user, _ in user == "ada" ? hash : nil }
            return nil
        } catch { return error }
    }

    /// The answer with `change` made to its attributes, and proved anew: what a client does that knows the password.
    private func proved(
        _ connection: Connection,
        _ authenticate: [UInt8],
        _ change: ([AVPair]) -> [AVPair]
    ) throws -> [UInt8] {
        var message = try AuthenticateMessage(reading: authenticate)
        let old = try NTLMv2Response(reading: message.ntChallengeResponse)
        let challenge = try ChallengeMessage(reading: connection.challenge)
        let key = NTOWFv2.bytes(hash: try NTHash(password: "Password"), user: "ada", domain: "ACME")
        message.ntChallengeResponse = try NTLMv2Response(
            responseKey: key,
            serverChallenge: challenge.serverChallenge,
            clientChallenge: old.clientChallenge,
            timestamp: old.timestamp,
            targetInfo: TargetInfo(pairs: change(old.targetInfo.pairs))
        ).bytes
        return try message.encoded()
    }

    @Test("Our client gets in, and both ends seal under the same keys") func roundTrip() throws {
        var both = try connection(client: .init(targetName: "HTTP/wiki"))
        let authenticate = try answer(&both)
        let hash = try NTHash(password: "Password")
        let client = try both.server.verify(authenticate: authenticate.span, now: Self.now) { user, domain in
            user == "ada" && domain == "ACME" ? hash : nil
        }
        #expect(client.user == "ada" && client.domain == "ACME" && client.targetName == "HTTP/wiki")
        #expect(client.hasMessageIntegrityCode && !client.isBoundToChannel && !client.isTargetNameUntrusted)
        var ours = both.server.sessionSecurity()
        var theirs = both.client.sessionSecurity()
        let again = both.server.sessionSecurity() == nil && both.client.sessionSecurity() == nil
        #expect(again)
        let signature = try #require(try ours?.sign([1, 2, 3].span))
        try theirs?.verify([1, 2, 3].span, signature: signature.span)
        let reply = try #require(try theirs?.sign([4].span))
        try ours?.verify([4].span, signature: reply.span)
    }

    @Test("A copy of a handshake takes no second answer and gives out no second session") func copies() throws {
        var both = try connection(client: .init(asksForSealing: true))
        var copies = both
        let authenticate = try answer(&both)
        let hash = try NTHash(password: "Password")
        _ = try both.server.verify(authenticate: authenticate.span, now: Self.now) { _, _ in hash }
        #expect(throws: ServerHandshakeError.wrongStep) {
            try copies.server.verify(authenticate: authenticate.span, now: Self.now) { _, _ in hash }
        }
        copies = both
        let first = (both.server.sessionSecurity() != nil, both.client.sessionSecurity() != nil)
        #expect(first == (true, true))
        let second = (copies.server.sessionSecurity() != nil, copies.client.sessionSecurity() != nil)
        #expect(second == (false, false))
    }

    @Test("A client that asks for sealing seals, and takes no less") func sealing() throws {
        var both = try connection(client: .init(asksForSealing: true))
        let authenticate = try answer(&both)
        let hash = try NTHash(password: "Password")
        _ = try both.server.verify(authenticate: authenticate.span, now: Self.now) { _, _ in hash }
        var ours = both.server.sessionSecurity()
        var theirs = both.client.sessionSecurity()
        let sealed = try #require(try theirs?.seal([1, 2, 3].span))
        #expect(try ours?.unseal(sealed.span) == [1, 2, 3])
        let reply = try #require(try ours?.seal([4].span))
        #expect(try theirs?.unseal(reply.span) == [4])

        var refused = try connection(client: .init(asksForSealing: true))
        var challenge = try ChallengeMessage(reading: refused.challenge)
        challenge.flags.remove(.seal)
        refused.challenge = try challenge.encoded()
        #expect(throws: HandshakeError.downgrade(missing: .seal)) { try answer(&refused) }
    }

    @Test("An unknown account and a wrong password are one error") func rejected() throws {
        var wrong = try connection(password: "wrong")
        #expect(try verdict(wrong.server, answer(&wrong)) == .rejected)
        var unknown = try connection(user: "mallory")
        #expect(try verdict(unknown.server, answer(&unknown)) == .rejected)
        // The substitute hash of unknown accounts is not accepted as a password.
        let zeros = [UInt8](repeating: 0, count: 16)
        let account = try NTLMAccount(user: "mallory", domain: "ACME", hash: NTHash(hash: zeros.span))
        var client = ClientHandshake(account: account)
        var server = ServerHandshake(options: .init(computerName: "WIKI"))
        let negotiate = client.negotiate()
        let challenge = try server.challenge(to: negotiate.span, now: Self.now)
        #expect(try verdict(server, client.authenticate(challenge: challenge.span, now: Self.now)) == .rejected)
    }

    @Test("Every truncation and every flipped bit is refused") func mutations() throws {
        var both = try connection()
        let authenticate = try answer(&both)
        #expect(try verdict(both.server, authenticate) == nil)
        for count in authenticate.indices {
            #expect(try verdict(both.server, [UInt8](authenticate[..<count])) != nil, "prefix of \(count)")
        }
        for index in authenticate.indices {
            var flipped = authenticate
            flipped[index] ^= 1 << UInt8(index % 8)
            #expect(try verdict(both.server, flipped) != nil, "byte \(index)")
        }
    }

    @Test("Seeded damage is refused", arguments: UInt64(1)...8) func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var both = try connection()
        let authenticate = try answer(&both)
        for _ in 0..<200 {
            var damaged = authenticate
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard damaged != authenticate else { continue }
            #expect(try verdict(both.server, damaged) != nil)
        }
    }

    @Test("One CHALLENGE takes one answer, and an accepted proof is accepted once") func replays() throws {
        let window = ReplayWindow(capacity: 2)
        let options = ServerHandshake.Options(computerName: "WIKI", replayWindow: window)
        let nonces = try ClientNonces(
            clientChallenge: [UInt8](repeating: 1, count: 8).span,
            exportedSessionKey: [UInt8](repeating: 2, count: 16).span
        )
        var first = try connection(options, serverChallenge: 7)
        let authenticate = try answer(&first, nonces: nonces)
        let hash = try NTHash(password: "Password")
        _ = try first.server.verify(authenticate: authenticate.span, now: Self.now) { _, _ in hash }
        #expect(try verdict(first.server, authenticate) == .wrongStep)
        // The generator repeats itself.
        let second = try connection(options, serverChallenge: 7)
        #expect(try verdict(second.server, authenticate) == .replayed)
        // Two others push the proof out of a window of two.
        for number: UInt64 in [8, 9] {
            var other = try connection(options, serverChallenge: number)
            #expect(try verdict(other.server, answer(&other)) == nil)
        }
        #expect(try verdict(second.server, authenticate) == nil)
    }

    @Test("A missing integrity code is refused (CVE-2019-1040)") func droppedCode() throws {
        var both = try connection()
        let authenticate = try answer(&both)
        // The response says that there is a code, and the field is gone.
        var message = try AuthenticateMessage(reading: authenticate)
        message.messageIntegrityCode = nil
        message.version = nil
        #expect(try verdict(both.server, message.encoded()) == .messageIntegrityCodeMissing)
        // The response does not say so either, and is proved.
        let silent = try proved(both, authenticate) { $0.filter { $0.id != .flags } }
        #expect(try verdict(both.server, silent) == .messageIntegrityCodeMissing)
    }

    @Test("A client's own clock, where ours was not sent") func clockOfTheClient() throws {
        let clock = AVPair(id: .timestamp, value: [0, 1, 2, 3, 4, 5, 6, 7])
        var both = try connection(.init(computerName: "WIKI", sendsTimestamp: false))
        let authenticate = try answer(&both)
        let added = try proved(both, authenticate) { $0 + [clock] }
        #expect(try verdict(both.server, added) == nil)
        let twice = try proved(both, authenticate) { $0 + [clock, clock] }
        #expect(try verdict(both.server, twice) == .repeatedAttribute(id: 7))
    }

    @Test("Attributes that are repeated, removed, changed or new are refused (CVE-2019-1166)")
    func attributes() throws {
        var both = try connection()
        let authenticate = try answer(&both)
        func after(_ change: ([AVPair]) -> [AVPair]) throws -> ServerHandshakeError? {
            try verdict(both.server, try proved(both, authenticate, change))
        }
        let flags = AVPair(id: .flags, value: [0, 0, 0, 0])
        #expect(try after { $0 + [flags] } == .repeatedAttribute(id: 6))
        #expect(try after { $0.filter { $0.id != .timestamp } } == .targetInfoChanged(id: 7))
        #expect(try after { $0.filter { $0.id != .nbComputerName } } == .targetInfoChanged(id: 1))
        #expect(
            try after { $0.map { $0.id == .nbDomainName ? AVPair(id: $0.id, value: [88, 0]) : $0 } }
                == .targetInfoChanged(id: 2)
        )
        #expect(try after { $0 + [AVPair(id: .dnsTreeName, value: [])] } == .targetInfoChanged(id: 5))
        // The proof is right in all of these; only the code is not made anew, hence another refusal here.
        #expect(try after { $0 + [AVPair(id: .singleHost, value: [1])] } == .rejected)
    }

    @Test("LM, NTLMv1 and NTLM2-session responses by name") func weakResponses() throws {
        var both = try connection()
        let authenticate = try answer(&both)
        func after(nt: [UInt8], lm: [UInt8]) throws -> ServerHandshakeError? {
            var message = try AuthenticateMessage(reading: authenticate)
            message.ntChallengeResponse = nt
            message.lmChallengeResponse = lm
            return try verdict(both.server, message.encoded())
        }
        let full = [UInt8](repeating: 5, count: 24)
        let nonce = [UInt8](repeating: 5, count: 8) + [UInt8](repeating: 0, count: 16)
        #expect(try after(nt: [], lm: [0]) == .refusedResponse(.anonymous))
        #expect(try after(nt: [], lm: full) == .refusedResponse(.lmOnly))
        #expect(try after(nt: full, lm: full) == .refusedResponse(.ntlmV1))
        #expect(try after(nt: full, lm: nonce) == .refusedResponse(.ntlm2Session))
        #expect(try after(nt: [1], lm: full) == .message(.notAnNTLMv2Response(bytes: 1)))
    }

    @Test("Channel bindings by policy") func bindings() throws {
        let right = ChannelBindings(applicationData: [1].span)
        let wrong = ChannelBindings(applicationData: [2].span)
        let policies: [(ServerHandshake.BindingPolicy, ChannelBindings?, ServerHandshakeError?)] = [
            (.off, nil, nil), (.off, wrong, nil), (.accepted([right]), nil, nil), (.accepted([right]), right, nil),
            (.accepted([right]), wrong, .channelBindingsMismatch), (.required([wrong, right]), right, nil),
            (.required([right]), wrong, .channelBindingsMismatch), (.required([right]), nil, .channelBindingsMissing),
            (.required([]), right, .channelBindingsMismatch),
        ]
        for (policy, sent, expected) in policies {
            var both = try connection(
                .init(computerName: "WIKI", channelBindings: policy),
                client: .init(channelBindings: sent)
            )
            #expect(try verdict(both.server, answer(&both)) == expected, "\(policy)")
        }
        var zeros = try connection(.init(computerName: "WIKI", channelBindings: .required([right])))
        let authenticate = try answer(&zeros)
        let empty = AVPair(id: .channelBindings, value: [UInt8](repeating: 0, count: 16))
        let unbound = try proved(zeros, authenticate) { $0 + [empty] }
        #expect(try verdict(zeros.server, unbound) == .channelBindingsMissing)
    }

    @Test("A message without a code, with the version flag and without its field, as curl writes it")
    func curlStyle() throws {
        var both = try connection(.init(computerName: "WIKI", sendsTimestamp: false))
        var message = try AuthenticateMessage(reading: try answer(&both))
        #expect(message.messageIntegrityCode == nil)
        message.version = nil
        message.flags.insert(.version)
        #expect(try verdict(both.server, message.encoded()) == nil)
        message.userNameBytes[0] ^= 1
        #expect(try verdict(both.server, message.encoded()) == .rejected)
    }

    /// An AUTHENTICATE of ada of ACME without a code, put together field by field.
    private func proof(for challenge: ChallengeMessage, user: [UInt8], domain: [UInt8]) throws -> AuthenticateMessage {
        var message = AuthenticateMessage(flags: challenge.flags)
        message.userNameBytes = user
        message.domainNameBytes = domain
        message.ntChallengeResponse = try NTLMv2Response(
            responseKey: NTOWFv2.bytes(hash: try NTHash(password: "Password"), user: "ada", domain: "ACME"),
            serverChallenge: challenge.serverChallenge,
            clientChallenge: 1,
            timestamp: Self.now,
            targetInfo: challenge.targetInfo ?? TargetInfo()
        ).bytes
        return message
    }

    @Test("Flags that the server did not grant do not count: the client cannot demand an exchange of session keys")
    func flagsNotGranted() throws {
        var server = ServerHandshake(options: .init(computerName: "WIKI", sendsTimestamp: false))
        let negotiate = try NegotiateMessage(flags: [.unicode, .ntlm, .extendedSessionSecurity]).encoded()
        let challenge = try ChallengeMessage(reading: try server.challenge(to: negotiate.span, now: Self.now))
        #expect(challenge.flags.isDisjoint(with: [.keyExchange, .sign, .seal]))
        func unicode(_ text: String) -> [UInt8] { text.utf8.flatMap { [$0, 0] } }
        var message = try proof(for: challenge, user: unicode("ada"), domain: unicode("ACME"))
        #expect(try verdict(server, message.encoded()) == nil)
        message.flags.formUnion([.keyExchange, .sign])
        #expect(try verdict(server, message.encoded()) == nil)
        // The keys of MS-NLMP 3.2.5.1.2 without a key exchange: both are the same.
        message.encryptedRandomSessionKey = [UInt8](repeating: 7, count: 16)
        let bytes = try message.encoded()
        let hash = try NTHash(password: "Password")
        _ = try server.verify(authenticate: bytes.span, now: Self.now) { _, _ in hash }
        let keys = try #require(server.sessionKeys)
        #expect(keys.exportedSessionKey.bytes == keys.sessionBaseKey.bytes)
    }

    @Test("A client that offers OEM names only gets in with ASCII ones") func oemNames() throws {
        var server = ServerHandshake(options: .init(computerName: "WIKI", sendsTimestamp: false))
        let negotiate = try NegotiateMessage(flags: [.oem, .ntlm, .extendedSessionSecurity]).encoded()
        let challenge = try ChallengeMessage(reading: try server.challenge(to: negotiate.span, now: Self.now))
        #expect(challenge.flags.contains(.oem) && !challenge.flags.contains(.unicode))
        #expect(challenge.targetNameBytes == [UInt8]("WIKI".utf8))
        var message = try proof(for: challenge, user: [UInt8]("ada".utf8), domain: [UInt8]("ACME".utf8))
        #expect(try verdict(server, message.encoded()) == nil)
        message.userNameBytes[2] = 0xe4
        #expect(try verdict(server, message.encoded()) == .unreadableName(.userName))
    }

    @Test("Names that lose something as text are refused") func unreadableNames() throws {
        var both = try connection()
        var message = try AuthenticateMessage(reading: try answer(&both))
        // Half a surrogate pair, then an odd number of bytes.
        for name: [UInt8] in [[0, 0xd8, 0x61, 0], [0x61, 0, 0x62]] {
            message.userNameBytes = name
            #expect(try verdict(both.server, message.encoded()) == .unreadableName(.userName))
        }
        message.userNameBytes = [UInt8](repeating: 0x61, count: 514)
        #expect(
            try verdict(both.server, message.encoded())
                == .message(.fieldTooLong(.userName, bytes: 514, limit: 512))
        )
    }

    @Test func anEncryptedKeyHasTheSizeOfAKey() throws {
        var both = try connection()
        var message = try AuthenticateMessage(reading: try answer(&both))
        message.encryptedRandomSessionKey.removeLast()
        #expect(try verdict(both.server, message.encoded()) == .sessionKeyLength(found: 15))
    }

    @Test func clocks() throws {
        var both = try connection()
        let authenticate = try answer(&both)
        let limit: UInt64 = 36 * 3_600
        let steps = FileTime.stepsPerSecond
        let edge = FileTime(rawValue: Self.now.rawValue + limit * steps)
        let late = FileTime(rawValue: edge.rawValue + steps)
        #expect(try verdict(both.server, authenticate, now: edge) == nil)
        #expect(try verdict(both.server, authenticate, now: late) == .staleTimestamp(skewSeconds: 129_601))
    }

    @Test func weakNegotiatesAreRefused() throws {
        var server = ServerHandshake(options: .init(computerName: "WIKI"))
        let mute = try NegotiateMessage(flags: [.ntlm, .extendedSessionSecurity]).encoded()
        #expect(throws: ServerHandshakeError.encodingMissing) { try server.challenge(to: mute.span, now: Self.now) }
        let old = try NegotiateMessage(flags: [.ntlm, .unicode]).encoded()
        #expect(throws: ServerHandshakeError.downgrade(missing: .extendedSessionSecurity)) {
            try server.challenge(to: old.span, now: Self.now)
        }
        #expect(try verdict(server, []) == .wrongStep)
    }
}

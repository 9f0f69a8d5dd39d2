import NTLM
import Testing
import WireFormat

@testable import Negotiate

/// The client's side against servers that are written down token by token, and against the server's side of this target.
@Suite struct NegotiationTests {
    private static let now = FileTime(unixSeconds: 1_790_000_000)
    private static let input = MechanismInput(now: now)
    private static let both = NaiveDER.constructed(0x30, [.identifier(NaiveDER.kerberos), .identifier(NaiveDER.ntlm)])
        .bytes

    static func byPassword(password: String = "Correct-Horse") throws -> NTLMInitiator {
        let account = try NTLMAccount(user: "jdoe", domain: "ACME", hash: NTHash(password: password))
        return NTLMInitiator(account: account, options: .init(targetName: "HTTP/wiki.acme.example"))
    }

    private static func byTicket(_ context: FakeContext = FakeContext()) -> SystemInitiator {
        SystemInitiator(SystemMessage([0x60, 1, 2, 3], context: context))
    }

    /// The bytes of a field value.
    private func bytes(_ value: String) throws -> [UInt8] {
        #expect(value.hasPrefix("Negotiate "))
        return try Base64.decode(value.dropFirst("Negotiate ".count))
    }

    func sent(_ reply: ClientNegotiation.Reply) throws -> [UInt8] {
        guard case .send(let value) = reply else { throw Unexpected.end }
        return try bytes(value)
    }

    enum Unexpected: Error { case end }

    func receive(
        _ client: inout ClientNegotiation,
        _ token: NaiveDER,
        isFinal: Bool = false
    ) throws(MechanismFailure) -> ClientNegotiation.Reply {
        try client.received(token.bytes.span, isFinal: isFinal, Self.input)
    }

    // MARK: - Kerberos is the first choice

    @Test("Kerberos: one token, and the server's in the last response")
    func kerberos() throws {
        var client = ClientNegotiation(kerberos: Self.byTicket(), ntlm: try Self.byPassword())
        let first = try bytes(client.start())
        #expect(first == NaiveDER.initial([NaiveDER.kerberos, NaiveDER.ntlm], token: [0x60, 1, 2, 3]).bytes)
        let last = NaiveDER.response(0, mechanism: NaiveDER.kerberos, token: [0xAB])
        #expect(try receive(&client, last, isFinal: true) == .completed)
        #expect(client.isServerProven && !client.hasSentPassword)
    }

    @Test("A server that names Kerberos as Windows 2000 does, or not at all")
    func alias() throws {
        for name in [NaiveDER.microsoftKerberos, nil] {
            var client = ClientNegotiation(kerberos: Self.byTicket())
            _ = client.start()
            #expect(try receive(&client, .response(0, mechanism: name, token: [0xAB]), isFinal: true) == .completed)
        }
    }

    @Test("request-mic: codes are exchanged after the first choice, too")
    func demandedCode() throws {
        var client = ClientNegotiation(kerberos: Self.byTicket(), ntlm: try Self.byPassword())
        _ = client.start()
        let code = try sent(try receive(&client, .response(3, mechanism: NaiveDER.kerberos, token: [0xAB])))
        #expect(code == NaiveDER.response(code: FakeContext.code("client", over: Self.both)).bytes)
        let right = FakeContext.code("server", over: Self.both)
        var copy = client
        #expect(try receive(&copy, .response(0, code: right), isFinal: true) == .completed)
        var second = client
        #expect(throws: MechanismFailure.negotiation(.integrityCodeMissing)) {
            try receive(&second, .response(0), isFinal: true)
        }
        var third = client
        #expect(throws: MechanismFailure.negotiation(.integrityCodeMissing)) { try third.finished() }
        for index in right.indices {
            var wrong = right
            wrong[index] ^= 1
            var fourth = client
            #expect(throws: MechanismFailure.negotiation(.integrityCodeWrong)) {
                try receive(&fourth, .response(0, code: wrong), isFinal: true)
            }
        }
    }

    // MARK: - Another choice than the first

    @Test("The server takes NTLM: no new exchange, and codes over the whole list")
    func fallback() throws {
        var client = ClientNegotiation(kerberos: Self.byTicket(), ntlm: try Self.byPassword())
        var server = ServerNegotiation([.ntlm])
        let answered = try run(&client, &server)
        #expect(answered && client.mechanism == .ntlm && client.hasSentPassword && client.isServerProven)
    }

    @Test("A list that was shortened on its way is found out")
    func downgrade() throws {
        var client = ClientNegotiation(kerberos: Self.byTicket(), ntlm: try Self.byPassword())
        // An attacker removes Kerberos from the list.
        _ = client.start()
        let stripped = NaiveDER.initial([NaiveDER.ntlm]).bytes
        var server = ServerNegotiation([.ntlm])
        guard case .respond(let choice) = try server.received(stripped.span) else { throw Unexpected.end }
        // To the server NTLM is the first choice, so it demands no code.
        #expect(try ResponseMessage(of: choice.span).state == .incomplete)
        #expect(throws: ListFailure.changed) { try handshake(&client, &server, from: choice) }
    }

    private enum ListFailure: Error { case changed }

    /// Goes on until the server has checked the client's code.
    private func handshake(
        _ client: inout ClientNegotiation,
        _ server: inout ServerNegotiation,
        from choice: [UInt8]
    ) throws {
        do {
            let negotiate = try sent(try client.received(choice.span, isFinal: false, Self.input))
            _ = try finish(&client, &server, negotiate)
        } catch NegotiationError.integrityCodeWrong {
            throw ListFailure.changed
        }
    }

    @Test("A change of the mechanism is refused where it is not one")
    func choices() throws {
        let wrong: [(NaiveDER, NegotiationError)] = [
            (.response(3, mechanism: "1.2.3"), .mechanismNotOffered),
            (.response(3, mechanism: NaiveDER.negoEx), .mechanismNotOffered),
            (.response(1, mechanism: NaiveDER.ntlm, token: [1]), .unexpectedToken),
            (.response(0, mechanism: NaiveDER.ntlm), .unexpectedToken), (.response(2), .rejected),
            (.response(1, mechanism: NaiveDER.kerberos), .tokenMissing),
            (.response(1, mechanism: NaiveDER.kerberos, token: [0xCD]), .mechanismFailed(.kerberos)),
            (.response(0, mechanism: NaiveDER.kerberos), .unfinished), (.initial([NaiveDER.ntlm]), .unexpectedToken),
            (.response(1, token: [0xAB], code: [1]), .integrityCodeWrong),
        ]
        for (token, error) in wrong {
            var client = ClientNegotiation(kerberos: Self.byTicket(), ntlm: try Self.byPassword())
            _ = client.start()
            #expect(throws: MechanismFailure.negotiation(error), "\(token)") { try receive(&client, token) }
            // It has ended.
            #expect(throws: MechanismFailure.negotiation(.wrongStep)) { try receive(&client, .response(0)) }
        }
        var client = ClientNegotiation(kerberos: Self.byTicket(), ntlm: try Self.byPassword())
        _ = client.start()
        _ = try sent(try receive(&client, .response(3, mechanism: NaiveDER.ntlm)))
        var other = client
        #expect(throws: MechanismFailure.negotiation(.mechanismChanged)) {
            try receive(&other, .response(1, mechanism: NaiveDER.kerberos, token: [0xAB]))
        }
        #expect(throws: MechanismFailure.negotiation(.wrongStep)) { try receive(&client, .response(3, token: [1])) }
    }

    @Test("NTLM without a frame is taken only where nothing else was offered")
    func rawMessages() throws {
        let challenge = try challenge()
        var alone = ClientNegotiation(ntlm: try Self.byPassword())
        _ = alone.start()
        let answer = try sent(try alone.received(challenge.span, isFinal: false, Self.input))
        #expect(try TokenKind(of: answer.span) == .ntlm && ServerHandshake.isAuthenticate(answer.span))
        var both = ClientNegotiation(kerberos: Self.byTicket(), ntlm: try Self.byPassword())
        _ = both.start()
        #expect(throws: MechanismFailure.negotiation(.unexpectedToken)) {
            try both.received(challenge.span, isFinal: false, Self.input)
        }
    }

    @Test("A peer that goes in circles is left")
    func circles() throws {
        let steps = (0..<20).map { _ in (expected: [UInt8](arrayLiteral: 1), answer: Optional([UInt8](arrayLiteral: 2)))
        }
        var client = ClientNegotiation(kerberos: Self.byTicket(FakeContext(steps)))
        _ = client.start()
        for _ in 2...NegotiationLimits.tokens { _ = try receive(&client, .response(1, token: [1])) }
        #expect(throws: MechanismFailure.negotiation(.tooManyTokens)) { try receive(&client, .response(1, token: [1])) }
    }

    // MARK: - NTLM

    @Test("NTLM: the code goes out with the last message, and the server's is checked")
    func ntlm() throws {
        var client = ClientNegotiation(ntlm: try Self.byPassword())
        var server = ServerNegotiation([.ntlm])
        #expect(try run(&client, &server) && client.isServerProven)
    }

    @Test("NTLM without the server's clock, and so without an integrity code of its own")
    func ntlmWithoutClock() throws {
        var options = ServerHandshake.Options(computerName: "WIKI", domainName: "ACME")
        options.sendsTimestamp = false
        var client = ClientNegotiation(ntlm: try Self.byPassword())
        var server = ServerNegotiation([.ntlm])
        #expect(try run(&client, &server, options) && client.isServerProven)
        var both = ClientNegotiation(kerberos: Self.byTicket(), ntlm: try Self.byPassword())
        var other = ServerNegotiation([.ntlm])
        #expect(try run(&both, &other, options) && both.isServerProven)
    }

    @Test("A CHALLENGE without signatures: no code where none is due, and no password where one is")
    func unsigned() throws {
        var challenge = try challenge()
        // NTLMSSP_NEGOTIATE_SIGN, MS-NLMP 2.2.2.5; the flags begin at byte 20.
        challenge[20] &= ~0x10
        var alone = ClientNegotiation(ntlm: try Self.byPassword())
        _ = alone.start()
        let answer = try sent(try receive(&alone, .response(1, mechanism: NaiveDER.ntlm, token: challenge)))
        let response = try ResponseMessage(of: answer.span)
        #expect(response.integrityCode == nil && response.state == nil)
        let place = try #require(response.token)
        #expect(ServerHandshake.isAuthenticate(answer.span.extracting(place)) && alone.hasSentPassword)
        // No code can be right.
        #expect(throws: MechanismFailure.negotiation(.integrityCodeWrong)) {
            try receive(&alone, .response(0, code: [UInt8](repeating: 0, count: 16)), isFinal: true)
        }
        var demanded = ClientNegotiation(ntlm: try Self.byPassword())
        _ = demanded.start()
        #expect(throws: MechanismFailure.negotiation(.integrityCodeMissing)) {
            try receive(&demanded, .response(3, mechanism: NaiveDER.ntlm, token: challenge))
        }
        #expect(!demanded.hasSentPassword)
        var second = ClientNegotiation(kerberos: Self.byTicket(), ntlm: try Self.byPassword())
        _ = second.start()
        _ = try receive(&second, .response(1, mechanism: NaiveDER.ntlm))
        #expect(throws: MechanismFailure.negotiation(.integrityCodeMissing)) {
            try receive(&second, .response(1, token: challenge))
        }
        #expect(!second.hasSentPassword)
    }

    @Test("A choice that claims to end the exchange is none")
    func choiceAtTheEnd() throws {
        for state: UInt8? in [1, 3, nil] {
            var client = ClientNegotiation(kerberos: Self.byTicket(), ntlm: try Self.byPassword())
            _ = client.start()
            #expect(throws: MechanismFailure.negotiation(.unfinished)) {
                try receive(&client, .response(state, mechanism: NaiveDER.ntlm), isFinal: true)
            }
        }
    }

    @Test("A CHALLENGE that claims to end the exchange gets no AUTHENTICATE")
    func earlyEnd() throws {
        let challenge = try challenge()
        let cases: [(NaiveDER, Bool, NegotiationError)] = [
            (.response(0, mechanism: NaiveDER.ntlm, token: challenge), false, .unfinished),
            (.response(1, mechanism: NaiveDER.ntlm, token: challenge), true, .unfinished),
            (.response(1, token: challenge, code: [UInt8](repeating: 0, count: 16)), false, .integrityCodeWrong),
        ]
        for (token, isFinal, error) in cases {
            var client = ClientNegotiation(ntlm: try Self.byPassword())
            _ = client.start()
            #expect(throws: MechanismFailure.negotiation(error)) { try receive(&client, token, isFinal: isFinal) }
            #expect(!client.hasSentPassword)
        }
    }

    @Test("A server's code is taken once, and the client's own does not do")
    func reflectedCode() throws {
        var client = ClientNegotiation(ntlm: try Self.byPassword())
        _ = client.start()
        let challenge = try challenge()
        let answer = try sent(try receive(&client, .response(1, mechanism: NaiveDER.ntlm, token: challenge)))
        let place = try #require(try ResponseMessage(of: answer.span).integrityCode)
        let own = Array(answer[place])
        #expect(own.count == 16)
        #expect(throws: MechanismFailure.negotiation(.integrityCodeWrong)) {
            try receive(&client, .response(0, code: own), isFinal: true)
        }
        // With Kerberos, whose code the test knows.
        var twice = ClientNegotiation(kerberos: Self.byTicket(FakeContext([([1], [2]), ([3], nil)])))
        _ = twice.start()
        let list = NaiveDER.constructed(0x30, [.identifier(NaiveDER.kerberos)]).bytes
        let right = FakeContext.code("server", over: list)
        _ = try receive(&twice, .response(1, mechanism: NaiveDER.kerberos, token: [1]))
        _ = try receive(&twice, .response(1, token: [3], code: right))
        #expect(throws: MechanismFailure.negotiation(.integrityCodeWrong)) {
            try receive(&twice, .response(0, code: right), isFinal: true)
        }
    }

    @Test("The server's side: what it refuses")
    func serverRefusals() throws {
        var server = ServerNegotiation([.ntlm])
        let none = NaiveDER.initial([NaiveDER.kerberos, NaiveDER.negoEx, "1.2.3"], token: [1]).bytes
        #expect(throws: NegotiationError.noCommonMechanism) { try server.received(none.span) }
        var early = ServerNegotiation([.ntlm])
        #expect(throws: NegotiationError.wrongStep) { try early.received(NaiveDER.response(token: [1]).bytes.span) }
        var twice = ServerNegotiation([.ntlm])
        let first = NaiveDER.initial([NaiveDER.ntlm]).bytes
        _ = try twice.received(first.span)
        #expect(throws: NegotiationError.wrongStep) { try twice.received(first.span) }
        var empty = ServerNegotiation([.ntlm])
        _ = try empty.received(first.span)
        #expect(throws: NegotiationError.tokenMissing) { try empty.received(NaiveDER.response().bytes.span) }
        #expect(throws: NegotiationError.rejected) { try empty.received(NaiveDER.response(2).bytes.span) }
        // After another choice than the first a code is due.
        var second = ServerNegotiation([.ntlm])
        let list = NaiveDER.initial([NaiveDER.kerberos, NaiveDER.ntlm], token: [1]).bytes
        #expect(
            try second.received(list.span) == .respond(NaiveDER.response(3, mechanism: NaiveDER.ntlm).bytes)
        )
        #expect(throws: NegotiationError.integrityCodeMissing) {
            try second.completion(verify: { _, _ in true }, make: { _ in nil })
        }
        #expect(ServerNegotiation.rejection == NaiveDER.response(2).bytes)
    }

    // MARK: - Both sides

    func challenge() throws -> [UInt8] {
        var server = ServerHandshake(options: .init(computerName: "WIKI", domainName: "ACME"))
        var client = ClientHandshake(account: try NTLMAccount(user: "u", hash: NTHash(password: "p")))
        return try server.challenge(to: client.negotiate().span, now: Self.now)
    }

    private func run(
        _ client: inout ClientNegotiation,
        _ server: inout ServerNegotiation,
        _ options: ServerHandshake.Options = .init(computerName: "WIKI", domainName: "ACME")
    ) throws -> Bool {
        var token = try bytes(client.start())
        if case .respond(let choice) = try server.received(token.span) {
            token = try sent(try client.received(choice.span, isFinal: false, Self.input))
        } else {
            server = ServerNegotiation([.ntlm])
        }
        return try finish(&client, &server, token, options)
    }

    /// The handshake of NTLM, from its first message in `first` on.
    private func finish(
        _ client: inout ClientNegotiation,
        _ server: inout ServerNegotiation,
        _ first: [UInt8],
        _ options: ServerHandshake.Options = .init(computerName: "WIKI", domainName: "ACME")
    ) throws -> Bool {
        guard case .token(.ntlm, let place) = try server.received(first.span) else { throw Unexpected.end }
        var handshake = ServerHandshake(options: options)
        let challenge = try handshake.challenge(to: Array(first[place]).span, now: Self.now)
        let reply = server.reply(challenge)
        let last = try sent(try client.received(reply.span, isFinal: false, Self.input))
        guard case .token(.ntlm, let end) = try server.received(last.span) else { throw Unexpected.end }
        let hash = try NTHash(password: "Correct-Horse")
        _ = try handshake.verify(authenticate: Array(last[end]).span, now: Self.now) { _, _ in hash }
        let session = try ListSession(handshake.sessionSecurity())
        let completion = try server.completion(verify: session.accepts, make: session.sign)
        return try client.received(completion.span, isFinal: true, Self.input) == .completed
    }
}

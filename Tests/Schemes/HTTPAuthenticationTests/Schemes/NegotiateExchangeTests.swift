import HTTPAuthentication
import HTTPTypes
import NTLM
import Negotiate
import Testing
import WireFormat

@Suite struct NegotiateExchangeTests {
    /// A context of one message each way.
    ///
    /// Tests call it from one task.
    final class OneTrip: SystemContext, @unchecked Sendable {
        struct Refused: Error {}
        private(set) var isComplete = false
        var isMutual: Bool { isComplete }
        func step(_ message: [UInt8]) throws -> [UInt8]? {
            guard message == [1, 2, 3] else { throw Refused() }
            isComplete = true
            return nil
        }
        func integrityCode(over bytes: [UInt8]) throws -> [UInt8] { throw Refused() }
        func verify(integrityCode: [UInt8], over bytes: [UInt8]) throws { throw Refused() }
    }

    private static let request = ExchangeRequest(method: "GET", target: "/", host: "wiki.acme.example")
    /// `NegTokenResp { accept-completed, responseToken 010203 }`, and the same with another token (RFC 4178 section 4.2.2).
    private static let rightProof = "oQ4wDKADCgEAogUEAwECAw=="
    private static let wrongProof = "oQ4wDKADCgEAogUEAwECBA=="
    /// `NegTokenResp { request-mic, supportedMech NTLM }`, and `NegTokenResp { reject }`.
    private static let takesNTLM = "oRUwE6ADCgEDoQwGCisGAQQBgjcCAgo="
    private static let reject = "oQcwBaADCgEC"

    private func exchange(
        kerberos: Bool = true,
        hasNTLM: Bool = true,
        demandsProof: Bool = true,
        party: ChallengedParty = .origin
    ) throws -> AuthenticationExchange {
        let account = try NTLMAccount(user: "jdoe", domain: "ACME", hash: try NTHash(password: "Correct-Horse"))
        let binding = ChannelBindings(tlsServerEndPoint: [UInt8](repeating: 9, count: 32).span)
        return .negotiate(
            ntlm: hasNTLM ? account : nil,
            rules: NegotiateRules(usesKerberos: kerberos, demandsServerProof: demandsProof),
            party: party,
            request: Self.request,
            binding: binding
        )
    }

    /// An exchange that has sent a ticket.
    private func ticketSent(hasNTLM: Bool = true, demandsProof: Bool = true, party: ChallengedParty = .origin) throws
        -> AuthenticationExchange
    {
        var exchange = try exchange(hasNTLM: hasNTLM, demandsProof: demandsProof, party: party)
        _ = exchange.received(status: party.status, fields: .challenge("Negotiate", by: party))
        let step = exchange.supplied(.message(SystemMessage([0x60, 0], context: OneTrip())))
        #expect(step.value?.hasPrefix("Negotiate YC") == true && step.isSameConnection == false)
        let (mayBeLast, sentPassword) = (exchange.mayBeLast, exchange.hasSentPassword)
        #expect(mayBeLast && !sentPassword)
        return exchange
    }

    @Test("Kerberos: what is needed names the service and the channel") func need() throws {
        var exchange = try exchange()
        #expect(exchange.start() == nil)
        guard case .needs(let need) = exchange.received(status: 401, fields: .challenge("Negotiate")) else {
            Issue.record("a ticket is needed")
            return
        }
        #expect(need.service == "HTTP/wiki.acme.example")
        #expect(need.channelBinding == Array("tls-server-end-point:".utf8) + [UInt8](repeating: 9, count: 32))
        #expect(exchange.received(status: 401, fields: .challenge("Negotiate")) == .fail(.outOfOrder))
    }

    @Test("The server's proof in the last response is checked", arguments: [200, 204, 302, 403, 500])
    func proof(status: Int) throws {
        var right = try ticketSent()
        #expect(right.received(status: status, fields: .challenge("Negotiate \(Self.rightProof)")) == .done)
        var wrong = try ticketSent()
        let step = wrong.received(status: status, fields: .challenge("Negotiate \(Self.wrongProof)"))
        #expect(step == .fail(.negotiation(.mechanismFailed(.kerberos))))
        var missing = try ticketSent()
        #expect(missing.received(status: status, fields: [:]) == .fail(.negotiation(.serverNotProven)))
        var relaxed = try ticketSent(demandsProof: false)
        #expect(relaxed.received(status: status, fields: [:]) == .done)
        // A wrong proof is never taken.
        var relaxedWrong = try ticketSent(demandsProof: false)
        #expect(relaxedWrong.received(status: status, fields: .challenge("Negotiate \(Self.wrongProof)")) != .done)
        var rejected = try ticketSent(demandsProof: false)
        #expect(
            rejected.received(status: status, fields: .challenge("Negotiate \(Self.reject)"))
                == .fail(.negotiation(.rejected))
        )
    }

    @Test("A choice in the last response proves nothing", arguments: [200, 302, 500], [true, false])
    func choiceAtTheEnd(status: Int, demandsProof: Bool) throws {
        // An attacker between client and server can make this response: it needs no key.
        var exchange = try ticketSent(demandsProof: demandsProof)
        let step = exchange.received(status: status, fields: .challenge("Negotiate \(Self.takesNTLM)"))
        #expect(step == .fail(.negotiation(.unfinished)))
    }

    @Test("Squid proves itself in another field") func information() throws {
        let name = try #require(HTTPField.Name("Proxy-Authentication-Info"))
        var exchange = try ticketSent(party: .proxy)
        #expect(exchange.received(status: 200, fields: [name: "Negotiate \(Self.rightProof)"]) == .done)
        var wrong = try ticketSent(party: .proxy)
        #expect(wrong.received(status: 200, fields: [name: "Negotiate \(Self.wrongProof)"]) != .done)
    }

    @Test("A refused ticket is no refused password") func refusedTicket() throws {
        for value in ["Negotiate", "Negotiate \(Self.reject)"] {
            var exchange = try ticketSent()
            #expect(exchange.received(status: 401, fields: .challenge(value)) == .fail(.negotiation(.rejected)))
        }
    }

    @Test("Without a ticket NTLM is offered alone; without NTLM the exchange ends") func noTicket() throws {
        var exchange = try exchange()
        _ = exchange.received(status: 401, fields: .challenge("Negotiate"))
        let step = exchange.supplied(.unavailable)
        // The list has one entry, 0x30 0x0c.
        let token = try Base64.decode(try #require(step.value?.dropFirst("Negotiate ".count)))
        #expect(Hexadecimal.encode(token.span).contains("300c060a2b06"))
        let mayBeLast = exchange.mayBeLast
        #expect(!mayBeLast)
        var alone = try self.exchange(hasNTLM: false)
        _ = alone.received(status: 401, fields: .challenge("Negotiate"))
        #expect(alone.supplied(.unavailable) == .fail(.needNotMet))
        var early = try self.exchange()
        #expect(early.supplied(.unavailable) == .fail(.outOfOrder))
    }

    @Test("The server takes NTLM in place of Kerberos, in the same exchange") func fallback() throws {
        var exchange = try ticketSent()
        let step = exchange.received(status: 401, fields: .challenge("Negotiate \(Self.takesNTLM)"))
        #expect(step.isSameConnection == true && step.value?.contains("TlRMTVNTUAAB") == false)
        let (mayBeLast, sentPassword) = (exchange.mayBeLast, exchange.hasSentPassword)
        #expect(!sentPassword && !mayBeLast)
        // A connection that closes has no place for the next message.
        var closing = try ticketSent()
        let fields: HTTPFields = [.wwwAuthenticate: "Negotiate \(Self.takesNTLM)", .connection: "close"]
        #expect(closing.received(status: 401, fields: fields) == .fail(.connectionCloses))
        var alone = try ticketSent(hasNTLM: false)
        let refused = alone.received(status: 401, fields: .challenge("Negotiate \(Self.takesNTLM)"))
        #expect(refused == .fail(.negotiation(.mechanismNotOffered)))
    }

    @Test("A party that does not understand SPNEGO gets NTLM without the frame, once") func unframed() throws {
        var exchange = try exchange(kerberos: false)
        let framed = exchange.received(status: 401, fields: .challenge("Negotiate"))
        #expect(framed.value?.hasPrefix("Negotiate Y") == true)
        let raw = exchange.received(status: 401, fields: .challenge("Negotiate"))
        #expect(raw.value?.hasPrefix("Negotiate TlRMTVNTUAAB") == true && raw.isSameConnection == false)
        #expect(exchange.received(status: 401, fields: .challenge("Negotiate")) == .fail(.handshakeLost))
    }

    @Test(
        "Defective challenges",
        arguments: [
            ("Negotiate AAA", ExchangeFailure.malformedChallenge), ("Negotiate x=y", .malformedChallenge),
            ("Basic realm=x", .notOffered), ("Negotiate AAAA", .negotiation(.unknownToken)),
            ("Negotiate oQQwAgAA", .negotiation(.trailingBytes(offset: 4))),
        ]
    )
    func defects(value: String, failure: ExchangeFailure) throws {
        var exchange = try exchange(kerberos: false)
        _ = exchange.received(status: 401, fields: .challenge("Negotiate"))
        #expect(exchange.received(status: 401, fields: .challenge(value)) == .fail(failure))
        #expect(!"\(failure)".isEmpty)
    }

    @Test("A token out of the blue is not answered") func outOfTheBlue() throws {
        var exchange = try exchange(kerberos: false)
        let step = exchange.received(status: 401, fields: .challenge("Negotiate \(Self.takesNTLM)"))
        #expect(step == .fail(.malformedChallenge))
    }
}

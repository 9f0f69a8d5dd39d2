import HTTPAuthentication
import HTTPTypes
import NTLM
import Negotiate
import TestLimits
import Testing
import WireFormat

@testable import ClientAuthentication

/// Our server's side of Negotiate, asked by our client's side.
@Suite(.inTurn) struct NegotiateConnectionTests {
    private static let jdoe = ClientName(user: "jdoe", domain: "ACME")
    /// `NegTokenInit { mechTypes Kerberos, NTLM; mechToken 01 }` (RFC 4178 section 4.2.1).
    private static let kerberosToken = "YCwGBisGAQUFAqAiMCCgGTAXBgkqhkiG9xIBAgIGCisGAQQBgjcCAgqiAwQBAQ=="

    private static func exchange(password: String = TestClient.password) throws -> AuthenticationExchange {
        .negotiate(
            ntlm: try NTLMAccount(user: "jdoe", domain: "ACME", hash: NTHash(password: password)),
            rules: NegotiateRules(),
            party: .origin,
            request: ExchangeRequest(method: "GET", target: "/page", host: "wiki")
        )
    }

    /// Sends requests until the server decides; returns how, and what the client makes of the last response.
    private static func run(
        _ exchange: inout AuthenticationExchange,
        _ client: inout TestClient
    ) async throws -> (ClientStep, ExchangeStep) {
        var step = try await client.send(nil)
        for _ in 0..<6 {
            let (status, fields): (Int, HTTPFields)
            switch step {
            case .accept(let acceptance): (status, fields) = (200, acceptance.fields)
            case .refuse(let refusal): (status, fields) = (refusal.status, refusal.fields)
            case .ask: throw TestFailure.unexpected
            }
            let offer = OfferedChallenges(by: .origin, in: fields)
            let nonces = ExchangeNonces(ntlm: nil, digestClientNonce: nil, time: client.time.now)
            let next = exchange.received(status: status, fields: fields, offer: offer, nonces: nonces)
            guard case .send(_, let value, _) = next else { return (step, next) }
            step = try await client.send(value.text)
        }
        throw TestFailure.unexpected
    }

    @Test("A right password: both sides check the list, and the connection is authenticated")
    func rightPassword() async throws {
        var client = TestClient()
        var exchange = try Self.exchange()
        let (step, end) = try await Self.run(&exchange, &client)
        #expect(step.client?.name == Self.jdoe && step.client?.scheme == .negotiate && end == .done)
        #expect(client.receive(nil).client?.name == Self.jdoe)
    }

    @Test("A wrong password") func wrongPassword() async throws {
        var client = TestClient()
        var exchange = try Self.exchange(password: "x")
        let (step, end) = try await Self.run(&exchange, &client)
        #expect(step.refusal?.reason == .wrong(Self.jdoe) && end == .fail(.refused))
        #expect(client.receive(nil).refusal?.reason == .unanswered)
    }

    @Test("NTLM without the frame") func raw() async throws {
        var client = TestClient()
        var exchange = AuthenticationExchange.ntlm(
            try NTLMAccount(user: "jdoe", domain: "ACME", hash: NTHash(password: TestClient.password)),
            party: .origin,
            request: ExchangeRequest(method: "GET", target: "/page", host: "wiki"),
            as: .negotiate
        )
        let (step, _) = try await Self.run(&exchange, &client)
        #expect(step.client?.name == Self.jdoe && step.client?.scheme == .negotiate)
    }

    @Test("A client that prefers Kerberos is asked for NTLM, and for a code over its list") func kerberosFirst() throws
    {
        var client = TestClient()
        let refusal = try #require(client.receive("Negotiate " + Self.kerberosToken).refusal)
        // NegTokenResp { request-mic, supportedMech NTLM }.
        #expect(refusal.fields[values: .wwwAuthenticate] == ["Negotiate oRUwE6ADCgEDoQwGCisGAQQBgjcCAgo="])
        #expect(refusal.continuesHandshake && refusal.reason == .unanswered)
    }

    @Test("A code that was changed, or that is missing though due, is refused", arguments: [true, false])
    func codes(isMissing: Bool) async throws {
        var client = TestClient()
        let account = try NTLMAccount(user: "jdoe", domain: "ACME", hash: NTHash(password: TestClient.password))
        var handshake = ClientHandshake(account: account)
        _ = client.receive("Negotiate " + Self.kerberosToken)
        func send(_ content: ResponseMessage.Content) async throws -> ClientStep {
            try await client.send(ResponseMessage.base64(content, prefix: "Negotiate "))
        }
        let reply = try #require(try await send(.init(token: handshake.negotiate())).refusal?.fields[.wwwAuthenticate])
        let bytes = try Base64.decode(reply.dropFirst("Negotiate ".count))
        let challenge = try #require(try ResponseMessage(of: bytes.span).token)
        let message = try handshake.authenticate(challenge: bytes.span.extracting(challenge), now: client.time.now)
        let wrong: [UInt8]? = isMissing ? nil : [1, 0, 0, 0] + [UInt8](repeating: 0, count: 12)
        let step = try await send(.init(token: message, integrityCode: wrong))
        #expect(
            step.refusal?.reason == .negotiation(isMissing ? .integrityCodeMissing : .integrityCodeWrong)
        )
        #expect(client.receive(nil).refusal?.reason == .unanswered)
    }

    @Test("Frames do not change in one handshake, and each message counts once") func mixed() async throws {
        var client = TestClient()
        let account = try NTLMAccount(user: "jdoe", domain: "ACME", hash: NTHash(password: TestClient.password))
        var handshake = ClientHandshake(account: account)
        let first = InitialMessage.base64(.ntlm, token: handshake.negotiate().span, prefix: "Negotiate ")
        let reply = try #require(try await client.send(first).refusal?.fields[.wwwAuthenticate])
        let bytes = try Base64.decode(reply.dropFirst("Negotiate ".count))
        let challenge = try #require(try ResponseMessage(of: bytes.span).token)
        let message = try handshake.authenticate(challenge: bytes.span.extracting(challenge), now: client.time.now)
        let raw = "Negotiate " + Base64.encode(message.span)
        #expect(try await client.send(raw).refusal?.reason == .ntlm(.wrongStep))
        let framed = ResponseMessage.base64(.init(token: message), prefix: "Negotiate ")
        #expect(try await client.send(framed).refusal?.reason == .negotiation(.wrongStep))
    }

    @Test("What is not a token is refused with the offer", arguments: ["", "AAAA", "oQQwAgAA", "YAAA"])
    func defects(token: String) {
        var client = TestClient([.negotiate])
        let refusal = client.receive("Negotiate " + token).refusal
        #expect(refusal?.fields[values: .wwwAuthenticate] == ["Negotiate"])
        #expect(client.receive(nil).refusal?.reason == .unanswered)
    }

    @Test("Not on a connection that several clients share") func shared() {
        var client = TestClient([.negotiate, .basic], isPinned: false)
        #expect(client.receive(nil).refusal?.fields[values: .wwwAuthenticate].contains("Negotiate") == false)
        #expect(client.receive("Negotiate " + Self.kerberosToken).refusal?.reason == .unreadable)
    }
}

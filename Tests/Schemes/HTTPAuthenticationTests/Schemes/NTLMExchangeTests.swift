import HTTPAuthentication
import HTTPTypes
import NTLM
import Testing
import WireFormat

@Suite struct NTLMExchangeTests {
    /// A CHALLENGE that Apache with mod_auth_gssapi and gss-ntlmssp sent.
    static let challenge = RealChallenge.apache

    func exchange(domain: String = "ACME") throws -> AuthenticationExchange {
        let account = try NTLMAccount(user: "jdoe", domain: domain, hash: try NTHash(password: "Correct-Horse"))
        let request = ExchangeRequest(method: "GET", target: "/", host: "wiki.acme.example")
        return .ntlm(account, party: .origin, request: request)
    }

    func authenticate(
        _ exchange: inout AuthenticationExchange,
        _ token: String,
        connection: String? = nil
    ) -> ExchangeStep {
        var fields = HTTPFields.challenge("NTLM \(token)")
        fields[.connection] = connection
        let offer = OfferedChallenges(by: .origin, in: fields)
        let nonces = ExchangeNonces(ntlm: nil, digestClientNonce: nil, time: RealChallenge.time)
        return exchange.received(status: 401, fields: fields, offer: offer, nonces: nonces)
    }

    @Test("Only AUTHENTICATE belongs to a connection: ISA closes the one of the bare offer")
    func threeLegs() throws {
        var exchange = try exchange()
        let negotiate = exchange.received(status: 401, fields: .challenge("NTLM"))
        #expect(negotiate.isSameConnection == false)
        #expect(negotiate.value?.hasPrefix("NTLM TlRMTVNTUAAB") == true)
        let answer = authenticate(&exchange, Self.challenge)
        #expect(answer.isSameConnection == true)
        #expect(answer.value?.hasPrefix("NTLM TlRMTVNTUAAD") == true)
        #expect(exchange.received(status: 200, fields: [:]) == .done)
    }

    @Test func targetNameIsTheHostThatAsks() throws {
        var exchange = try exchange()
        _ = exchange.start()
        let value = try #require(authenticate(&exchange, Self.challenge).value)
        let message = try Base64.decode(value.dropFirst("NTLM ".count))
        let name = "HTTP/wiki.acme.example".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        #expect(message.windows(of: name.count).contains { $0.elementsEqual(name) })
    }

    @Test func refusalAfterTheThirdMessage() throws {
        var exchange = try exchange()
        _ = exchange.start()
        _ = authenticate(&exchange, Self.challenge)
        #expect(exchange.received(status: 401, fields: .challenge("NTLM")) == .fail(.refused))
    }

    @Test func aBareOfferAfterNegotiateIsNotAnsweredTwice() throws {
        var exchange = try exchange()
        _ = exchange.start()
        #expect(exchange.received(status: 401, fields: .challenge("NTLM")) == .fail(.handshakeLost))
        #expect("\(ExchangeFailure.handshakeLost)".contains("one connection"))
    }

    @Test("No AUTHENTICATE is made for a connection that closes", arguments: ["close", "Keep-Alive, Close"])
    func closingConnection(value: String) throws {
        var exchange = try exchange()
        _ = exchange.start()
        #expect(authenticate(&exchange, Self.challenge, connection: value) == .fail(.connectionCloses))
        // The bare offer may close its connection, because NEGOTIATE goes out on any.
        var second = try self.exchange()
        let offer: HTTPFields = [.wwwAuthenticate: "NTLM", .connection: value]
        #expect(second.received(status: 401, fields: offer).value != nil)
    }

    @Test func aChallengeOutOfTheBlueIsNotAnswered() throws {
        var exchange = try exchange()
        #expect(authenticate(&exchange, Self.challenge) == .fail(.malformedChallenge))
    }

    @Test("Malformed tokens", arguments: ["x", "TlRMTVNTUAAC=", "===="])
    func malformedToken(token: String) throws {
        var exchange = try exchange()
        _ = exchange.start()
        let step = authenticate(&exchange, token)
        if token == "====" {
            guard case .fail(.unreadable(let line)) = step else { return #expect(Bool(false), "\(step)") }
            #expect(line.scheme == .ntlm && line.error == .commaExpected(offset: 5))
        } else {
            #expect(step == .fail(.malformedChallenge))
        }
    }

    @Test func everyTruncatedChallengeFails() throws {
        let whole = try Base64.decode(Self.challenge)
        for length in 0..<whole.count {
            var exchange = try exchange()
            _ = exchange.start()
            let step = authenticate(&exchange, Base64.encode(Array(whole.prefix(length)).span))
            #expect(step.value == nil, "\(length) bytes")
        }
    }
}

extension [UInt8] {
    /// Every run of `length` neighbouring bytes.
    fileprivate func windows(of length: Int) -> [ArraySlice<UInt8>] {
        indices.dropLast(Swift.max(0, length - 1)).map { self[$0..<$0 + length] }
    }
}

import HTTPAuthentication
import HTTPTypes
import Testing

@Suite struct DigestExchangeTests {
    /// RFC 7616 section 3.9.1.
    static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    static let opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"

    static func challenge(_ algorithm: String, extra: String = "") -> String {
        #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\#(algorithm), "#
            + #"nonce="\#(nonce)", opaque="\#(opaque)"\#(extra)"#
    }

    static let request = ExchangeRequest(method: "GET", target: "/dir/index.html", host: "www.example.org")

    func exchange(
        _ user: String = "Mufasa",
        _ password: String = "Circle of Life",
        rules: DigestRules = DigestRules()
    ) -> AuthenticationExchange {
        .digest(.init(user, password), party: .origin, request: Self.request, rules: rules)
    }

    func answer(_ exchange: inout AuthenticationExchange, _ challenges: String...) -> ExchangeStep {
        var fields = HTTPFields()
        for challenge in challenges { fields.append(HTTPField(name: .wwwAuthenticate, value: challenge)) }
        let offer = OfferedChallenges(by: .origin, in: fields)
        let nonces = ExchangeNonces(ntlm: nil, digestClientNonce: Self.clientNonce, time: nil)
        return exchange.received(status: 401, fields: fields, offer: offer, nonces: nonces)
    }

    @Test(
        "RFC 7616 section 3.9.1",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ]
    )
    func publishedVectors(algorithm: String, response: String) throws {
        var exchange = exchange()
        let parameters = try #require(answer(&exchange, Self.challenge(algorithm)).parameters)
        #expect(parameters["response"] == response)
        #expect(parameters["username"] == "Mufasa")
        #expect(parameters["uri"] == "/dir/index.html")
        #expect(parameters["nc"] == "00000001")
        #expect(parameters["qop"] == "auth")
        #expect(parameters["opaque"] == Self.opaque)
        #expect(parameters["algorithm"] == algorithm)
    }

    /// The RFC prints values of SHA-512 cut to 256 bits, which is another function. Erratum 4897 has these.
    @Test("RFC 7616 section 3.9.2 with erratum 4897: SHA-512-256, userhash, charset; Python's hashlib agrees")
    func sha512t256Vector() throws {
        let request = ExchangeRequest(method: "GET", target: "/doe.json", host: "api.example.org")
        var exchange = AuthenticationExchange.digest(
            .init("J\u{E4}s\u{F8}n Doe", "Secret, or not?"),
            party: .origin,
            request: request
        )
        let fields = HTTPFields.challenge(
            #"Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, "#
                + #"nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", "#
                + #"opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true"#
        )
        let clientNonce = "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"
        let nonces = ExchangeNonces(ntlm: nil, digestClientNonce: clientNonce, time: nil)
        let offer = OfferedChallenges(by: .origin, in: fields)
        let step = exchange.received(status: 401, fields: fields, offer: offer, nonces: nonces)
        let parameters = try #require(step.parameters)
        #expect(parameters["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        #expect(parameters["response"] == "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5")
        #expect(parameters["userhash"] == "true")
    }

    @Test("RFC 2617 section 3.5, through the algorithm's default") func olderVector() throws {
        var exchange = AuthenticationExchange.digest(
            .init("Mufasa", "Circle Of Life"),
            party: .origin,
            request: Self.request
        )
        let fields = HTTPFields.challenge(
            #"Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#
        )
        let nonces = ExchangeNonces(ntlm: nil, digestClientNonce: "0a4f113b", time: nil)
        let offer = OfferedChallenges(by: .origin, in: fields)
        let step = exchange.received(status: 401, fields: fields, offer: offer, nonces: nonces)
        #expect(step.parameters?["response"] == "6629fae49393a05397450978507c4ef1")
    }

    @Test func strongestAlgorithmWins() {
        var exchange = exchange()
        let step = answer(&exchange, Self.challenge("MD5"), Self.challenge("SHA-256"), Self.challenge("MD5-sess"))
        #expect(step.parameters?["algorithm"] == "SHA-256")
    }

    @Test func unknownAlgorithmIsPassedOver() {
        var first = exchange()
        #expect(answer(&first, Self.challenge("SHA-1"), Self.challenge("MD5")).parameters?["algorithm"] == "MD5")
        var second = exchange()
        let refused = ExchangeFailure.unsupported(parameter: "algorithm", value: "SHA-1")
        #expect(answer(&second, Self.challenge("SHA-1")) == .fail(refused))
    }

    @Test func staleIsBelievedOnce() {
        var exchange = exchange()
        _ = answer(&exchange, Self.challenge("MD5"))
        #expect(answer(&exchange, Self.challenge("MD5", extra: ", stale=TRUE")).value != nil)
        // RFC 7616 section 3.3: the nonce was the reason, so the second one does not refuse the password.
        #expect(answer(&exchange, Self.challenge("MD5", extra: ", stale=true")) == .fail(.staleAgain))
    }

    @Test(
        "A stale nonce brings a new nonce, and weakens nothing",
        arguments: [
            (#"Digest realm="http-auth@example.org", qop=auth, algorithm=MD5, nonce="n", stale=TRUE"#, "algorithm"),
            (#"Digest realm="elsewhere", qop=auth, algorithm=SHA-256, nonce="n", stale=TRUE"#, "realm"),
            (#"Digest realm="http-auth@example.org", algorithm=SHA-256, nonce="n", stale=TRUE"#, "qop"),
            (#"Digest realm="elsewhere", algorithm=MD5, nonce="n", stale=TRUE"#, "realm"),
        ]
    )
    func staleDoesNotWeaken(challenge: String, parameter: String) {
        var exchange = exchange(rules: DigestRules(allowsMissingQop: true))
        _ = answer(&exchange, Self.challenge("SHA-256"))
        #expect(answer(&exchange, challenge) == .fail(.weakened(parameter: parameter)))
    }

    @Test("A stale nonce never counts as a refusal, even if the challenge lacks other parameters")
    func staleWithDefects() {
        let realm = #"Digest realm="http-auth@example.org", stale=true"#
        for (challenge, failure) in [
            (realm + #", nonce="n", qop="auth-int""#, .bodyNotAvailable),
            (realm + #", nonce="n", algorithm=SHA-1, qop=auth"#, .unsupported(parameter: "algorithm", value: "SHA-1")),
            (realm + #", nonce="n""#, .qopMissing),
            (realm + #", nonce="", qop=auth"#, .missingParameter(name: "nonce")),
            (realm + #", nonce="n", qop="""#, .missingParameter(name: "qop")),
            ("Digest stale=true, nonce=n, qop=auth", .missingParameter(name: "realm")),
            (realm + #", nonce="\u{FFFD}", qop=auth"#, .lostBytes(parameter: "nonce")),
        ] as [(String, ExchangeFailure)] {
            var exchange = exchange()
            _ = answer(&exchange, Self.challenge("MD5"))
            let text = challenge.replacing(#"\u{FFFD}"#, with: "\u{FFFD}")
            #expect(answer(&exchange, text) == .fail(failure), "\(challenge)")
        }
        // One stale challenge speaks for the response, also when the stronger one does not say it.
        var exchange = exchange()
        _ = answer(&exchange, Self.challenge("SHA-256"), Self.challenge("MD5"))
        let step = answer(&exchange, Self.challenge("SHA-256"), Self.challenge("MD5", extra: ", stale=true"))
        #expect(step.parameters?["algorithm"] == "SHA-256")
    }

    @Test("A stale nonce does not give the user's name away, and keeps a session a session")
    func staleKeepsUserHashAndSession() {
        var hashed = exchange()
        _ = answer(&hashed, Self.challenge("SHA-256", extra: ", userhash=true"))
        #expect(
            answer(&hashed, Self.challenge("SHA-256", extra: ", stale=true")) == .fail(.weakened(parameter: "userhash"))
        )
        var session = exchange()
        _ = answer(&session, Self.challenge("SHA-256-sess"))
        let plain = Self.challenge("SHA-256", extra: ", stale=true")
        #expect(answer(&session, plain) == .fail(.weakened(parameter: "algorithm")))
    }

    @Test func qualityOfProtectionDecidesBetweenEqualAlgorithms() {
        var exchange = exchange(rules: DigestRules(allowsMissingQop: true))
        let bare = #"Digest realm="http-auth@example.org", nonce="n""#
        #expect(answer(&exchange, bare, Self.challenge("MD5")).parameters?["qop"] == "auth")
        var tabbed = self.exchange()
        let list = "Digest realm=x, nonce=n, qop=\"auth-int,\tauth\""
        #expect(answer(&tabbed, list).parameters?["qop"] == "auth")
        var spaced = self.exchange()
        let split = ExchangeFailure.unsupported(parameter: "qop", value: "a u t h")
        #expect(answer(&spaced, #"Digest realm=x, nonce=n, qop="a u t h""#) == .fail(split))
    }

    @Test("A defective or unreadable challenge beside a good one may be the stronger one")
    func defectsBesideGoodChallenges() {
        for defective in ["Digest realm=a, qop=auth", "Digest realm=\"\u{FFFD}\", nonce=n, qop=auth"] {
            var exchange = exchange()
            guard case .fail = answer(&exchange, Self.challenge("MD5"), defective) else {
                return #expect(Bool(false), "\(defective)")
            }
        }
        var exchange = exchange()
        let unreadable = "Digest realm=r, nonce=n, algorithm=SHA-256 x"
        guard case .fail(.unreadable) = answer(&exchange, unreadable, "Digest realm=r, nonce=n, qop=auth") else {
            return #expect(Bool(false))
        }
    }

    @Test func staleMayStrengthen() {
        var exchange = exchange()
        _ = answer(&exchange, Self.challenge("MD5"))
        let step = answer(&exchange, Self.challenge("SHA-256", extra: ", stale=true"))
        #expect(step.parameters?["algorithm"] == "SHA-256")
    }

    @Test func aSecondChallengeMeansRefused() {
        var exchange = exchange()
        _ = answer(&exchange, Self.challenge("MD5"))
        #expect(answer(&exchange, Self.challenge("MD5")) == .fail(.refused))
    }

    @Test(
        "What a challenge must have",
        arguments: [
            ("Digest nonce=x", .missingParameter(name: "realm")),
            ("Digest realm=x", .missingParameter(name: "nonce")),
            (#"Digest realm=x, nonce="""#, .missingParameter(name: "nonce")),
            ("Digest realm=x, nonce=y, qop=auth-int", .bodyNotAvailable),
            ("Digest realm=x, nonce=y", .qopMissing),
            ("Digest realm=x, nonce=y, algorithm=MD5-sess", .missingParameter(name: "qop")),
        ] as [(String, ExchangeFailure)]
    )
    func defective(challenge: String, failure: ExchangeFailure) {
        var exchange = exchange()
        #expect(answer(&exchange, challenge) == .fail(failure))
    }

    @Test("RFC 7616 section 3.4.4: the user's hash, SHA-256 of user:realm") func userHash() {
        var exchange = exchange()
        let step = answer(&exchange, Self.challenge("SHA-256", extra: ", userhash=true"))
        // printf 'Mufasa:http-auth@example.org' | openssl dgst -sha256
        let hash = "a947aad205e80e429958a387394944c6b496301e79f89d35a4cc23b6ee12b5b6"
        #expect(step.parameters?["username"] == hash)
        #expect(step.parameters?["userhash"] == "true")
    }

    @Test func namesBeyondASCIIUseTheExtendedNotation() {
        var exchange = exchange("J\u{E4}s\u{F8}n Doe", "x")
        let step = answer(&exchange, Self.challenge("SHA-256", extra: ", charset=UTF-8"))
        #expect(step.parameters?["username*"] == "UTF-8''J%C3%A4s%C3%B8n%20Doe")
    }

    @Test("Without charset a name outside ASCII goes out as UTF-8; computed with Python's hashlib")
    func namesBeyondASCIIWithoutCharset() throws {
        var exchange = exchange("J\u{E4}s\u{F8}n", "p\u{E4}ss")
        let parameters = try #require(answer(&exchange, Self.challenge("MD5")).parameters)
        #expect(parameters["username"] == "J\u{E4}s\u{F8}n")
        #expect(parameters["response"] == "c9e6dd3fc4ebe8912b5d2cf3866c93b0")
    }

    @Test("Realm, nonce and opaque in Latin-1 come back byte for byte; computed with Python's hashlib")
    func latin1() throws {
        var exchange = exchange("J\u{E4}s\u{F8}n", "p\u{E4}ss")
        let text = "Digest realm=\"caf\u{E9}\", nonce=\"n\u{FF}\", opaque=\"o\u{A7}\", qop=\"auth\""
        let fields = HTTPFields([HTTPField(name: .wwwAuthenticate, value: text.unicodeScalars.map { UInt8($0.value) })])
        let offer = OfferedChallenges(by: .origin, in: fields)
        let nonces = ExchangeNonces(ntlm: nil, digestClientNonce: Self.clientNonce, time: nil)
        let step = exchange.received(status: 401, fields: fields, offer: offer, nonces: nonces)
        guard case .send(let name, let value, _) = step else { return #expect(Bool(false), "\(step)") }
        func holds(_ bytes: [UInt8]) -> Bool { value.bytes.firstRange(of: bytes) != nil }
        #expect(holds([UInt8](#"realm="caf"#.utf8) + [0xE9, 0x22]))
        #expect(holds([UInt8](#"nonce="n"#.utf8) + [0xFF, 0x22]))
        #expect(holds([UInt8](#"opaque="o"#.utf8) + [0xA7, 0x22]))
        // The user is ours and stays UTF-8.
        #expect(holds([UInt8]("username=\"J\u{E4}s\u{F8}n\"".utf8)))
        #expect(holds([UInt8](#"response="648e27cb8ad0ab66a84317ac4182b3f5""#.utf8)))
        #expect(unsafe value.field(named: name).withUnsafeBytesOfValue { unsafe [UInt8]($0) } == value.bytes)
    }

    @Test("Text in which another layer replaced bytes is refused, not answered")
    func lostBytes() {
        var exchange = exchange()
        let challenge = "Digest realm=\"caf\u{FFFD}\", nonce=\"n\", qop=auth"
        #expect(answer(&exchange, challenge) == .fail(.lostBytes(parameter: "realm")))
    }

    @Test("A target that no field may hold is our request's fault", arguments: ["/a\r\nb", "/\u{0}", "/\u{7F}"])
    func invalidTarget(target: String) {
        let request = ExchangeRequest(method: "GET", target: target, host: "www.example.org")
        var exchange = AuthenticationExchange.digest(.init("u", "p"), party: .origin, request: request)
        #expect(answer(&exchange, Self.challenge("MD5")) == .fail(.targetNotRepresentable))
        #expect("\(ExchangeFailure.targetNotRepresentable)".contains("request target"))
    }

    @Test func quotesInNamesCannotEndTheQuote() throws {
        var exchange = exchange(#"a", uri="/evil"#, "x")
        let step = answer(&exchange, Self.challenge("MD5"))
        #expect(step.value?.contains(#"username="a\", uri=\"/evil""#) == true)
        #expect(step.parameters?["uri"] == "/dir/index.html")
    }

    @Test("Session algorithm, computed with Python's hashlib") func sessionAlgorithm() {
        var exchange = exchange()
        let step = answer(&exchange, Self.challenge("MD5-sess"))
        #expect(step.parameters?["response"] == "e783283f46242139c486a698fec7211d")
    }

    @Test(
        "The server's proof, computed with Python's hashlib",
        arguments: [
            ("9b712497bc9f91499fbcca1dfc5f09a5", .done), ("9B712497BC9F91499FBCCA1DFC5F09A5", .done),
            ("9b712497bc9f91499fbcca1dfc5f09a4", .fail(.partyNotAuthenticated)), ("", .fail(.partyNotAuthenticated)),
        ] as [(String, ExchangeStep)]
    )
    func serversProof(proof: String, step: ExchangeStep) throws {
        var exchange = exchange()
        _ = answer(&exchange, Self.challenge("MD5"))
        var fields = HTTPFields()
        fields[try #require(HTTPField.Name("Authentication-Info"))] = #"rspauth="\#(proof)", qop=auth"#
        #expect(exchange.received(status: 200, fields: fields) == step)
    }

    @Test(
        "A proof in a field that cannot be read to its end, or that appears twice, is not accepted",
        arguments: [
            [#"rspauth="00", qop=auth, x="#], [#"rspauth="00", qop="auth"#], [#"rspauth="00"; qop=auth"#],
            [#"rspauth="9b712497bc9f91499fbcca1dfc5f09a5", rspauth="00""#],
            [#"rspauth="9b712497bc9f91499fbcca1dfc5f09a5""#, #"rspauth="00""#],
            [#"nextnonce="x" rspauth="00""#], [#"nextnonce="x", Digest rspauth="00""#],
        ]
    )
    func unreadableProof(lines: [String]) throws {
        var exchange = exchange()
        _ = answer(&exchange, Self.challenge("MD5"))
        var fields = HTTPFields()
        let name = try #require(HTTPField.Name("Authentication-Info"))
        for line in lines { fields.append(HTTPField(name: name, value: line)) }
        guard case .fail(.unreadableProof) = exchange.received(status: 200, fields: fields) else {
            return #expect(Bool(false), "\(lines)")
        }
    }

    @Test("The parameters of Authentication-Info may come in several lines, and without a proof")
    func severalLines() throws {
        let name = try #require(HTTPField.Name("Authentication-Info"))
        for lines in [[#"nextnonce="x""#, #"rspauth="9b712497bc9f91499fbcca1dfc5f09a5""#], [#"nextnonce="x""#], [""]] {
            var exchange = exchange()
            _ = answer(&exchange, Self.challenge("MD5"))
            var fields = HTTPFields()
            for line in lines { fields.append(HTTPField(name: name, value: line)) }
            #expect(exchange.received(status: 200, fields: fields) == .done, "\(lines)")
        }
    }
}

import HTTPAuthentication
import HTTPTypes
import Testing

/// Which of several Digest challenges is answered, and which ones end the exchange.
@Suite struct DigestChallengeTests {
    private func answer(
        _ challenges: [String],
        rules: DigestRules = DigestRules(),
        body: ExchangeBody = .notAvailable
    ) -> ExchangeStep {
        let request = ExchangeRequest(method: "GET", target: "/", host: "wiki.example", body: body)
        var exchange = AuthenticationExchange.digest(.init("u", "p"), party: .origin, request: request, rules: rules)
        var fields = HTTPFields()
        for challenge in challenges { fields.append(HTTPField(name: .wwwAuthenticate, value: challenge)) }
        return exchange.received(status: 401, fields: fields)
    }

    private static func good(_ algorithm: String, qop: String = "auth") -> String {
        "Digest realm=r, nonce=n, algorithm=\(algorithm), qop=\"\(qop)\""
    }

    @Test(
        "A defective line ends the exchange in every place beside good ones",
        arguments: [
            ("Digest realm=r, algorithm=SHA-256, qop=auth", .missingParameter(name: "nonce")),
            ("Digest realm=r, nonce=\"\", algorithm=SHA-256, qop=auth", .missingParameter(name: "nonce")),
            ("Digest nonce=n, algorithm=SHA-512-256, qop=auth", .missingParameter(name: "realm")),
            ("Digest realm=r, nonce=n, algorithm=SHA-256, qop=\"\"", .missingParameter(name: "qop")),
            ("Digest realm=r, nonce=n, algorithm=SHA-256-sess", .missingParameter(name: "qop")),
            ("Digest realm=r, nonce=n, algorithm=SHA-256", .qopMissing),
            ("Digest realm=r, nonce=\"\u{FFFD}\", algorithm=unknown", .lostBytes(parameter: "nonce")),
            ("Digest abc=", .missingParameter(name: "realm")),
        ] as [(String, ExchangeFailure)],
        [["MD5"], ["SHA-256"], ["MD5", "SHA-512-256"]]
    )
    func defectiveLines(defective: (line: String, failure: ExchangeFailure), others: [String]) {
        let good = others.map { Self.good($0) }
        for place in 0...good.count {
            var lines = good
            lines.insert(defective.line, at: place)
            #expect(answer(lines) == .fail(defective.failure), "place \(place)")
        }
    }

    @Test(
        "The strongest algorithm wins, and the server's order between SHA-256 and SHA-512-256",
        arguments: [
            (["MD5", "SHA-256"], "SHA-256"), (["SHA-256", "MD5"], "SHA-256"),
            (["MD5", "SHA-512-256"], "SHA-512-256"), (["SHA-512-256", "SHA-256"], "SHA-512-256"),
            (["SHA-256", "SHA-512-256"], "SHA-256"), (["MD5-sess", "SHA-256-sess"], "SHA-256-sess"),
            (["SHA-1", "SHA-512-256-sess", "MD5"], "SHA-512-256-sess"),
        ]
    )
    func strongest(offered: [String], answered: String) {
        #expect(answer(offered.map { Self.good($0) }).parameters?["algorithm"] == answered)
    }

    @Test("auth-int is chosen only without auth, and needs the body")
    func authInt() {
        let body = ExchangeBody.bytes([1, 2, 3])
        #expect(answer([Self.good("MD5", qop: "auth-int,auth")], body: body).parameters?["qop"] == "auth")
        #expect(answer([Self.good("MD5", qop: "auth-int")], body: body).parameters?["qop"] == "auth-int")
        #expect(answer([Self.good("MD5", qop: "auth-int")], body: .none).parameters?["qop"] == "auth-int")
        #expect(answer([Self.good("MD5", qop: "auth-int")]) == .fail(.bodyNotAvailable))
        #expect(
            answer([Self.good("MD5", qop: "auth-conf")]) == .fail(.unsupported(parameter: "qop", value: "auth-conf"))
        )
        #expect("\(ExchangeFailure.bodyNotAvailable)".contains("pass the bytes of the body"))
    }

    @Test("A challenge without qop is answered only if the rules say so")
    func missingQop() {
        let bare = "Digest realm=r, nonce=n"
        #expect(answer([bare]) == .fail(.qopMissing))
        let allowed = answer([bare], rules: DigestRules(allowsMissingQop: true)).parameters
        #expect(allowed != nil && allowed?["nc"] == nil && allowed?["cnonce"] == nil && allowed?["qop"] == nil)
        #expect("\(ExchangeFailure.qopMissing)".contains("qop=auth"))
    }

    @Test("An algorithm below the weakest one of the rules is not answered")
    func weakest() {
        let rules = DigestRules(weakest: .sha2)
        #expect(answer([Self.good("MD5-sess")], rules: rules) == .fail(.tooWeak(algorithm: "MD5-sess")))
        #expect(answer([Self.good("MD5"), Self.good("SHA-256")], rules: rules).parameters?["algorithm"] == "SHA-256")
    }
}

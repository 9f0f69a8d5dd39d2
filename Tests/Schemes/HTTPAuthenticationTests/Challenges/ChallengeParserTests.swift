import HTTPAuthentication
import TestSupport
import Testing

@Suite struct ChallengeParserTests {
    @Test("RFC 9110 section 11.6.1") func publishedExample() throws {
        let field = #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#
        let challenges = try ChallengeParser.parse(field)
        #expect(challenges.map(\.scheme) == [.basic, AuthenticationScheme("Newauth")])
        #expect(challenges[0]["realm"] == "simple")
        #expect(challenges[1]["realm"] == "apps")
        #expect(challenges[1]["type"] == "1")
        #expect(challenges[1]["title"] == #"Login to "apps""#)
    }

    @Test("RFC 7616 section 3.9.1: two challenges in one field") func digestExample() throws {
        let field = """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf", opaque="FQhe", \
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="7ypf", opaque="FQhe"
            """
        let challenges = try ChallengeParser.parse(field)
        #expect(challenges.map { $0["algorithm"] } == ["SHA-256", "MD5"])
        #expect(challenges[0]["qop"] == "auth, auth-int")
    }

    @Test(
        "A quoted string is one value, with any content",
        arguments: [
            #"Digest realm="hello, Basic realm=evil""#,
            #"Digest realm="hello, Basic realm=\"evil\"""#,
            #"Digest realm="\", Basic realm=evil""#,
            #"Digest realm = "hello, NTLM, Basic realm=evil" "#,
        ]
    )
    func quotesHideNothing(field: String) throws {
        let challenges = try ChallengeParser.parse(field)
        #expect(challenges.map(\.scheme) == [.digest])
        #expect(challenges.first?.parameters.map(\.name) == ["realm"])
    }

    @Test(
        "Bare schemes and token68",
        arguments: [
            ("NTLM", nil), ("ntlm TlRMTVNTUAAC", "TlRMTVNTUAAC"), ("NTLM TlRMTVNTUAA=", "TlRMTVNTUAA="),
            ("NTLM TlRMTVNTUA==  ", "TlRMTVNTUA=="), (", ,NTLM a-b._~+/c, ", "a-b._~+/c"),
        ] as [(String, String?)]
    )
    func tokens(field: String, token: String?) throws {
        let challenges = try ChallengeParser.parse(field)
        #expect(challenges.map(\.scheme) == [.ntlm])
        #expect(challenges.first?.token == token)
        #expect(challenges.first?.parameters.isEmpty == true)
    }

    @Test func threeOffersInOneField() throws {
        let challenges = try ChallengeParser.parse(#"Negotiate, NTLM, Basic realm="corp", charset="UTF-8""#)
        #expect(challenges.map(\.scheme) == [.negotiate, .ntlm, .basic])
        #expect(challenges[2].parameters.map(\.name) == ["realm", "charset"])
    }

    @Test func schemeAndParameterNamesIgnoreCase() throws {
        let challenge = try #require(try ChallengeParser.parse("BASIC REALM=x").first)
        #expect(challenge.scheme == .basic)
        #expect(challenge["realm"] == "x")
    }

    @Test(
        "A field that cannot be read to its end yields no challenge",
        arguments: [
            (#"Basic realm="x"#, .unterminatedQuote(offset: 12)),
            (#"Basic realm="x\"#, .unterminatedQuote(offset: 12)),
            (#"Basic realm="x" Digest"#, .commaExpected(offset: 16)),
            ("Basic realm=\"a\u{01}b\"", .controlCharacter(offset: 14)),
            ("Basic realm=\"a\\\u{01}b\"", .controlCharacter(offset: 15)),
            (#"Basic realm=x, realm=y"#, .duplicateParameter(name: "realm")),
            (#"Basic realm=x, REALM=y"#, .duplicateParameter(name: "realm")),
            (#"Basic realm="a", =b"#, .tokenExpected(offset: 17)),
            (#""Basic""#, .tokenExpected(offset: 0)),
            ("NTLM abc def", .commaExpected(offset: 5)),
        ] as [(String, ChallengeError)]
    )
    func malformed(field: String, error: ChallengeError) {
        #expect(throws: error) { try ChallengeParser.parse(field) }
    }

    @Test("RFC 9110 section 5.6.1.2: a list of parameters may begin with empty elements")
    func emptyElements() throws {
        for field in [#"Basic , realm="foo""#, #"Basic ,, realm="foo""#, "NTLM, Basic\t, realm=\"foo\""] {
            let challenge = try #require(try ChallengeParser.parse(field).last)
            #expect(challenge.scheme == .basic && challenge["realm"] == "foo", "\(field)")
        }
        #expect(try ChallengeParser.parse("Negotiate , NTLM").map(\.scheme) == [.negotiate, .ntlm])
        // Without a space after the scheme, the parameter would have no challenge to belong to.
        #expect(throws: ChallengeError.self) { try ChallengeParser.parse(#"Basic,realm="foo""#) }
    }

    @Test func emptyFieldHoldsNothing() throws {
        #expect(try ChallengeParser.parse("").isEmpty)
        #expect(try ChallengeParser.parse(" , ,\t").isEmpty)
    }

    @Test func boundsHold() {
        let long = String(repeating: "a", count: ChallengeLimits.fieldBytes + 1)
        #expect(throws: ChallengeError.tooLong(bytes: ChallengeLimits.fieldBytes + 1)) {
            try ChallengeParser.parse(long)
        }
        let many = String(repeating: "NTLM, ", count: ChallengeLimits.challenges + 1)
        #expect(throws: ChallengeError.tooManyChallenges) { try ChallengeParser.parse(many) }
        let parameters = (0...ChallengeLimits.parameters).map { "p\($0)=x" }.joined(separator: ", ")
        #expect(throws: ChallengeError.tooManyParameters) { try ChallengeParser.parse("Digest " + parameters) }
    }

    @Test("An escape yields the next byte, also inside a character")
    func escapes() throws {
        let field = #"Digest a="caf\é \"x\\", b="é\", é""#
        let challenge = try #require(try ChallengeParser.parse(field).first)
        #expect(challenge["a"] == #"café "x\"#)
        #expect(challenge["b"] == #"é", é"#)
    }

    @Test("What a generator wrote is what the parser reads", arguments: UInt64(1)...64)
    func readsWhatWasWritten(seed: UInt64) throws {
        var generator = ChallengeGenerator(seed: seed)
        for _ in 0..<50 {
            let (field, expected) = generator.field()
            let found = try ChallengeParser.parse(field).map(WrittenChallenge.init)
            #expect(found == expected, "\(field)")
        }
    }

    @Test("Any byte anywhere yields challenges or an error", arguments: UInt64(1)...32)
    func neverTraps(seed: UInt64) throws {
        var generator = ChallengeGenerator(seed: seed)
        for _ in 0..<100 {
            var bytes = Array(generator.field().text.utf8)
            for _ in 0..<3 where !bytes.isEmpty {
                bytes[Int(generator.random.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: generator.random.next()
                )
            }
            _ = try? ChallengeParser.parse(String(decoding: bytes, as: UTF8.self))
        }
    }
}

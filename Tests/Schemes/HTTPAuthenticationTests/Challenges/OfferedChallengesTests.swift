import HTTPAuthentication
import HTTPTypes
import TestSupport
import Testing

@Suite struct OfferedChallengesTests {
    @Test(.row(21)) func eachPartyReadsItsOwnField() {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .wwwAuthenticate, value: "NTLM"))
        fields.append(HTTPField(name: .proxyAuthenticate, value: #"Basic realm="proxy""#))
        #expect(OfferedChallenges(by: .origin, in: fields).challenges.map(\.scheme) == [.ntlm])
        #expect(OfferedChallenges(by: .proxy, in: fields).challenges.map(\.scheme) == [.basic])
    }

    @Test func aBrokenLineDoesNotTakeTheOthersWithIt() {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .wwwAuthenticate, value: #"Digest realm="never closed, Basic realm=evil"#))
        fields.append(HTTPField(name: .wwwAuthenticate, value: "NTLM"))
        let offer = OfferedChallenges(by: .origin, in: fields)
        #expect(offer.challenges.map(\.scheme) == [.ntlm])
        #expect(offer.unreadable.map(\.error) == [.unterminatedQuote(offset: 13)])
    }

    @Test("A line with a syntax error yields none of its challenges, also those before the error")
    func challengesBeforeAnError() {
        func offer(_ lines: String...) -> OfferedChallenges {
            OfferedChallenges(by: .origin, in: HTTPFields(lines.map { HTTPField(name: .wwwAuthenticate, value: $0) }))
        }
        let broken = #"Basic realm=x, Digest realm=""#
        let alone = offer(broken)
        #expect(alone.challenges.isEmpty && !alone.includes(.basic) && alone.unreadable.map(\.line) == [1])
        // Whole lines before and after it count.
        let between = offer("NTLM", broken, "Negotiate")
        #expect(between.challenges.map(\.scheme) == [.ntlm, .negotiate])
        #expect(between.unreadable.map(\.line) == [2])
        #expect(offer("Basic realm=x", "NTLM").challenges.map(\.scheme) == [.basic, .ntlm])
    }

    @Test("An unreadable line says where, in which scheme, and what") func unreadableLines() throws {
        var fields = HTTPFields()
        for value in ["NTLM", "Bearer scope=x, resource=https://wiki.example/", "Basic realm=My Site"] {
            fields.append(HTTPField(name: .wwwAuthenticate, value: value))
        }
        let lines = OfferedChallenges(by: .origin, in: fields).unreadable
        #expect(lines.map(\.line) == [2, 3])
        #expect(lines.map(\.scheme) == [.bearer, .basic])
        #expect(lines[1].mayOffer(.basic) && !lines[1].mayOffer(.digest) && !lines[0].mayOffer(.basic))
        #expect(
            "\(lines[1])" == "WWW-Authenticate, line 3, scheme basic: expected a comma at byte 15; a value with "
                + "characters outside a token needs quotes; correct the challenge of the server or proxy"
        )
    }

    @Test("However many lines cannot be read, few are kept, and a name in a long one may be any")
    func manyUnreadableLines() {
        var fields = HTTPFields()
        let long = "Basic realm=" + String(repeating: "a", count: ChallengeLimits.fieldBytes)
        for _ in 0..<40 { fields.append(HTTPField(name: .wwwAuthenticate, value: long)) }
        let lines = OfferedChallenges(by: .origin, in: fields).unreadable
        #expect(lines.count == ChallengeLimits.challenges)
        #expect(lines.allSatisfy { $0.mayOffer(.ntlm) && $0.description.utf8.count < 300 })
    }

    @Test("A line past the bound may offer anything") func linesPastTheBound() {
        func offer(junk: Int) -> OfferedChallenges {
            var fields = HTTPFields()
            for _ in 0..<junk { fields.append(HTTPField(name: .wwwAuthenticate, value: "Bearer realm=a b")) }
            for value in [#"Digest realm="x"#, "Basic realm=x"] {
                fields.append(HTTPField(name: .wwwAuthenticate, value: value))
            }
            return OfferedChallenges(by: .origin, in: fields)
        }
        for junk in [0, ChallengeLimits.challenges - 1, ChallengeLimits.challenges, 1_000] {
            #expect(offer(junk: junk).preferred(among: [.digest, .basic]) == nil, "\(junk)")
            #expect(offer(junk: junk).unreadableLine(mayOffer: .digest) != nil, "\(junk)")
        }
    }

    @Test("Latin-1 counts by its bytes, in bounds and in positions") func latin1Bounds() {
        func offer(_ text: String) -> OfferedChallenges {
            let bytes = text.unicodeScalars.map { UInt8($0.value) }
            return OfferedChallenges(by: .origin, in: HTTPFields([HTTPField(name: .wwwAuthenticate, value: bytes)]))
        }
        let high = String(repeating: "\u{E9}", count: 50_000)
        #expect(offer("Basic realm=\"\(high)\"").challenges.first?["realm"] == high)
        #expect(offer("Basic realm=\"\(high)\(high)\"").unreadable.count == 1)
    }

    @Test func preferenceIsOursNotTheServers() {
        var fields = HTTPFields()
        for value in [#"Basic realm="a""#, "NTLM", "Negotiate"] {
            fields.append(HTTPField(name: .wwwAuthenticate, value: value))
        }
        let offer = OfferedChallenges(by: .origin, in: fields)
        #expect(offer.preferred(among: [.ntlm, .digest, .basic]) == .ntlm)
        #expect(offer.preferred(among: [.digest, .basic]) == .basic)
        #expect(offer.preferred(among: [.digest]) == nil)
    }

    @Test("A Digest that cannot be read may be stronger than the one that can, and Basic is not")
    func unreadableDigest() {
        func preferred(_ unreadable: String) -> AuthenticationScheme? {
            var fields = HTTPFields()
            for value in [unreadable, #"Digest realm="a", nonce="n", algorithm=MD5"#] {
                fields.append(HTTPField(name: .wwwAuthenticate, value: value))
            }
            let offer = OfferedChallenges(by: .origin, in: fields)
            #expect(offer.unreadable.count == 1)
            return offer.preferred(among: [.digest, .basic])
        }
        #expect(preferred(#"Digest realm="a", nonce="n", algorithm=SHA-256, opaque=""#) == nil)
        #expect(preferred(#"Basic realm=""#) == .digest)
    }
}

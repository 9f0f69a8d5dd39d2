import HTTPAuthentication
import HTTPTypes
import Testing

@Suite struct OfferedChallengesTests {
    @Test func eachPartyReadsItsOwnField() {
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
        #expect(offer.defect == .unterminatedQuote(offset: 13))
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
}

import Hostnames
import Testing

@testable import CredentialStores

@Suite struct CredentialQueryTests {
    @Test("A record of another host, port, scheme or party is no answer") func otherPlaces() throws {
        let records = [try StoreSamples.credential("https://a.example", secret: "s")]
        func count(_ origin: String, _ party: CredentialSpace.Party = .origin) throws -> Int {
            CredentialQuery(origin: try StoreSamples.origin(origin), party: party).answers(among: records, at: 1).count
        }
        #expect(try count("https://a.example") == 1)
        for other in ["https://b.example", "http://a.example", "https://a.example:8443"] {
            #expect(try count(other) == 0, "\(other)")
        }
        #expect(try count("https://a.example", .proxy) == 0)
    }
}

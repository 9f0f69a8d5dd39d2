import Credentials
import Hostnames
import Secrets
import TestSupport
import Testing

@testable import CredentialStores

/// The account of an item of Apple's Keychain, written out by hand.
@Suite(.row(42)) struct KeychainAccountTests {
    private func name(_ user: String, realm: String = "wiki", domain: String? = nil) throws -> CredentialName {
        let origin = try StoreSamples.origin("https://wiki.example")
        return CredentialName(space: .realm(realm, of: origin), user: user, domain: domain)
    }

    @Test("The text has all attributes in their order") func text() throws {
        let pairs = KeyringAttributes.pairs(of: try name("jdoe", realm: "50% & more"))
        #expect(
            KeychainAccount.text(of: pairs)
                == "party=server&scheme=https&host=wiki.example&port=443&reach=realm&realm=50%25 %26 more&path=%&user=jdoe"
                + "&domain=%&kind=password"
        )
    }

    @Test(
        "Every name is read back",
        arguments: [
            "", "%", "&", "%26", "&26", "%2526", "&user=x", "=", "\u{301}e", "&\u{301}", "%\u{301}", "a=\u{301}", "\0",
            "J\u{F6}rg", "Jo\u{308}rg",
        ]
    )
    func reads(text: String) throws {
        for domain in [nil, "", text] {
            let name = try name(text, realm: text, domain: domain)
            let account = KeychainAccount.text(of: KeyringAttributes.pairs(of: name))
            #expect(KeychainAccount.name(account) == name)
            #expect(KeychainAccount.matches(account, KeyringAttributes.pairs(of: name)))
        }
    }

    @Test("Another form is no record") func foreign() {
        let start = "party=server&scheme=https&host=a.example&port=443&reach=origin&realm=%&path=%"
        #expect(KeychainAccount.name("\(start)&user=u&domain=%&kind=password") != nil)
        let others = [
            "", "jdoe", "\(start)&user=u&domain=%", "\(start)&domain=%&user=u&kind=password",
            "\(start)&user=u&user=v&domain=%&kind=password", "\(start)&user=u&domain=%&kind=password&x=y",
            "\(start)&user=%41&domain=%&kind=password",
        ]
        for text in others { #expect(KeychainAccount.name(text) == nil, "\(text)") }
    }

    @Test("A search finds by host, scheme and party, and all that are ours") func search() throws {
        let account = KeychainAccount.text(of: KeyringAttributes.pairs(of: try name("jdoe")))
        let found = { (text: String, party: CredentialSpace.Party) in
            let place = CredentialSpace.origin(try StoreSamples.origin(text), party: party).place
            return KeychainAccount.matches(account, KeyringAttributes.pairs(of: place))
        }
        #expect(KeychainAccount.matches(account, KeyringAttributes.all))
        #expect(try found("https://wiki.example:8443", .origin))
        #expect(try !found("http://wiki.example:443", .origin))
        #expect(try !found("https://wiki.example", .proxy))
        #expect(try !found("https://a.wiki.example", .origin))
    }

    @Test("What the system answers is told as of another keyring") func problems() {
        func problem(_ status: Int32) -> KeyringProblem {
            KeyringProblem(keychainStatus: status, "keep a secret", text: "why")
        }
        #expect(problem(-25_308) == .locked && problem(-25_315) == .locked && problem(-128) == .dismissed)
        #expect(problem(-34_018) == .refused(operation: "keep a secret", reason: "why (-34018)"))
    }
}

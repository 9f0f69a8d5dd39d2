import AllowedSites
import Hostnames
import SallyportRelay
import Testing

/// What a relay serves only where its settings name it.
@Suite struct DestinationRulesTests {
    @Test(
        "Loopback, link-local, multicast and reserved addresses are forbidden (RFC 6890), in any form",
        arguments: [
            "0.0.0.0", "0.255.255.255", "127.0.0.0", "127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.169.254",
            "169.254.255.255", "224.0.0.0", "240.0.0.1", "255.255.255.255", "[::]", "[::1]", "[fe80::1]", "[febf::1]",
            "[ff00::]", "[ff02::1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]",
            "[64:ff9b:1::127.0.0.1]", "[64:ff9b:1:fffe::a9fe:a9fe]", "[::ffff:0:127.0.0.1]",
        ]
    )
    func addresses(host: String) throws {
        #expect(DestinationRules().forbids(try Origin(parsing: "http://\(host)")))
    }

    @Test(
        "So are the names of loopback (RFC 6761 section 6.3)",
        arguments: ["localhost", "LOCALHOST", "a.localhost", "a.b.localhost", "localhost.localdomain", "ip6-loopback"]
    )
    func names(host: String) throws {
        #expect(DestinationRules().forbids(try Origin(parsing: "https://\(host)")))
    }

    @Test(
        "The next address and the next name are not",
        arguments: [
            "1.0.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "223.255.255.255", "10.0.0.1",
            "[2001:db8::1]", "[fc00::1]", "[fe7f::1]", "[feff::1]", "[2002:a00:1::]", "[64:ff9b::10.0.0.1]",
            "[64:ff9b:1::10.0.0.1]", "notlocalhost", "localhost.example",
        ]
    )
    func served(host: String) throws {
        #expect(!DestinationRules().forbids(try Origin(parsing: "http://\(host)")))
    }

    @Test("What is allowed is not forbidden, and allows nothing else") func allowed() throws {
        var rules = DestinationRules()
        let named = ["169.254.169.254", "a.localhost"]
        let list = try SiteDialect.noProxy.read(named.joined(separator: ","), name: "allowed").list
        rules.allowed = SiteTrie(compiling: list)
        for host in named { #expect(!rules.forbids(try Origin(parsing: "http://\(host)"))) }
        for host in ["169.254.169.253", "localhost", "b.localhost"] {
            #expect(rules.forbids(try Origin(parsing: "http://\(host)")))
        }
    }
}

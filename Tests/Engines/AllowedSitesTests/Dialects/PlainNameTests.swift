import Hostnames
import Testing

@testable import AllowedSites

/// Names of one label, reserved names and patterns of addresses in lists of other programs.
@Suite struct PlainNameTests {
    private func read(_ dialect: SiteDialect, _ text: String) throws -> (
        rules: [String], losses: [String: DialectLoss.Reason]
    ) {
        let reading = try dialect.read(text, name: "foreign")
        let losses = Dictionary(reading.losses.map { ($0.text, $0.reason) }) { first, _ in first }
        return (reading.list.entries.map(\.rule.description), losses)
    }

    @Test("NO_PROXY: names of one label, reserved names, and the top-level domains that registries have")
    func plainNames()
        throws
    {
        // curl 7.88.1 reaches localhost, a.localhost, a.corp, wiki and a.wiki directly with these entries.
        let text = "localhost, .corp, intranet:8080, *.lan, home.arpa, .Local, b\u{FC}ro"
        let (rules, losses) = try read(.noProxy, text)
        #expect(
            rules == [
                "*://localhost:*", "*://*.localhost:*", "*://*.corp:*", "*://intranet:8080", "*://*.intranet:8080",
                "*://*.lan:*", "*://home.arpa:*", "*://*.home.arpa:*", "*://*.local:*",
            ]
        )
        #expect(losses.count == 1 && losses["b\u{FC}ro"] != nil)
        let listed = try SiteDialect.noProxy.read("wiki,.dev,com,github.io,<local>,a.example", name: "NO_PROXY")
        #expect(
            listed.list.entries.map(\.rule.description) == [
                "*://wiki:*", "*://com:*", "*://github.io:*", "*://a.example:*", "*://*.a.example:*",
            ]
        )
        #expect(listed.losses.map(\.text) == ["wiki", ".dev", "com", "github.io", "<local>"])
        #expect(listed.losses.map(\.keepsHost) == [true, false, true, true, false])
        #expect(listed.losses.last?.reason == .plainNames)
        #expect(
            listed.losses[0].description
                == "1: \"wiki\" is read as that host alone, without the names below it: anyone can register names below "
                + "'wiki': write a longer name, or read the list with public suffixes allowed"
        )
        let trie = SiteTrie(compiling: listed.list)
        #expect(trie.verdict(forURL: "http://wiki/").isAllowed && !trie.verdict(forURL: "http://a.wiki/").isAllowed)
    }

    @Test(
        "A name of one label that is no top-level domain is no public suffix in any dialect",
        arguments: SiteDialect.allCases
    )
    func privateLabels(dialect: SiteDialect) throws {
        func wild(_ name: String) -> String {
            [SiteDialect.chromium: "*.\(name)", .windowsZones: "*.\(name) 1"][dialect] ?? ".\(name)"
        }
        for name in ["corp", "lan", "home", "intranet", "localhost", "local", "home.arpa"] {
            #expect(try dialect.read(wild(name), name: "x").losses.isEmpty, "\(name)")
        }
        for name in ["com", "wiki", "co.uk", "xn--p1ai", "onion", "arpa"] {
            #expect(try !dialect.read(wild(name), name: "x").losses.isEmpty, "\(name)")
        }
    }

    @Test("A wildcard in an address says the network that is meant", arguments: [SiteDialect.noProxy, .chromium])
    func addressPatterns(dialect: SiteDialect) throws {
        for (text, network) in [
            ("127.0.0.*", "127.0.0.0/24"), ("10.*", "10.0.0.0/8"), ("192.168.*.*", "192.168.0.0/16"),
            ("10.*.*", "10.0.0.0/8"),
            ("255.1.*:8080", "255.1.0.0/16"),
        ] {
            let (rules, losses) = try read(dialect, text)
            #expect(rules.isEmpty && losses == [text: .addressPattern(network: network)])
            #expect(try read(dialect, network).losses.isEmpty)
        }
        for text in ["10.*.1", "256.*", "01.*", "10.a.*", "1.2.3.4.*", "10.0.0.1*", "*.10.*"] {
            #expect(try read(dialect, text).losses == [text: .pattern], "\(text)")
        }
    }
}

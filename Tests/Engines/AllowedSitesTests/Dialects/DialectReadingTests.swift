import Hostnames
import Testing

@testable import AllowedSites

@Suite struct DialectReadingTests {
    private func read(_ dialect: SiteDialect, _ text: String) throws -> (
        rules: [String], losses: [String: DialectLoss.Reason]
    ) {
        let reading = try dialect.read(text, name: "foreign")
        let losses = Dictionary(reading.losses.map { ($0.text, $0.reason) }) { first, _ in first }
        return (reading.list.entries.map(\.rule.description), losses)
    }

    @Test("Chromium's allowlist: what an entry is, and what it cannot be here") func chromium() throws {
        // net/http/http_auth_filter_unittest.cc, net/base/scheme_host_port_matcher_unittest.cc, the policy's documentation.
        let (rules, losses) = try read(
            .chromium,
            """
            *.example.com,example.com; .chromium.org , https://www.HOST.example:8443,http://x.example,192.168.1.1/16,\
            [3ffe:2a00:100:7031::1]:99,2001:db8::/32, 10.1.2.3,*google.com,*gog,host*.example,a?.example,https://*,<local>,\
            ftp://f.example,a.example:x,a.example:0,a.example/path,*.com,,
            """
        )
        #expect(
            rules == [
                "*://*.example.com:*", "*://example.com:*", "*://*.chromium.org:*", "www.host.example:8443",
                "http://x.example:*", "*://192.168.0.0/16:*", "*://[3ffe:2a00:100:7031::1]:99", "*://[2001:db8::]/32:*",
                "*://10.1.2.3:*",
            ]
        )
        #expect(
            losses == [
                "*google.com": .pattern, "*gog": .pattern, "host*.example": .pattern, "a?.example": .pattern,
                "https://*": .everySite, "<local>": .plainNames, "ftp://f.example": .unsupportedScheme,
                "a.example:x": .invalidPort, "a.example:0": .invalidPort, "a.example/path": .withoutEffect,
                "*.com": .rule(.wildcardAbovePublicSuffix("com")),
            ]
        )
    }

    @Test("Firefox's trusted URIs: a host is its sub-domains too") func firefox() throws {
        let (rules, losses) = try read(
            .firefox,
            "example.com, .sub.example,\thttps://secure.example:8443,192.0.2.1,[2001:db8::1],[2001:db8::1]:99,http://[::1],HTTPS://a.example,a.example:1:2,https://,*.x.example,"
                + "https://a.example/path,.10.0.0.1,org"
        )
        #expect(
            rules == [
                "*://example.com:*", "*://*.example.com:*", "*://*.sub.example:*", "secure.example:8443",
                "*.secure.example:8443", "*://192.0.2.1:*", "*://[2001:db8::1]:*", "*://org:*",
            ]
        )
        #expect(
            losses == [
                "https://": .everySite, "*.x.example": .withoutEffect, "https://a.example/path": .withoutEffect,
                "[2001:db8::1]:99": .withoutEffect, "http://[::1]": .withoutEffect, "HTTPS://a.example": .withoutEffect,
                "a.example:1:2": .invalidPort,
                ".10.0.0.1": .withoutEffect, "org": .rule(.wildcardAbovePublicSuffix("org")),
            ]
        )
    }

    @Test("Windows zones: only the intranet is logged on to") func windowsZones() throws {
        let (rules, losses) = try read(
            .windowsZones,
            """
            ; Site to Zone Assignment List
            https://www.contoso.com\t1
            "*://*.contoso.com"="1"
            server1 = 1
            http://192.168.0.*,1
            evil.contoso.com 4
            https://trusted.contoso.com 2
            http://worse.contoso.com:8080/x 3
            https://port.contoso.com:8443 1
            https://path.contoso.com/app 1
            file://share.contoso.com 1
            *.*.contoso.com 1
            * 1
            contoso.com
            contoso.com 5
            """
        )
        #expect(
            rules == [
                "www.contoso.com:*", "*://*.contoso.com:*", "*://server1:*", "http://192.168.0.0/24:*",
                "!evil.contoso.com", "!https://trusted.contoso.com", "!http://worse.contoso.com",
            ]
        )
        #expect(
            losses == [
                "https://port.contoso.com:8443 1": .ignoredThere, "https://path.contoso.com/app 1": .ignoredThere,
                "file://share.contoso.com 1": .unsupportedScheme, "*.*.contoso.com 1": .pattern, "* 1": .everySite,
                "contoso.com": .invalidZone, "contoso.com 5": .invalidZone,
            ]
        )
    }

    @Test("NO_PROXY: the published cases of Go's httpproxy") func noProxy() throws {
        let reading = try SiteDialect.noProxy.read(
            "foobar.com, .barbaz.net, *.wildcard.io, 192.168.1.1, 192.168.1.2:81, 192.168.1.3:80, 10.0.0.0/30, "
                + "2001:db8::52:0:1, [2001:db8::52:0:2]:443, [2001:db8::52:0:3]:80, 2002:db8:a::45/64",
            name: "NO_PROXY"
        )
        #expect(reading.losses.isEmpty)
        let trie = SiteTrie(compiling: reading.list)
        // x/net/http/httpproxy/proxy_test.go, UseProxyTests, without loopback, which Go never proxies; port 80.
        let cases: KeyValuePairs = [
            "[::2]": false, "192.168.1.1": true, "192.168.1.2": false, "192.168.1.3": true, "192.168.1.4": false,
            "10.0.0.2": true, "[2001:db8::52:0:1]": true, "[2001:db8::52:0:2]": false, "[2001:db8::52:0:3]": true,
            "[2002:db8:a::123]": true, "[fe80::424b:c8be:1643:a1b6]": false, "barbaz.net": false,
            "www.barbaz.net": true, "foobar.com": true, "www.foobar.com": true, "foofoobar.com": false,
            "baz.com": false, "localhost.net": false, "local.localhost": false, "barbarbaz.net": false,
            "wildcard.io": false, "nested.wildcard.io": true, "awildcard.io": false,
        ]
        for (host, isMatched) in cases {
            #expect(trie.verdict(forURL: "http://\(host)/").isAllowed == isMatched, "\(host)")
        }
        let (_, losses) = try read(.noProxy, "*,:1,http://a.example,a*.example")
        #expect(
            losses == [
                "*": .everySite, ":1": .rule(.host(.empty(offset: 4))), "http://a.example": .withoutEffect,
                "a*.example": .pattern,
            ]
        )
    }

    @Test(
        "What follows the length of a network makes it a name that no request has",
        arguments: [
            "10.0.0.5/24:8080", "10.0.0.1/8/x", "10.0.0.1/0/x", "2001:db8::1/32:80", "2001:db8::1/32/x",
            "10.0.0.1/8/../../x:80",
            "10.0.0.1/+8", "10.0.0.1/", "[2001:db8::]/32", "[2001:db8::1]/32",
        ]
    )
    func noNetworks(text: String) throws {
        for dialect in [SiteDialect.noProxy, .chromium] {
            let (rules, losses) = try read(dialect, text)
            #expect(rules.isEmpty && losses == [text: .withoutEffect], "\(dialect): \(rules)")
        }
        #expect(try read(.chromium, "http://10.0.0.1/8/app").rules.isEmpty)
        #expect(try read(.noProxy, "10.0.0.5/24").rules == ["*://10.0.0.0/24:*"])
    }

    @Test("Where everything that is listed counts, a narrower entry takes nothing away")
    func everythingCounts() throws {
        let cases: [(SiteDialect, String, String)] = [
            (.chromium, "*.acme.example,https://wiki.acme.example", "http://wiki.acme.example/"),
            (.firefox, "acme.example,https://wiki.acme.example", "http://x.wiki.acme.example/"),
            (.noProxy, "acme.example,wiki.acme.example:8080", "https://wiki.acme.example/"),
            (.noProxy, "10.0.0.0/8,10.1.2.3:8080", "https://10.1.2.3/"),
            (.noProxy, "2001:db8::/32,[2001:db8::1]:8080", "https://[2001:db8::1]/"),
        ]
        for (dialect, text, url) in cases {
            let trie = SiteTrie(compiling: try dialect.read(text, name: "x").list)
            let verdict = trie.verdict(forURL: url)
            #expect(verdict.isAllowed && verdict.rule?.line == 1, "\(dialect): \(text)")
        }
        let apart = SiteTrie(compiling: try SiteDialect.chromium.read("*.a.example:1,*.b.a.example:2", name: "x").list)
        #expect(apart.verdict(forURL: "https://c.b.a.example:1/").isAllowed)
        #expect(apart.verdict(forURL: "https://c.b.a.example:2/").isAllowed)
        #expect(!apart.verdict(forURL: "https://b.a.example:2/").isAllowed)
    }

    @Test("What a program compares as text is compared with nothing else") func literally() throws {
        #expect(try read(.noProxy, "host.example:080").losses == ["host.example:080": .invalidPort])
        #expect(try read(.noProxy, "[2001:db8::1]").losses == ["[2001:db8::1]": .withoutEffect])
        for dialect in [SiteDialect.noProxy, .chromium, .apple, .squid, .firefox] {
            #expect(try read(dialect, "h.example.").losses == ["h.example.": .withoutEffect], "\(dialect)")
        }
    }

    @Test("Windows: a wildcard in another zone takes its host along, unless that has an entry of its own")
    func apexes() throws {
        let list =
            "*.acme.example 1\n*.guests.acme.example 3\n*.own.acme.example 4\nhttps://own.acme.example 1\n10.0.0.* 1"
        let trie = SiteTrie(compiling: try SiteDialect.windowsZones.read(list, name: "x").list)
        #expect(!trie.verdict(forURL: "https://guests.acme.example/").isAllowed)
        #expect(!trie.verdict(forURL: "https://x.guests.acme.example/").isAllowed)
        #expect(trie.verdict(forURL: "https://own.acme.example/").isAllowed)
        #expect(!trie.verdict(forURL: "https://x.own.acme.example/").isAllowed)
        #expect(trie.verdict(forURL: "https://10.0.0.20/").isAllowed)
        let schemes = "*.corp.example 1\n*.sub.corp.example 3\nhttp://sub.corp.example 3"
        let other = SiteTrie(compiling: try SiteDialect.windowsZones.read(schemes, name: "x").list)
        #expect(!other.verdict(forURL: "https://sub.corp.example/").isAllowed)
    }

    @Test("Squid's dstdomain: a dot takes the host along") func squid() throws {
        // squid.conf.documented, "acl dstdomain": .foo.com matches sub-domains of foo.com and foo.com itself.
        let (rules, losses) = try read(
            .squid,
            "# hosts\n.foo.com www.bar.example # both\n192.0.2.1\n-n *.x.example a.example:80 .10.0.0.1\n"
        )
        #expect(rules == ["*://foo.com:*", "*://*.foo.com:*", "*://www.bar.example:*", "*://192.0.2.1:*"])
        #expect(
            losses == [
                "-n": .withoutEffect, "*.x.example": .withoutEffect, "a.example:80": .withoutEffect,
                ".10.0.0.1": .withoutEffect,
            ]
        )
    }

    @Test("Apple's hosts: a dot is all sub-domains, and not the host") func apple() throws {
        let (rules, losses) = try read(.apple, "www.example.com\n .example.org \n\n*.example.net\nexample.com/x\na:1")
        #expect(rules == ["*://www.example.com:*", "*://*.example.org:*"])
        #expect(losses == ["*.example.net": .withoutEffect, "example.com/x": .withoutEffect, "a:1": .withoutEffect])
    }

    @Test("An entry has its place") func places() throws {
        let commas = try SiteDialect.chromium.read("a.example,,*b, c.example", name: "x")
        #expect(commas.list.entries.map(\.line) == [1, 3])
        #expect(commas.losses.map(\.line) == [2])
        let lines = try SiteDialect.squid.read("a.example b.example\r\n\r\n*\n", name: "x")
        #expect(lines.list.entries.map(\.line) == [1, 1])
        #expect(lines.losses == [DialectLoss(line: 3, text: "*", reason: .withoutEffect)])
        #expect(lines.losses[0].description.hasPrefix("3: \"*\" is left out: that program"))
    }

    @Test(
        "White space inside an entry belongs to its host, where the program does not split there",
        arguments: [
            (SiteDialect.chromium, "a.example b.example"), (.chromium, "a.example\nb.example"),
            (.firefox, "a.example b.example"), (.firefox, "a.example ,"), (.firefox, ",\na.example"),
            (.noProxy, "a.example b.example"), (.noProxy, "a.example\tb.example"), (.noProxy, "a.example\nb.example"),
        ]
    )
    func whiteSpaceDoesNotSplit(dialect: SiteDialect, text: String) throws {
        let (rules, losses) = try read(dialect, text)
        #expect(rules.isEmpty && Array(losses.values) == [.withoutEffect])
    }

    @Test("Blanks around entries and the line end of a file belong to no entry", arguments: ["\n", "\r\n", ""])
    func blanksAroundEntries(end: String) throws {
        #expect(try read(.chromium, " a.example ,\r\n b.example ;c.example" + end).rules.count == 3)
        #expect(try read(.firefox, "a.example, b.example" + end).rules.count == 4)
        #expect(try read(.noProxy, "10.0.0.1 ,\n 10.0.0.2" + end).rules.count == 2)
    }

    @Test(
        "No comment ends where only some programs see a line end",
        arguments: ["\u{b}", "\u{c}", "\u{85}", "\u{2028}"]
    )
    func commentsGoOn(separator: String) throws {
        for dialect in [SiteDialect.squid, .apple, .windowsZones] {
            let (rules, losses) = try read(dialect, "# off:\(separator).evil.example 1\n")
            #expect(rules.isEmpty && losses.isEmpty, "\(dialect)")
        }
        #expect(try read(.squid, "ok.example\(separator).evil.example").rules.isEmpty)
    }

    @Test("Bytes that programs read differently are errors, with their place", arguments: SiteDialect.allCases)
    func doubtfulBytes(dialect: SiteDialect) throws {
        func problem(_ bytes: [UInt8]) -> SiteListError? {
            do throws(SiteListError) { _ = try dialect.read(bytes: bytes.span, name: "x") } catch { return error }
            return nil
        }
        func expected(_ reason: SiteListProblem.Reason, column: Int) -> SiteListError {
            .badLines(SiteListProblems([SiteListProblem(line: 2, column: column, reason: reason)]))
        }
        let comment = Array("\n# off".utf8)
        #expect(problem(comment + [0x0d] + Array(".evil.example".utf8)) == expected(.loneCarriageReturn, column: 6))
        #expect(problem(comment + [0]) == expected(.nul, column: 6))
        #expect(problem(comment + [0xff]) == expected(.invalidUTF8, column: 6))
        #expect(problem([0xff, 0xfe, 0x61, 0]) == .utf16)
    }

    @Test func aByteOrderMarkIsNoPartOfAnEntry() throws {
        let (rules, losses) = try read(.windowsZones, "\u{feff}secret.example.com 4\r\n*.example.com 1\r\n")
        #expect(rules == ["!secret.example.com", "*://*.example.com:*"] && losses.isEmpty)
    }

    @Test(
        "What may be an exception is said to be one",
        arguments: [
            (SiteDialect.windowsZones, "hr.example.com  4 # never", true), (.windowsZones, "bank.example.com 0", true),
            (.windowsZones, ".guest.example.com 4", true), (.windowsZones, "*pay.example.com 3", true),
            (.windowsZones, "guests.example.com 3 ; ticket 1", true), (.windowsZones, "a.example.com,4,1", true),
            (.windowsZones, "10.0.0.1-50 4", true), (.windowsZones, "10.0.0.1-50 1", false),
            (.windowsZones, "bank.example.com", true), (.windowsZones, "*.*.example.com 1", false),
            (.squid, "!a.example", true), (.squid, "*.a.example", false), (.chromium, "!a.example", true),
            (.chromium, "*a.example", false), (.chromium, "\u{FF01}a.example", true), (.chromium, "<-loopback>", true),
            (.chromium, "<-LOOPBACK>", true),
            (.windowsZones, "a.example.com +1", true), (.windowsZones, "a.example.com 01", true),
            (.windowsZones, "10.1.2.0/25 3", true),
        ]
    )
    func possibleExceptions(dialect: SiteDialect, text: String, mayBeException: Bool) throws {
        let losses = try dialect.read(text, name: "x").losses
        #expect(losses.map(\.mayBeException).contains(true) == mayBeException && !losses.isEmpty)
    }

    @Test("A list of Squid with more than 16 MiB is read") func long() throws {
        let comment = "#" + String(repeating: " ", count: 17 << 20)
        let read = try SiteDialect.squid.read("a.example\n\(comment)\nb.example\n", name: "x")
        #expect(read.list.count == 2 && read.losses.isEmpty)
    }

    @Test("The suffixes may be opened, and a list has the bounds of our own", arguments: SiteDialect.allCases)
    func bounds(dialect: SiteDialect) throws {
        func read(_ text: String, _ limits: SiteList.Limits) -> SiteListError? {
            let bytes = Array(text.utf8)
            do throws(SiteListError) {
                _ = try dialect.read(bytes: bytes.span, name: "x", allowingPublicSuffix: false, limits: limits)
            } catch { return error }
            return nil
        }
        let entry = dialect == .windowsZones ? "a.example 1" : "a.example"
        let separator = [.chromium, .firefox, .noProxy].contains(dialect) ? "," : "\n"
        let three = [entry, entry, entry].joined(separator: separator)
        #expect(read(three, SiteList.Limits(bytes: three.utf8.count, lines: 3)) == nil)
        #expect(
            read(three, SiteList.Limits(bytes: three.utf8.count - 1, lines: 3))
                == .tooManyBytes(limit: three.utf8.count - 1)
        )
        #expect(read(three, SiteList.Limits(bytes: 100, lines: 2)) == .tooManyLines(limit: 2))
        if dialect == .squid {
            // All in one line.
            let line = read("a.example b.example c.example", SiteList.Limits(bytes: 100, lines: 2))
            #expect(line == .tooManyLines(limit: 2))
        }
        #expect(try dialect.read("", name: "x").list.count == 0)
        let wild = [SiteDialect.chromium: "*.com", .windowsZones: "*.com 1"][dialect] ?? ".com"
        #expect(try !dialect.read(wild, name: "x").losses.isEmpty)
        #expect(try dialect.read(wild, name: "x", allowingPublicSuffix: true).losses.isEmpty)
    }
}

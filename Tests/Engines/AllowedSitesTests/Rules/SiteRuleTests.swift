import Hostnames
import TestSupport
import Testing

@testable import AllowedSites

@Suite struct SiteRuleTests {
    @Test(
        "Every form of a rule, and its canonical text",
        arguments: [
            // scheme
            ("host.example", "host.example"), ("https://host.example", "host.example"),
            ("HTTP://Host.Example.", "http://host.example"), ("*://host.example", "*://host.example"),
            // host
            ("*.Host.Example", "*.host.example"), ("192.0.2.1", "192.0.2.1"), ("10.0.0.0/8", "10.0.0.0/8"),
            ("0.0.0.0/0", "0.0.0.0/0"), ("192.0.2.1/32", "192.0.2.1"), ("[2001:DB8::0:1]", "[2001:db8::1]"),
            ("[2001:db8::]/32", "[2001:db8::]/32"), ("[::1]/128", "[::1]"), ("[::]/0", "[::]/0"),
            ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"), ("localhost", "localhost"),
            // port
            ("host.example:8443", "host.example:8443"), ("host.example:*", "host.example:*"),
            ("host.example:443", "host.example:443"), ("10.0.0.0/8:8443", "10.0.0.0/8:8443"),
            ("[2001:db8::]/32:*", "[2001:db8::]/32:*"), ("[::1]:8443", "[::1]:8443"), ("a:080", "a:80"),
            ("host.example:", "host.example"), ("http://host.example:/x", "http://host.example/x"),
            ("!host.example:", "!host.example"),
            // path
            ("host.example/", "host.example"), ("host.example/app", "host.example/app"),
            ("host.example/app/", "host.example/app/"), ("host.example/%61p%70/%c3%bc", "host.example/app/%C3%BC"),
            ("host.example/a%0a".replacing("%0a", with: "%20"), "host.example/a%20"),
            ("host.example:8443/app/x", "host.example:8443/app/x"),
            ("*://*.host.example:*/x", "*://*.host.example:*/x"),
            ("192.0.2.1/app", "192.0.2.1/app"), ("192.0.2.1/24x", "192.0.2.1/24x"),
            ("192.0.2.1/32/24", "192.0.2.1/32/24"), ("192.0.2.1:443/24", "192.0.2.1:443/24"),
            ("[::1]/128/24", "[::1]/128/24"), ("10.0.0.0/8/app", "10.0.0.0/8/app"), ("192.0.2.1/@x", "192.0.2.1/@x"),
            // exceptions
            ("!host.example", "!host.example"), ("!*.host.example/x", "!*.host.example/x"),
            ("!*://host.example:*", "!host.example"), ("!https://host.example:443", "!https://host.example:443"),
            ("!http://10.0.0.0/8", "!http://10.0.0.0/8"), ("!192.0.2.1/32/24", "!192.0.2.1/32/24"),
            ("!*.com", "!*.com"),
        ]
    )
    func canonicalText(text: String, canonical: String) throws {
        let rule = try SiteRule(parsing: text)
        #expect(rule.description == canonical)
        #expect(rule.isException == text.hasPrefix("!"))
        #expect(try SiteRule(parsing: canonical) == rule)
    }

    @Test("The canonical text of any rule is that rule", arguments: Effort.seeds(16, thorough: 64))
    func roundTrip(seed: UInt64) throws {
        var generator = SiteGenerator(seed: seed)
        for _ in 0..<100 {
            let text = generator.rule().text
            let rule = try SiteRule(parsing: text, allowingPublicSuffix: true)
            #expect(try SiteRule(parsing: rule.description, allowingPublicSuffix: true) == rule, "\(text)")
        }
    }

    @Test(
        "Each malformed rule is refused with its column",
        arguments: [
            ("", 1, SiteRuleError.Reason.host(.empty(offset: 0))), ("!", 2, .host(.empty(offset: 1))),
            ("https://", 9, .host(.empty(offset: 8))), ("/app", 1, .host(.empty(offset: 0))),
            (":443", 1, .host(.empty(offset: 0))), ("!!host.example", 2, .host(.forbiddenByte(0x21, offset: 1))),
            // scheme
            ("ftp://host.example", 1, .unsupportedScheme), ("!wss://host.example", 2, .unsupportedScheme),
            ("://host.example", 1, .unsupportedScheme), ("**://host.example", 1, .unsupportedScheme),
            ("https:host.example", 1, .incompleteScheme("https")), ("//host.example", 1, .host(.empty(offset: 0))),
            ("https:/host.example", 1, .incompleteScheme("https")),
            ("!HTTP//host.example", 2, .incompleteScheme("http")),
            ("*:/host.example", 1, .incompleteScheme("*")),
            ("http:99999", 6, .invalidPort), ("https://https:foo", 15, .invalidPort),
            ("\u{1C3}pay.example", 1, .lookalikeMark), ("\u{2757}pay.example", 1, .lookalikeMark),
            ("\u{FF01}pay.example", 1, .lookalikeMark), ("\u{2D51}", 1, .lookalikeMark),
            // user
            ("user@host.example", 5, .userinfo), ("https://u:p@host.example/x", 12, .userinfo),
            // wildcards, each with its remedy
            ("*", 1, .bareWildcard), ("*.", 1, .bareWildcard), ("https://*", 9, .bareWildcard),
            ("*:8443", 1, .bareWildcard),
            ("*/app", 1, .bareWildcard), ("*example.com", 1, .wildcardWithoutDot(host: "example.com")),
            ("!https://*x.example", 10, .wildcardWithoutDot(host: "x.example")),
            ("a.*.example", 3, .innerWildcard), ("api-*.host.example", 5, .innerWildcard),
            ("*.*.example", 3, .innerWildcard),
            ("**.example", 2, .innerWildcard), ("host.*", 6, .innerWildcard), ("10.0.*", 6, .innerWildcard),
            (".example.com", 1, .leadingDot(host: "example.com")),
            ("*.10.0.0.1", 1, .wildcardAboveAddress), ("*.[::1]", 1, .wildcardAboveAddress),
            ("*.0.0.1", 3, .host(.oddIPv4(offset: 2))),
            ("*.com", 1, .wildcardAbovePublicSuffix("com")), ("http://*.Corp.", 8, .wildcardAbovePublicSuffix("corp")),
            ("*.co.uk", 1, .wildcardAbovePublicSuffix("co.uk")),
            ("*.GitHub.io:8443/x", 1, .wildcardAbovePublicSuffix("github.io")),
            ("*.kawasaki.jp", 1, .wildcardAbovePublicSuffix("kawasaki.jp")),
            ("*.xn--p1ai", 1, .wildcardAbovePublicSuffix("xn--p1ai")),
            // host
            ("a..b", 3, .host(.emptyLabel(offset: 2))), ("*..b", 3, .host(.emptyLabel(offset: 2))),
            ("host\u{3002}example", 5, .host(.nonASCII(offset: 4))),
            ("b\u{FC}cher.example", 2, .host(.nonASCII(offset: 1))),
            ("host%2eexample", 5, .host(.percentEscape(offset: 4))), ("a b", 2, .host(.forbiddenByte(0x20, offset: 1))),
            ("a\\b", 2, .host(.forbiddenByte(0x5c, offset: 1))), ("host?x", 5, .host(.forbiddenByte(0x3f, offset: 4))),
            ("host#x", 5, .host(.forbiddenByte(0x23, offset: 4))), ("127.1", 1, .host(.oddIPv4(offset: 0))),
            ("0x7f.1", 1, .host(.oddIPv4(offset: 0))), ("[::1", 1, .host(.unclosedBracket(offset: 0))),
            ("[2001:db8::/32]", 1, .host(.unclosedBracket(offset: 0))), ("::1", 1, .bareIPv6),
            ("[::1]8443", 6, .host(.forbiddenByte(0x38, offset: 5))),
            ("[fe80::1%en0]", 9, .host(.zoneIdentifier(offset: 8))),
            ("[::ffff:10.0.0.1]", 1, .host(.ipv4MappedIPv6(offset: 0))),
            ("2001:db8::/32", 1, .bareIPv6), ("!http://::1", 9, .bareIPv6),
            ("fe80::1:80/x", 1, .bareIPv6), ("a:1:2", 3, .invalidPort),
            ("10.0.0.1-50", 1, .addressRange), ("!10.1.2.x", 2, .addressRange), ("10.1.0-5", 1, .addressRange),
            ("10.1.0.0/255.255.0.0", 10, .invalidPrefixLength(longest: 32)),
            ("10.1.0.0/255.255.0.0/x", 10, .invalidPrefixLength(longest: 32)),
            ("https://\u{1C3}login.example", 9, .lookalikeMark), ("\u{200B}\u{1C3}a.example", 4, .lookalikeMark),
            ("\u{55C}a.example", 1, .lookalikeMark), ("\u{1E95E}a.example", 1, .lookalikeMark),
            ("!http://10.0-9.0.1-50:*", 9, .addressRange),
            // networks
            ("10.0.0.1/8", 1, .hostBitsSet(remedy: "10.0.0.0/8")),
            ("10.0.0.0/33", 10, .invalidPrefixLength(longest: 32)),
            ("192.0.2.1/0", 1, .hostBitsSet(remedy: "0.0.0.0/0")),
            ("10.0.0.0/08", 10, .invalidPrefixLength(longest: 32)),
            ("10.0.0.0/99999999999999999999", 10, .invalidPrefixLength(longest: 32)),
            ("[2001:db8::1]/32", 1, .hostBitsSet(remedy: "[2001:db8::]/32")),
            ("[2001:db8::]/129", 14, .invalidPrefixLength(longest: 128)),
            // port
            ("host.example:0", 14, .invalidPort), ("host.example:000", 14, .invalidPort),
            ("https:", 1, .incompleteScheme("https")),
            ("host.example:65536", 14, .invalidPort), ("host.example:80:80", 14, .invalidPort),
            ("host.example:**", 14, .invalidPort), ("host.example:8*", 14, .invalidPort), ("a:065536", 3, .invalidPort),
            // path
            ("a.b/..", 7, .path(.dotSegment)), ("a.b/./x", 6, .path(.dotSegment)),
            ("a.b/x/%2E%2e/y", 13, .path(.dotSegment)),
            ("a.b/x%2fy", 6, .path(.escape)), ("a.b/x%5Cy", 6, .path(.escape)), ("a.b/%", 5, .path(.escape)),
            ("a.b/%zz", 5, .path(.escape)), ("a.b/%252e", 5, .path(.escape)), ("a.b/%c0%af", 5, .path(.escape)),
            ("a.b/x\\y", 6, .path(.byte)), ("a.b/x y", 6, .path(.byte)), ("a.b/\u{FC}", 5, .path(.byte)),
            ("a.b//x", 5, .path(.emptySegment)), ("a.b/x//", 7, .path(.emptySegment)),
            ("a.b/*", 5, .wildcardInPath), ("a.b/x*", 6, .wildcardInPath), ("a.b/x?y", 6, .queryInPath),
            ("a.b/x#y", 6, .queryInPath), ("a.b/x;y", 6, .parametersInPath),
        ]
    )
    func malformed(text: String, column: Int, reason: SiteRuleError.Reason) {
        let error = #expect(throws: SiteRuleError.self) { try SiteRule(parsing: text) }
        #expect(error?.column == column)
        #expect(error?.reason == reason)
        #expect(error?.description.hasPrefix("column \(column): ") == true)
        #expect(error?.description.contains("\n") == false)
    }

    @Test("Remedies say what to write") func remedies() throws {
        func remedy(_ text: String) -> String? {
            #expect(throws: SiteRuleError.self) { try SiteRule(parsing: text) }?.description
        }
        #expect(remedy("*example.com")?.contains("write *.example.com and example.com") == true)
        #expect(remedy(".example.com")?.contains("write *.example.com") == true)
        #expect(remedy("*.com")?.contains("#! allow-public-suffix") == true)
        #expect(remedy("10.1.2.3/8")?.contains("write 10.0.0.0/8") == true)
        #expect(remedy("secret:word@host.example")?.contains("secret") == false)
    }

    @Test("The directive opens wildcards above a suffix") func publicSuffix() throws {
        #expect(try SiteRule(parsing: "*.com", allowingPublicSuffix: true).description == "*.com")
        for rule in ["*.localhost", "*.home.arpa", "*.local", "*.internal:8443"] {
            #expect(try SiteRule(parsing: rule).description == rule, "reserved, so no stranger has a name below it")
        }
        #expect(try SiteRule(parsing: "*.co.uk", allowingPublicSuffix: true).description == "*.co.uk")
        // Below an exception of the public suffix list, and below names that one owner has.
        for rule in ["*.example.com", "*.www.ck", "*.city.kawasaki.jp", "*.example.github.io", "!*.co.uk", "co.uk"] {
            #expect(try SiteRule(parsing: rule).description == rule)
        }
    }

    @Test("The length has a bound") func length() throws {
        let longest = "host.example/" + String(repeating: "a", count: SiteRule.maximumLength - 13)
        #expect(try SiteRule(parsing: longest).description == longest)
        let error = #expect(throws: SiteRuleError.self) { try SiteRule(parsing: longest + "a") }
        #expect(error?.reason == .tooLong)
    }

    @Test("No byte anywhere in a rule traps", arguments: UInt8.min...UInt8.max)
    func everyByte(byte: UInt8) {
        let templates = [
            "#", "!#", "#://host.example", "https:#/host.example", "https://#.example", "*#example.org", "*.#",
            "ho#st.example",
            "10.0.0.#", "10.0.0.0#8", "10.0.0.0/#", "10.0.0.0/8#", "[::#]", "[::1]#", "[::1]/#", "host.example#",
            "host.example:#", "host.example:8#", "host.example/#", "host.example/a#b", "host.example/%#",
            "host.example/%4#",
        ]
        for template in templates {
            let bytes = template.utf8.map { $0 == UInt8(ascii: "#") ? byte : $0 }
            let span = bytes.span
            guard let rule = try? SiteRule(parsing: span, allowingPublicSuffix: true) else { continue }
            // What is taken must be printable ASCII and mean the same when it is written out.
            #expect((0x21...0x7e).contains(byte))
            #expect(
                (try? SiteRule(parsing: rule.description, allowingPublicSuffix: true)) == rule,
                "\(template) \(byte)"
            )
        }
    }
}

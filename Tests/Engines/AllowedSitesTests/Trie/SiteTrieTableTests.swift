import Hostnames
import TestSupport
import Testing

@testable import AllowedSites

/// The rows of the rule table, and what went wrong elsewhere; each case is a list, a URL and the answer.
@Suite struct SiteTrieTableTests {
    typealias Case = (rules: [String], url: String, answer: String)

    private func check(_ row: Case) throws {
        let list = try SiteList(parsing: row.rules.joined(separator: "\n"), name: "table")
        #expect(word(SiteTrie(compiling: list).verdict(forURL: row.url)) == row.answer, "\(row.rules) \(row.url)")
    }

    private static let schemes: [Case] = [
        (["h.example"], "https://h.example/", "allowed 1"), (["h.example"], "http://h.example/", "otherScheme 1"),
        (["https://h.example"], "http://h.example/", "otherScheme 1"),
        (["http://h.example"], "http://h.example/", "allowed 1"),
        (["http://h.example"], "https://h.example/", "otherScheme 1"),
        (["*://h.example"], "https://h.example/", "allowed 1"),
        (["*://h.example"], "http://h.example/", "allowed 1"),
        (["*://h.example"], "http://h.example:443/", "otherPort 1"),
        (["*://h.example", "!h.example"], "http://h.example/", "exception 2"),
        (["*://h.example", "!http://h.example"], "http://h.example/", "exception 2"),
        (["*://h.example", "!http://h.example"], "https://h.example/", "allowed 1"),
    ]

    private static let hosts: [Case] = [
        (["h.example"], "https://h.example", "allowed 1"), (["h.example"], "https://a.h.example", "noRule"),
        (["h.example"], "https://example", "noRule"), (["*.h.example"], "https://a.h.example", "allowed 1"),
        (["*.h.example"], "https://c.b.a.h.example", "allowed 1"), (["*.h.example"], "https://h.example", "noRule"),
        (["192.0.2.1"], "https://192.0.2.1", "allowed 1"), (["192.0.2.1"], "https://192.0.2.2", "noRule"),
        (["[2001:db8::1]"], "https://[2001:DB8:0:0::0:1]", "allowed 1"), (["[::1]"], "https://[::2]", "noRule"),
        (["10.0.0.0/8"], "https://10.255.255.255", "allowed 1"), (["10.0.0.0/8"], "https://11.0.0.0", "noRule"),
        (["10.0.0.0/8"], "https://9.255.255.255", "noRule"), (["10.0.0.0/31"], "https://10.0.0.1", "allowed 1"),
        (["10.0.0.0/31"], "https://10.0.0.2", "noRule"), (["0.0.0.0/0"], "https://255.1.2.3", "allowed 1"),
        (["[2001:db8::]/32"], "https://[2001:db8:ffff::]", "allowed 1"),
        (["[2001:db8::]/32"], "https://[2001:db9::]", "noRule"),
        (["[2001:db8::]/33"], "https://[2001:db8:8000::]", "noRule"), (["[::]/0"], "https://[fe80::1]", "allowed 1"),
        (["[::]/0"], "https://10.0.0.1", "noRule"), (["0.0.0.0/0"], "https://[::1]", "noRule"),
        // The family counts: both are 96 zero bits and the same 32.
        (["[::a01:203]"], "https://10.1.2.3", "noRule"), (["10.1.2.3"], "https://[::a01:203]", "noRule"),
    ]

    private static let ports: [Case] = [
        (["h.example"], "https://h.example:443", "allowed 1"), (["h.example"], "https://h.example:8443", "otherPort 1"),
        (["h.example"], "https://h.example:80", "otherPort 1"),
        (["http://h.example"], "http://h.example:80", "allowed 1"),
        (["h.example:8443"], "https://h.example:8443", "allowed 1"),
        (["h.example:8443"], "https://h.example", "otherPort 1"),
        (["h.example:*"], "https://h.example:1", "allowed 1"), (["h.example:*"], "https://h.example", "allowed 1"),
        (["h.example:*"], "http://h.example:80", "otherScheme 1"),
        (["*://h.example:443"], "http://h.example:443", "allowed 1"),
        (["h.example:*", "!h.example:22"], "https://h.example:22", "exception 2"),
        (["h.example:*", "!h.example:22"], "https://h.example:23", "allowed 1"),
    ]

    private static let paths: [Case] = [
        (["h.example/app"], "https://h.example/app", "allowed 1"),
        (["h.example/app"], "https://h.example/app/x", "allowed 1"),
        (["h.example/app"], "https://h.example/app?q", "allowed 1"),
        (["h.example/app"], "https://h.example/apple", "otherPath 1"),
        (["h.example/app"], "https://h.example/", "otherPath 1"),
        (["h.example/app"], "https://h.example", "otherPath 1"),
        (["h.example/app"], "https://h.example/%61%70p/x", "allowed 1"),
        (["h.example/%61pp"], "https://h.example/app", "allowed 1"),
        (["h.example/path.to/ruin"], "https://h.example/path.to/ruins", "otherPath 1"),
        (["h.example/"], "https://h.example/anything/../at%2fall", "allowed 1"),
        (["h.example"], "https://h.example/anything/../at%2fall", "allowed 1"),
    ]

    /// Spellings that lead out of `/app` or into `/admin`, somewhere.
    private static let escapes = [
        "/app/../admin", "/app/%2e%2e/admin", "/app/%2E./admin", "/app/..%2fadmin", "/app/..%5cadmin",
        "/app%2f..%2fadmin",
        "/app/..;/admin", "/app/%252e%252e/admin", "/app/%c0%ae%c0%ae/admin", "//admin", "/app//admin", "/./admin",
        "/%2fadmin",
        "/app%00/admin", "/%5cadmin",
    ]

    private static let precedence: [Case] = [
        (
            ["*.example", "!*.a.example", "*.b.a.example", "!x.b.a.example"].withDirective, "https://z.example",
            "allowed 2"
        ),
        (
            ["*.example", "!*.a.example", "*.b.a.example", "!x.b.a.example"].withDirective, "https://z.a.example",
            "exception 3"
        ),
        (
            ["*.example", "!*.a.example", "*.b.a.example", "!x.b.a.example"].withDirective, "https://z.b.a.example",
            "allowed 4"
        ),
        (
            ["*.example", "!*.a.example", "*.b.a.example", "!x.b.a.example"].withDirective, "https://x.b.a.example",
            "exception 5"
        ),
        (
            ["*.example", "!*.a.example", "*.b.a.example", "!x.b.a.example"].withDirective, "https://b.a.example",
            "exception 3"
        ),
        (["10.0.0.0/8", "!10.1.0.0/16", "10.1.2.0/24", "!10.1.2.3"], "https://10.9.9.9", "allowed 1"),
        (["10.0.0.0/8", "!10.1.0.0/16", "10.1.2.0/24", "!10.1.2.3"], "https://10.1.9.9", "exception 2"),
        (["10.0.0.0/8", "!10.1.0.0/16", "10.1.2.0/24", "!10.1.2.3"], "https://10.1.2.9", "allowed 3"),
        (["10.0.0.0/8", "!10.1.0.0/16", "10.1.2.0/24", "!10.1.2.3"], "https://10.1.2.3", "exception 4"),
        (["h.example", "!h.example/a", "h.example/a/b"], "https://h.example/x", "allowed 1"),
        (["h.example", "!h.example/a", "h.example/a/b"], "https://h.example/a/x", "exception 2"),
        (["h.example", "!h.example/a", "h.example/a/b"], "https://h.example/a/b/x", "allowed 3"),
        (["h.example", "!h.example"], "https://h.example", "exception 2"),
        (["!h.example", "h.example"], "https://h.example", "exception 1"),
        (["!h.example/a", "h.example/a"], "https://h.example/a/b", "exception 1"),
        (["h.example/a", "!h.example/a/"], "https://h.example/a", "exception 2"),
    ]

    /// What happens where the most specific host has rules, and none of them fits.
    private static let handingOn: [Case] = [
        (["*.h.example", "w.h.example/public"], "https://w.h.example/private", "otherPath 2"),
        (["*.h.example", "w.h.example:8443"], "https://w.h.example", "otherPort 2"),
        (["*://*.h.example", "http://w.h.example"], "https://w.h.example", "otherScheme 2"),
        (["10.0.0.0/8", "10.1.0.0/16:8443"], "https://10.1.0.1", "otherPort 2"),
        (["*.h.example", "!d.h.example/admin"], "https://d.h.example/guide", "allowed 1"),
        (["*.h.example", "!d.h.example/admin"], "https://d.h.example/admin/x", "exception 2"),
        (["*.h.example", "!d.h.example/admin", "d.h.example/x"], "https://d.h.example/guide", "otherPath 3"),
        (["*://*.h.example:*", "!l.h.example"], "http://l.h.example:8080", "exception 2"),
        (["*://*.h.example:*", "!http://l.h.example"], "https://l.h.example", "allowed 1"),
        (["*://*.h.example:*", "!l.h.example:22"], "https://l.h.example", "allowed 1"),
        (["*.h.example", "!*.b.h.example/x", "!a.b.h.example/y"], "https://a.b.h.example/x", "exception 2"),
        (["*.h.example", "!*.b.h.example/x", "!a.b.h.example/y"], "https://a.b.h.example/z", "allowed 1"),
        (["!d.h.example/admin"], "https://d.h.example/guide", "otherPath 1"),
        (["*.h.example:8443", "!d.h.example/admin"], "https://d.h.example/guide", "otherPort 1"),
        (["10.0.0.0/8", "!10.0.0.1/admin"], "https://10.0.0.1/", "allowed 1"),
    ]

    /// What went wrong in other programs.
    private static let incidents: [Case] = [
        // CVE-2013-1944 and its kin: the tail of a name without a label boundary.
        (["h.example", "*.h.example"], "https://evilh.example", "noRule"), (["le.com"], "https://google.com", "noRule"),
        (["*.go.com"], "https://duckduckgo.com", "noRule"), (["h.example"], "https://h.example.evil.example", "noRule"),
        (["app1"], "https://app1-evil.example", "noRule"),
        // CVE-2018-1000007, CVE-2022-27774, CVE-2022-27776, CVE-2025-14524: port, scheme or protocol ignored.
        (["h.example"], "https://h.example:8443", "otherPort 1"), (["h.example"], "http://h.example", "otherScheme 1"),
        (["h.example"], "http://h.example:443", "otherScheme 1"), (["h.example"], "ftp://h.example", "invalid"),
        // CVE-2022-27779, CVE-2022-30115: a trailing dot.
        (["h.example"], "https://h.example./", "allowed 1"), (["h.example."], "https://h.example/", "allowed 1"),
        (["*.h.example", "!a.h.example"], "https://a.h.example./", "exception 2"),
        (["h.example"], "https://h.example../", "invalid"),
        // CVE-2023-46218: mixed case.
        (["*.H.Example", "!A.h.example"], "https://a.H.eXample/", "exception 2"),
        (["*.H.Example", "!A.h.example"], "HTTPS://B.h.EXAMPLE/", "allowed 1"),
        // CVE-2022-27780: a delimiter that appears when the host is decoded.
        (["h.example"], "https://h.example%2F10.0.0.1/", "invalid"),
        (["h.example"], "https://h.example%00.evil.example/", "invalid"),
        (["h.example"], "https://h%2eexample/", "invalid"),
        // CVE-2014-3613: an address taken for a name.
        (["*.0.2.a"], "https://192.0.2.1", "noRule"), (["192.0.2.1"], "https://x.192.0.2.1", "invalid"),
        (["2.1.a"], "https://192.0.2.1", "noRule"), (["127.0.0.1"], "https://127.0.0.1.example", "noRule"),
        (["127.0.0.1"], "https://0x7f.1", "invalid"), (["0.0.0.0/0"], "https://2130706433", "invalid"),
        (["!127.0.0.0/8", "[::]/0"], "https://[::ffff:127.0.0.1]", "invalid"),
        // CVE-2022-42916, CVE-2022-43551, and a known bypass of allow lists: other full stops.
        (["*.h.example"], "https://a\u{3002}h.example", "invalid"),
        (["*.h.example"], "https://evil.com\u{FF0E}h.example", "invalid"),
        (["*.h.example"], "https://evil.com\u{FF61}h.example", "invalid"),
        // CVE-2024-9681: a sub-domain that overwrites its parent.
        (["h.example", "!a.h.example"], "https://h.example", "allowed 1"),
        // Empty labels, controls and literal wildcards, which other matchers let through.
        (["*.many.example"], "https://a..many.example", "invalid"),
        (["*.many.example"], "https://.many.example", "invalid"),
        (["*.one.example"], "https://*.one.example", "invalid"),
        (["both.example"], "https://\nboth.example", "invalid"),
        // A user that looks like a host.
        (["good.example"], "https://good.example@evil.example", "invalid"),
        (["good.example"], "https://good.example:443@evil.example", "invalid"),
        (["good.example"], "https://good.example\\@evil.example", "invalid"),
        (["good.example"], "https://evil.example/@good.example", "noRule"),
        (["good.example"], "https://evil.example#@good.example", "noRule"),
        (["good.example"], "https://evil.example?https://good.example", "noRule"),
        (["[fe80::1]"], "https://[fe80::1%25eth0]", "invalid"),
    ]

    @Test("Schemes") func schemeRows() throws { try Self.schemes.forEach(check) }
    @Test("Hosts", .row(6)) func hostRows() throws { try Self.hosts.forEach(check) }
    @Test("Ports") func portRows() throws { try Self.ports.forEach(check) }
    @Test("Paths") func pathRows() throws { try Self.paths.forEach(check) }
    @Test("Precedence") func precedenceRows() throws { try Self.precedence.forEach(check) }
    @Test("Where the most specific host does not fit") func handingOnRows() throws { try Self.handingOn.forEach(check) }
    @Test("What went wrong elsewhere", .row(6, 79)) func incidentRows() throws { try Self.incidents.forEach(check) }

    @Test("No spelling leads out of an allowed path", arguments: escapes)
    func noWayOut(path: String) throws {
        #expect(word(try trie("h.example/app").verdict(forURL: "https://h.example\(path)")) == "uncertainPath 1")
        let origin = try Origin(parsing: "https://h.example")
        #expect(word(try trie("h.example/app").verdict(for: origin, path: "/app\\..\\admin")) == "uncertainPath 1")
    }

    @Test(
        "No spelling leads into an excepted path",
        arguments: escapes + ["/admin;x", "/admin;x/y", "/%61dmin", "/admin?q", "/admin/"]
    )
    func noWayIn(path: String) throws {
        #expect(
            word(try trie("h.example", "!h.example/admin").verdict(forURL: "https://h.example\(path)")) == "exception 2"
        )
        #expect(
            word(try trie("*.example.org", "!h.example.org/admin").verdict(forURL: "https://h.example.org\(path)"))
                == "exception 2"
        )
        let origin = try Origin(parsing: "https://h.example")
        #expect(
            word(try trie("h.example", "!h.example/admin").verdict(for: origin, path: "/x\\..\\admin")) == "exception 2"
        )
        #expect(word(try trie("h.example", "!h.example/admin").verdict(for: origin, path: "admin")) == "exception 2")
    }

    @Test("An empty path is the root") func emptyPath() throws {
        let origin = try Origin(parsing: "https://h.example")
        #expect(word(try trie("h.example").verdict(for: origin, path: "")) == "allowed 1")
        #expect(word(try trie("h.example", "!h.example/a").verdict(for: origin, path: "")) == "allowed 1")
        #expect(word(try trie("h.example", "!h.example/a").verdict(for: origin, path: "?q=/a")) == "allowed 1")
        #expect(word(try trie("h.example/a").verdict(for: origin, path: "")) == "otherPath 1")
    }

    @Test("No byte in the host of a URL says yes or traps", arguments: UInt8.min...UInt8.max)
    func everyByte(byte: UInt8) throws {
        let url = "https://a" + String(decoding: [byte], as: UTF8.self) + "b.example/"
        let verdict = try trie("*.b.example").verdict(forURL: url)
        #expect(verdict.isAllowed == (byte == UInt8(ascii: ".")), "\(byte)")
    }

    @Test("Verdicts describe themselves in one line") func descriptions() throws {
        let rule = RuleReference(line: 7, position: 0)
        let verdicts: [SiteVerdict] = [
            .allowed(rule), .denied(.exception(rule)), .denied(.otherScheme(nearest: rule)),
            .denied(.otherPort(nearest: rule)),
            .denied(.otherPath(nearest: rule)), .denied(.uncertainPath(nearest: rule)),
        ]
        for verdict in verdicts {
            #expect(verdict.rule == rule)
            #expect(verdict.description.contains("line 7"))
        }
        #expect(Set(verdicts.map(\.description)).count == verdicts.count)
        #expect(verdicts.filter(\.isAllowed) == [.allowed(rule)])
        #expect(SiteVerdict.denied(.noRule).rule == nil)
        #expect(SiteVerdict.invalid(.tooLong(length: 1)).description.hasPrefix("invalid: "))
    }
}

extension [String] {
    /// The same rules behind the directive, so their lines begin at 2.
    fileprivate var withDirective: [String] { ["#! allow-public-suffix"] + self }
}

import Hostnames
import Testing

@testable import AllowedSites

@Suite struct LenientListTests {
    private func lenient(_ text: String) throws(SiteListError) -> SiteList {
        let bytes = [UInt8](text.utf8)
        let span = bytes.span
        return try SiteList(parsing: span, name: "lenient", leavingOutBadLines: true)
    }

    @Test("The good lines are there, the bad ones are named") func good() throws {
        let list = try lenient(
            """
            a.example
            *b.example
            *.com
            !*.c.example
            10.0.0.1/8 # oh!
            *.d.example:8443/x
            e f
            #! allow-everything
            192.0.2.1
            """.replacing("oh!", with: "oh")
        )
        #expect(list.entries.map(\.line) == [1, 4, 6, 9])
        #expect(
            list.entries.map(\.rule.description) == ["a.example", "!*.c.example", "*.d.example:8443/x", "192.0.2.1"]
        )
        #expect(list.leftOut.listed.map(\.line) == [2, 3, 5, 7, 8])
        #expect(list.leftOut.count == 5)
    }

    @Test("Nothing is left out of a good list") func nothing() throws {
        #expect(try lenient("a.example\n#! allow-public-suffix\n*.com").leftOut.isEmpty)
    }

    @Test(
        "A bad line that may be an exception is never left out",
        arguments: [
            "!*example.com", "!host.*", " !", "!\u{FEFF}a.example", "\u{FEFF}!a.example", "a.example !b.example",
            "!a\u{0}b", "\u{FF01}a.example", "\u{FE57}a.example", "a.example \u{FE15}b.example", "\u{203C}a.example",
            "\u{2048}a", "a.example b\u{2049}",
            "\u{1C3}a.example", "a..b\u{1C3}", "\u{2757}a.example",
            "! host.example",
            "# x\r!a.example", "\t!a..b", "!" + String(repeating: "a", count: SiteList.maximumLineLength),
        ]
    )
    func exceptions(line: String) throws {
        let error = #expect(throws: SiteListError.self) { try lenient("good.example\n\(line)\n*") }
        guard case .badExceptions(let problems)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.listed.map(\.line) == [2])
        #expect(error?.description.contains("\n") == false)
    }

    @Test(
        "A bad line about a host that a wider rule allows is never left out",
        arguments: [
            "wiki.acme.example/public*", "hr.acme.example:65536", "pay.acme.example/pay;v=1", "*.x.acme.example/y?z",
            "WIKI.ACME.EXAMPLE./a//b", "https:/wiki.acme.example", "u@wiki.acme.example", "a.b.c_..acme.example/x",
            "good.example wiki.acme.example:8443", "*wiki.acme.example", "10.1.2.3:0", "10.1.0.0/33", "10.0.0.1-50",
            "[2001:db8:5::1]/app/../x", "2001:db8:5::1", "[2001:db8:5::]/129", "0x0a010203/%zz", "010.1.2.3:8443",
            "[2001:db8:1::/48]", "[2001:db8:1::5/128]:8443", "2001:db8:1:0:0:0:0:5:8443", "2001:db8:1::5,",
            "(2001:db8:1::5)",
            "2001:db8:1::5-9", "[2001:db8:1::*]", "https://admin@2001:db8:1::5", "wiki.acme.example*/public",
            "wiki.acme.*/public",
            "wiki.acme.example\u{A0}/public", "wiki.acme.example\u{FF0F}public", "wiki%2eacme.example/public",
            "{wiki.acme.example}", "^wiki\\.acme\\.example$", "wiki.acme.example\u{2192} only", "167838211/public*",
            "012000401003",
            "~10.1.2.3", "_10.1.2.3", "10,1,2,3", String(repeating: " ", count: 66_000) + "wiki.acme.example/x",

            "wiki.acme.example\u{0}",
        ]
    )
    func narrowings(line: String) throws {
        let wide = "*.acme.example\n10.0.0.0/8\n[2001:db8::]/32\nalone.example"
        let error = #expect(throws: SiteListError.self) { try lenient("\(line)\n\(wide)\n*bad") }
        guard case .badNarrowings(let problems)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.listed.map(\.line) == [1])
        #expect(error?.description.contains("\n") == false)
        // Without the wider rules it can be left out.
        #expect(try lenient("\(line)\nalone.example").leftOut.listed.map(\.line) == [1])
    }

    @Test(
        "A bad line about another host is left out",
        arguments: [
            "*acme.example", "acme.example/x;y", "xacme.example:0", "example/a//b", "alone.example/x*", "11.0.0.0/33",
            "[2001:db9::1",
            "*.acme.example/x*", "#! nothing of wiki.acme.example",
            "host..example", "some words", "ftp://host.example", "u@host.example", ":443", "*.com",

        ]
    )
    func others(line: String) throws {
        let wide = "*.acme.example\n10.0.0.0/8\n[2001:db8::]/32\nalone.example"
        #expect(try lenient("\(line)\n\(wide)").leftOut.listed.map(\.line) == [1])
    }

    @Test("A wildcard above a public suffix may narrow another one") func narrowingSuffix() throws {
        let lines = "*://*.amazonaws.com:*\n*.s3.amazonaws.com/public"
        #expect(throws: SiteListError.self) { try lenient(lines) }
        #expect(try lenient("#! allow-public-suffix\n\(lines)").count == 2)
    }

    @Test("A comment may hold a mark", arguments: ["#!allow", "  # hé!\u{FF01}\u{0}"]) func comments(line: String)
        throws
    {
        #expect(try lenient("good.example\n\(line)\n").leftOut.listed.map(\.line) == [2])
    }

    @Test("Bounds hold for lenient readers too") func bounds() {
        let bytes = [UInt8]("a\nb\n".utf8)
        let span = bytes.span
        #expect(throws: SiteListError.tooManyLines(limit: 1)) {
            try SiteList(parsing: span, name: "x", leavingOutBadLines: true, limits: .init(bytes: 10, lines: 1))
        }
    }
}

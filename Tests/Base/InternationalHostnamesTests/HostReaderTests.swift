import AllowedSites
import Hostnames
import InternationalHostnames
import Testing

@Suite struct HostReaderTests {
    @Test(
        "What ASCII form a name has",
        arguments: [
            // UTS #46 section 4.1.1 and table 1: deviation characters stay themselves in non-transitional processing.
            ("faß.example", "xn--fa-hia.example"), ("Bücher.Example.", "xn--bcher-kva.example"),
            ("βόλος.com", "xn--nxasmm1c.com"), ("نامه\u{200C}ای.com", "xn--mgba3gch31f060k.com"),
            // Mapped: case, width, full stops, ligatures, ignored characters.
            ("ＡＢＣ。example", "abc.example"), ("\u{212A}ey.example", "key.example"), ("ﬁ.example", "fi.example"),
            ("ho\u{AD}st.example", "host.example"), ("a\u{FF0E}b\u{3002}c\u{FF61}", "a.b.c"),
            // A-labels that are right stay, in either case.
            ("XN--BCHER-KVA.example", "xn--bcher-kva.example"), ("xn--fa-hia.example", "xn--fa-hia.example"),
            ("a.xn--p1ai.", "a.xn--p1ai"),
            // ASCII is read as ever.
            ("WWW.Host.Example", "www.host.example"), ("a--b.example", "a--b.example"), ("192.0.2.1", "192.0.2.1"),
            ("[::1]", "[::1]"),
            // WHATWG URL: what the mapping makes is parsed for addresses.
            ("１９２.0.２.1", "192.0.2.1"),
        ]
    )
    func asciiForm(text: String, canonical: String) throws {
        #expect(try Hostname(international: text) == Hostname(parsing: canonical))
    }

    @Test(
        "Names without one ASCII form are refused",
        arguments: [
            // Joiners without context, a bidirectional mixture, disallowed and unassigned characters.
            "a\u{200D}b.example", "\u{5D0}a.example", "a\u{FFFD}.example", "\u{E000}.example", "\u{0378}.example",
            // A combining mark first, empty labels, mappings to delimiters or spaces.
            "\u{300}a.example", "ü..example", "。", "\u{2048}.example", "\u{2100}.example", "\u{FDFA}.example",
            "ü\u{FF05}41",
            "ü\u{FF20}evil.example", "ü\u{FF1A}80", "ü\u{FF0F}x",
            // A-labels that are not names (RFC 5891 4.2.3.1): nothing, bad Punycode, ASCII inside, not mapped.
            "xn--.example", "xn--a.example", "xn--abc-.example", "xn--bcher-KVA8.example", "xn--BCHER-kva8.example",
            // An A-label of a capital letter: "Bücher" is not what it would be encoded from.
            "xn--Bcher-kva\u{301}",
            // Hyphens at the ends, or in third and fourth place.
            "-ü.example", "ü-.example", "ab--ü.example",
            // Odd IPv4 addresses, too long names.
            "１２７.1", "0x7f。1", String(repeating: "ü", count: 300),
        ]
    )
    func refused(text: String) {
        #expect(throws: HostnameError.self) { try Hostname(international: text) }
    }

    @Test("ASCII that no name may hold is refused before anything is mapped") func delimiters() {
        for byte in UInt8(0)..<0x80 {
            let text = "ü" + String(UnicodeScalar(byte)) + "x"
            let isTaken = (try? Hostname(international: text)) != nil
            let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.".utf8)
            #expect(isTaken == letters.contains(byte), "\(byte)")
        }
        #expect(throws: HostnameError.forbiddenByte(0x2f, offset: 2)) { try Hostname(international: "ü/x") }
        #expect(throws: HostnameError.percentEscape(offset: 2)) { try Hostname(international: "ü%2e") }
    }

    @Test("Origins, URLs and rules take the reader") func everywhere() throws {
        let origin = try Origin(parsing: "https://bücher.example:8443", hosts: .international)
        #expect(origin.description == "https://xn--bcher-kva.example:8443")
        let location = try URLLocation(parsing: "https://bücher.example/x", hosts: .international)
        #expect(location.description == "https://xn--bcher-kva.example/x")
        let rule = try SiteRule(parsing: "!http://*.bücher.example:*/x", hosts: .international)
        #expect(rule.description == "!http://*.xn--bcher-kva.example/x")
        #expect(throws: URLLocationError.origin(.host(.nonASCII(offset: 9)))) {
            try URLLocation(parsing: "https://bücher.example/x")
        }
    }

    @Test("A list with international names") func list() throws {
        let bytes =
            [UInt8]("bücher.example/x # ä\nxn--bcher-kva.example\na.example\n*.рф\nxn--a.example\n*.b".utf8) + [0xfc]
        let span = bytes.span
        let list = try SiteList(parsing: span, name: "list", leavingOutBadLines: true, hosts: .international)
        #expect(list.count == 3)
        let problems = list.leftOut.listed
        #expect(problems.map(\.line) == [4, 5, 6])
        #expect(
            problems.map(\.reason) == [
                .rule(.wildcardAbovePublicSuffix("xn--p1ai")), .rule(.host(.unmappable(offset: 0))), .invalidUTF8,
            ]
        )
        #expect(SiteTrie(compiling: list).verdict(forURL: "https://xn--bcher-kva.example/x").isAllowed)
        // An unreadable host may be one below a wildcard of the list.
        let wide = [UInt8]("*.bücher.example\n".utf8)
        for line in [Array("wiki.bücher.example/x*".utf8), Array("xn--a.bücher.example".utf8), [0x62, 0xfc]] {
            let bytes = wide + line
            let span = bytes.span
            #expect(throws: SiteListError.self, "\(line)") {
                try SiteList(parsing: span, name: "list", leavingOutBadLines: true, hosts: .international)
            }
        }
    }
}

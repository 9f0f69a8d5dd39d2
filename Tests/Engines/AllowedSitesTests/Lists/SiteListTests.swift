import Hostnames
import Testing

@testable import AllowedSites

@Suite struct SiteListTests {
    @Test("Comments, blank lines and line ends") func layout() throws {
        let text =
            "\u{FEFF}# a list \u{2014} of sites\r\n\r\n  host.example  # why\r\n\t*.host.example\t#not\n#\n \t \na.example"
        let list = try SiteList(parsing: text, name: "sites.txt")
        #expect(list.name == "sites.txt")
        #expect(list.count == 3)
        #expect(list.entries.map(\.line) == [3, 4, 7])
        #expect(list.entries.map(\.rule.description) == ["host.example", "*.host.example", "a.example"])
    }

    @Test("An empty text is a list without rules", arguments: ["", "\n", "\r\n\n", "# x", "\u{FEFF}"])
    func empty(text: String) throws {
        #expect(try SiteList(parsing: text, name: "empty").count == 0)
    }

    @Test("Every bad line is named") func everyBadLine() {
        let text = """
            host.example
              *example.com
            good.example # fine
            *.com
            a.example b.example
            #! allow-everything
            #!
            a.example#c
            host.example/\u{9}x\r
              ! host.example
            !10.0.0.1-50
            """
        let expected: [SiteListProblem] = [
            .init(line: 2, column: 3, reason: .rule(.wildcardWithoutDot(host: "example.com"))),
            .init(line: 4, column: 1, reason: .rule(.wildcardAbovePublicSuffix("com"))),
            .init(line: 5, column: 11, reason: .textAfterRule),
            .init(line: 6, column: 1, reason: .unknownDirective),
            .init(line: 7, column: 1, reason: .unknownDirective),
            .init(line: 8, column: 10, reason: .rule(.host(.forbiddenByte(0x23, offset: 9)))),
            .init(line: 9, column: 15, reason: .textAfterRule),
            .init(line: 10, column: 4, reason: .blankBehindMark),
            .init(line: 11, column: 2, reason: .rule(.addressRange)),
        ]
        let error = #expect(throws: SiteListError.self) { try SiteList(parsing: text, name: "bad") }
        guard case .badLines(let problems)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.listed == expected)
        #expect(problems.count == expected.count)
        #expect(error?.description.hasPrefix("line 2, column 3: ") == true)
        #expect(error?.description.hasSuffix("(and 8 more)") == true)
        for problem in expected {
            #expect(problem.description.hasPrefix("line \(problem.line), column \(problem.column): "))
            #expect(!problem.description.contains("\n"))
        }
    }

    @Test("The directive may be on any line, and allows only public suffixes") func directive() throws {
        let rule = "*.com"
        for text in [
            "#! allow-public-suffix\n\(rule)", "\(rule)\n#!allow-public-suffix",
            "\(rule)\n  #!\tallow-public-suffix  \r\n",
        ] {
            #expect(try SiteList(parsing: text, name: "open").entries.map(\.rule.description) == [rule])
        }
        let problem = SiteListProblem(line: 2, column: 1, reason: .rule(.bareWildcard))
        #expect(throws: SiteListError.badLines(.init([problem]))) {
            try SiteList(parsing: "#! allow-public-suffix\n*\n*.com", name: "bad")
        }
        for directive in ["# ! allow-public-suffix", "# allow-public-suffix", "## allow-public-suffix"] {
            #expect(throws: SiteListError.self) { try SiteList(parsing: "\(directive)\n*.com", name: "closed") }
        }
    }

    @Test(
        "Bytes that are not text give one error",
        arguments: [
            ("a.example\rb.example", 10, SiteListProblem.Reason.loneCarriageReturn),
            ("# a\rb.example", 4, .loneCarriageReturn), ("a.example\r\r", 10, .loneCarriageReturn),
            ("a.\u{0}example", 3, .nul), ("# \u{0}", 3, .nul),
        ]
    )
    func badText(text: String, column: Int, reason: SiteListProblem.Reason) {
        let problem = SiteListProblem(line: 2, column: column, reason: reason)
        #expect(throws: SiteListError.badLines(.init([problem]))) {
            try SiteList(parsing: "good.example\n\(text)\nb.example", name: "bad")
        }
    }

    @Test(
        "Bytes that are not UTF-8 have one error a line, in comments too",
        arguments: [
            // RFC 3629 3: a stray continuation, a cut sequence, an over-long one, a surrogate, one past U+10FFFF.
            ([0x80], 0), ([0x61, 0xc3], 1), ([0xc0, 0xaf], 0), ([0xed, 0xa0, 0x80], 0), ([0xf4, 0x90, 0x80, 0x80], 0),
            ([0xc3, 0xa4, 0xe4, 0x20], 2), ([0x23, 0x20, 0xfc], 2),
        ] as [([UInt8], Int)]
    )
    func badUTF8(bytes: [UInt8], offset: Int) {
        let text = Array("a.example\n".utf8) + bytes + Array("\n".utf8)
        let span = text.span
        let problem = SiteListProblem(line: 2, column: offset + 1, reason: .invalidUTF8)
        #expect(throws: SiteListError.badLines(.init([problem]))) { try SiteList(parsing: span, name: "bad") }
    }

    @Test("UTF-16 is one error, not one a line", arguments: [[0xff, 0xfe], [0xfe, 0xff]] as [[UInt8]])
    func utf16(mark: [UInt8]) {
        let text = mark + [0x61, 0, 0x0a, 0, 0x62, 0]
        let span = text.span
        #expect(throws: SiteListError.utf16) { try SiteList(parsing: span, name: "bad") }
    }

    @Test("A line has a bound") func lineLength() throws {
        let longest = "a.example #" + String(repeating: "x", count: SiteList.maximumLineLength - 11)
        #expect(try SiteList(parsing: longest, name: "long").count == 1)
        let problem = SiteListProblem(line: 1, column: SiteList.maximumLineLength + 1, reason: .tooLong)
        #expect(throws: SiteListError.badLines(.init([problem]))) { try SiteList(parsing: longest + "x", name: "long") }
    }

    @Test("The errors of a file that is not a list are bounded") func manyProblems() {
        let text = String(repeating: "*\n*.com\n", count: 3000)
        let error = #expect(throws: SiteListError.self) { try SiteList(parsing: text, name: "bad") }
        guard case .badLines(let problems)? = error else {
            Issue.record("no bad lines")
            return
        }
        #expect(problems.count == 6000)
        #expect(problems.listed.map(\.line) == Array(1...SiteListProblems.maximumListed))
        #expect(problems.description.hasSuffix("\nand 5000 more bad lines"))
        #expect(error?.description.hasSuffix("(and 5999 more)") == true)
    }

    @Test("Bytes and lines have bounds") func bounds() throws {
        let limits = SiteList.Limits(bytes: 21, lines: 3)
        #expect(try SiteList(parsing: "a.example\n\nb.example\n", name: "x", limits: limits).count == 2)
        #expect(throws: SiteListError.tooManyBytes(limit: 21)) {
            try SiteList(parsing: "a.example\n\nbb.example\n", name: "x", limits: limits)
        }
        #expect(throws: SiteListError.tooManyLines(limit: 3)) {
            try SiteList(parsing: "a\n\n\nb", name: "x", limits: limits)
        }
        #expect(SiteListError.tooManyBytes(limit: 21).description.contains("21"))
        #expect(SiteListError.tooManyLines(limit: 3).description.contains("3"))
        #expect(SiteList.Limits.standard.bytes == 1 << 30 && SiteList.Limits.standard.lines == 1 << 24)
    }

    @Test("No byte in a list traps", arguments: UInt8.min...UInt8.max)
    func everyByte(byte: UInt8) {
        let text =
            "a.example\n" + String(decoding: [byte], as: UTF8.self) + "\nb" + String(decoding: [byte], as: UTF8.self)
            + "c"
        let list = try? SiteList(parsing: text, name: "byte")
        let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_ \t\n#.:/0123456789!*\r".utf8)
        if list != nil { #expect(letters.contains(byte)) }
    }
}

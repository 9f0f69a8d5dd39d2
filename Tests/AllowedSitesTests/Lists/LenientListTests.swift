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

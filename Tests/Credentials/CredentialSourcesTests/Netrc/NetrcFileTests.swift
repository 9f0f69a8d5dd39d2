import CredentialSources
import Hostnames
import Testing

@Suite struct NetrcFileTests {
    private func parse(_ text: String) throws -> NetrcFile { try parse([UInt8](text.utf8)) }

    private func parse(_ bytes: [UInt8]) throws(NetrcError) -> NetrcFile {
        try NetrcFile(parsing: bytes.span, file: "netrc")
    }

    private func answer(_ text: String, _ host: String, user: String? = nil) throws -> [String?]? {
        let entry = try parse(text).entry(for: try Hostname(parsing: host), user: user)
        return entry.map { [$0.login, $0.password?.text] }
    }

    @Test("The example of the GNU manual is read") func manual() throws {
        let text = "machine ray login demo password mypassword\nmachine other.example login a password b\n"
        #expect(try answer(text, "ray") == ["demo", "mypassword"])
        #expect(try answer(text, "OTHER.example.") == ["a", "b"])
        #expect(try answer(text, "third.example") == nil)
    }

    @Test("The default entry answers for other hosts") func defaultEntry() throws {
        let text = "machine a.example login a password b\ndefault login guest password g"
        #expect(try answer(text, "b.example") == ["guest", "g"])
        #expect(try answer(text, "a.example") == ["a", "b"])
        // A host with an entry for another user gets the default one if that user is asked for.
        #expect(try answer(text, "a.example", user: "guest") == ["guest", "g"])
        #expect(try answer(text, "a.example", user: "x") == nil)
    }

    @Test("A host may have several users; without a name the first one with a password answers") func users() throws {
        let text = """
            machine a.example login one
            machine a.example login two password 2
            machine a.example login three password 3
            machine b.example password nameless
            """
        #expect(try answer(text, "a.example") == ["two", "2"])
        #expect(try answer(text, "a.example", user: "three") == ["three", "3"])
        #expect(try answer(text, "a.example", user: "one") == nil)
        #expect(try answer(text, "b.example") == nil)
        #expect(try answer(text, "b.example", user: "u") == [nil, "nameless"])
    }

    @Test("Quotes, escapes, comments, macros, accounts and lines of Windows") func forms() throws {
        let text = """
            # a comment
            MACHINE a.example Login "two words" # another: machine x
              password "a\\"b\\\\c\\nd\\te"\taccount x
            macdef init
            machine evil.example login a password b

            machine b.example login ACME\\jdoe password p"q#r
            machine c.example login "" password ""\r
            machine "d.example"\tlogin "#1" password "machine"
            """
        #expect(try answer(text, "a.example") == ["two words", "a\"b\\c\nd\te"])
        #expect(try answer(text, "b.example") == [#"ACME\jdoe"#, "p\"q#r"])
        #expect(try answer(text, "c.example") == ["", ""])
        #expect(try answer(text, "d.example") == ["#1", "machine"])
        #expect(try answer(text, "evil.example") == nil)
        #expect(try parse("").entries.isEmpty && parse("# only\n\n").entries.isEmpty)
    }

    @Test("A name that is no host is read, and answers for none") func otherNames() throws {
        let file = try parse("machine a:8080 login a password b\nmachine https://b.example login a password b")
        #expect(file.entries.map(\.machine) == ["a:8080", "https://b.example"])
        #expect(file.entries.allSatisfy { $0.host == nil })
    }

    @Test(
        "What programs read in different ways is refused, with its line",
        arguments: [
            ("\nmachine a.example login jdoe password my Secret1", 2, .unknownWord),
            ("machine a.example port 25", 1, .unknownWord),
            ("\"machine\" a.example", 1, .unknownWord),
            ("login jdoe", 1, .outsideEntry(.login)),
            ("machine", 1, .valueMissing(.machine)),
            ("machine a.example login jdoe password\nSecret1", 1, .valueMissing(.password)),
            ("machine a.example login jdoe password # Secret1", 1, .numberSign),
            ("machine a.example login #jdoe", 1, .numberSign),
            ("machine a.example login a\nlogin b", 2, .repeated(.login)),
            ("machine a.example password a account b password c", 1, .repeated(.password)),
            ("machine a.example login a\n\nmachine A.example. login a password Secret1", 3, .repeatedEntry(line: 1)),
            ("default login a password b\nmachine a.example", 2, .afterDefault(line: 1)),
            ("default\ndefault", 2, .afterDefault(line: 1)),
            ("machine \"\" login a", 1, .emptyMachine),
            ("machine a.example password \"Secret1\nx\"", 1, .openQuote),
            ("machine a.example password \"Secret1", 1, .openQuote),
            ("machine a.example password \"Secret1\\\"", 1, .openQuote),
            ("machine a.example password \"Secret1\\", 1, .openQuote),
            ("machine a.example password \"Secret1\\\n\"", 1, .openQuote),
            ("machine a.example password \"Secret1\"x", 1, .textAfterQuote),
            ("macdef init\ncd /\n", 1, .openMacro),
            ("macdef init\ncd /", 1, .openMacro),
            ("macdef\ninit\n\n", 1, .valueMissing(.macdef)),
            ("\nmachine a.example password Secret1\u{0}x", 2, .controlCharacter),
            ("machine a.example password Secret1\u{B}x", 1, .controlCharacter),
            ("machine a.example\rlogin a", 1, .controlCharacter),
            ("\u{FEFF}machine a.example", 1, .unknownWord),
        ] as [(String, Int, NetrcError.Problem)]
    )
    func refused(text: String, line: Int, problem: NetrcError.Problem) {
        let expected = NetrcError(file: "netrc", line: line, problem: problem)
        #expect(throws: expected) { try parse(text) }
        #expect(expected.description.hasPrefix("netrc:\(line): ") && !expected.description.contains("Secret1"))
    }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [[0xE9], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5], [0xC3]]
    )
    func notUTF8(bytes: [UInt8]) {
        let text = [UInt8]("\nmachine a.example password x".utf8) + bytes
        #expect(throws: NetrcError(file: "netrc", line: 2, problem: .notUTF8)) { try parse(text) }
    }

    @Test("Files of PowerShell and compressed files are named") func otherForms() throws {
        let wide: [UInt8] = [0xff, 0xfe] + "machine a.example".utf8.flatMap { [$0, 0] }
        for (bytes, word) in [(wide, "UTF-16"), ([0x1f, 0x8b, 8, 0], "gunzip")] {
            do throws(NetrcError) {
                _ = try parse(bytes)
                Issue.record("\(word) was read")
            } catch {
                #expect(error.description.hasPrefix("netrc: this is ") && error.description.contains(word))
            }
        }
    }

    @Test("Every UTF-8 scalar is taken") func scalars() throws {
        for value in [0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0x10000, 0x10FFFF] as [UInt32] {
            let scalar = try #require(Unicode.Scalar(value))
            let text = "machine a.example login a password \(String(scalar))"
            #expect(try answer(text, "a.example") == ["a", String(scalar)])
        }
    }

    @Test("Each bound is kept") func bounds() throws {
        let word = String(repeating: "x", count: NetrcLimits.wordBytes)
        #expect(try answer("machine a.example login a password \(word)", "a.example") == ["a", word])
        for value in ["\(word)x", "\"\(word)x\""] {
            let expected = NetrcError(file: "netrc", line: 1, problem: .wordTooLong)
            #expect(throws: expected) { try parse("machine a.example password \(value)") }
        }
        let entries = (0..<NetrcLimits.entries).map { "machine h\($0)\n" }.joined()
        #expect(try parse(entries).entries.count == NetrcLimits.entries)
        let tooMany = NetrcError(file: "netrc", line: NetrcLimits.entries + 1, problem: .tooManyEntries)
        #expect(throws: tooMany) { try parse(entries + "machine last") }
        #expect(try parse(String(repeating: "\n", count: NetrcLimits.fileBytes)).entries.isEmpty)
        #expect(throws: NetrcError(file: "netrc", problem: .fileTooLong)) {
            try parse(String(repeating: "\n", count: NetrcLimits.fileBytes + 1))
        }
    }
}

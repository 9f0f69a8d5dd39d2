import Foundation
import Secrets
import TestSupport
import Testing

@testable import OAuth

@Suite struct JSONMembersTests {
    private func read(_ text: String) throws(TokenServiceError) -> JSONMembers {
        try JSONMembers(SharedSecret(utf8: text))
    }

    @Test("Members of each kind") func kinds() throws {
        let members = try read(
            #" { "a" : "x\ty\u00e9\ud83d\ude00\/" , "n":3600,"q":"12","f":7.0,"g":7.5,"t":true,"z":null,"l":["p",1,"q"],"o":{"in":{"deep":[{}]},"s":"y"} } "#
        )
        #expect(members.string("a") == "x\tyé😀/")
        #expect(secretText(members.secret("a")) == "x\tyé😀/")
        #expect(members.integer("n") == 3600)
        #expect(members.integer("q") == 12)
        #expect(members.integer("f") == 7)
        #expect(members.integer("g") == 7)
        #expect(members.boolean("t") == true)
        #expect(members.boolean("n") == nil)
        #expect(members.string("n") == nil)
        #expect(members.string("z") == nil)
        #expect(!members.contains("z") && !members.contains("y"))
        #expect(members.strings("l") == ["p", "q"])
        #expect(members.object("o")?.string("s") == "y")
        #expect(members.object("l") == nil && members.strings("o") == nil)
    }

    /// RFC 8259 section 6: a number may have a fraction and an exponent. The values are those of Python's `int(json.loads(text))`.
    @Test(
        "A number is one number, however it is written",
        arguments: [
            ("3600", Int64(3600)), ("3600.0", 3600), ("3.6e3", 3600), ("36E2", 3600), ("3.6e+3", 3600),
            ("36000e-1", 3600),
            ("3600.9", 3600), ("-0.5", 0), ("-3.6e3", -3600), ("1e-400", 0),
            ("9007199254740993", 9_007_199_254_740_993),
            ("1e400", nil), ("1e19", nil), ("99999999999999999999", nil), (#""3600""#, 3600), (#""3.6e3""#, 3600),
            (#""3600.0""#, 3600), (#""0x10""#, nil), (#""nan""#, nil), (#""inf""#, nil), (#""1 0""#, nil),
            (#""e""#, nil),
            ("true", nil), ("[1]", nil),
        ] as [(String, Int64?)]
    )
    func numbers(text: String, value: Int64?) throws {
        let members = try JSONMembers(SharedSecret(utf8: #"{"n": \#(text)}"#))
        #expect(members.integer("n") == value)
    }

    @Test(
        "What is no object, and a repeated name, are errors",
        arguments: [
            "", "[]", "1", "{", #"{"a":1,"a":2}"#, #"{"a":1} x"#, "{'a':1}", #"{"a":"\x"}"#, "\u{FEFF}\u{FEFF}{}",
        ]
    )
    func malformed(text: String) {
        #expect(throws: TokenServiceError.self) { try read(text) }
    }

    @Test("One byte order mark is ignored") func mark() throws {
        let members = try read("\u{FEFF} {\"a\":\"x\\ny\",\"o\":{\"s\":\"t\"},\"l\":[\"p\"],\"n\":7}")
        #expect(secretText(members.secret("a")) == "x\ny" && members.integer("n") == 7)
        #expect(members.object("o")?.string("s") == "t" && members.strings("l") == ["p"])
    }

    @Test("Agrees with Foundation's reader", arguments: UInt64(1)...200)
    func agreement(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let object = Self.object(&random, depth: 3)
        let data = try JSONSerialization.data(withJSONObject: object, options: seed % 2 == 0 ? [.prettyPrinted] : [])
        let members = try read(String(decoding: data, as: UTF8.self))
        try Self.compare(members, object)
    }

    private static func compare(_ members: JSONMembers, _ object: [String: Any]) throws {
        for (name, value) in object {
            switch value {
            // An empty text is absent.
            case let text as String: #expect(members.string(name) == (text.isEmpty ? nil : text))
            case let number as Int64: #expect(members.integer(name) == number)
            case let texts as [String]: #expect(members.strings(name) == texts)
            case let inner as [String: Any]: try compare(#require(members.object(name)), inner)
            default: Issue.record("another kind")
            }
        }
    }

    private static func object(_ random: inout SeededGenerator, depth: Int) -> [String: Any] {
        var object: [String: Any] = [:]
        for index in 0..<Int.random(in: 0...6, using: &random) {
            let value: Any
            switch Int.random(in: 0..<(depth > 0 ? 4 : 3), using: &random) {
            case 0: value = text(&random)
            case 1: value = Int64.random(in: -1_000_000...1_000_000, using: &random)
            case 2: value = (0..<Int.random(in: 0...3, using: &random)).map { _ in text(&random) }
            default: value = self.object(&random, depth: depth - 1)
            }
            object["\(text(&random))\(index)"] = value
        }
        return object
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let scalars: [Character] = ["a", "\"", "\\", "/", "\n", "\u{1}", "é", "😀", "{", "]", ",", ":", " "]
        return String(
            (0..<Int.random(in: 0...8, using: &random)).map { _ in
                scalars[Int.random(in: 0..<scalars.count, using: &random)]
            }
        )
    }
}

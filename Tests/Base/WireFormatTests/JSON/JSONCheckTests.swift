import Foundation
import TestLimits
import Testing

@testable import WireFormat

@Suite struct JSONCheckTests {
    private static func problem(_ text: String) -> JSONProblem? {
        do throws(JSONProblem) {
            try JSONCheck.check(Array(text.utf8).span)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A name that stands twice in one object is an error",
        arguments: [
            (#"{"enforce":false,"enforce":true}"#, "enforce", 1),
            ("[{\n\"a\":1,\n\"b\":{\"c\":[]},\n\"a\":2}]", "a", 4),
            // An escape says the same letter; both ways of writing é are one name.
            (#"{"a":1,"\u0061":2}"#, "a", 1), (#"{"caf\u00e9":1,"cafe\u0301":2}"#, "café", 1),
            (#"{"x":{"k":[{"y":1},{"y":1,"z":2,"y":3}]}}"#, "y", 1), (#"{"":1,"":2}"#, "", 1),
            (#"{"\ud83d\ude00":1,"😀":2}"#, "😀", 1),
        ]
    )
    func repeatedNames(text: String, name: String, line: Int) {
        #expect(Self.problem(text) == JSONProblem(line: line, kind: .repeatedName(name)))
    }

    @Test(
        "One name in two objects, and different names, are not duplicates",
        arguments: [
            #"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}"#, #"{"a":1,"A":2}"#, "\u{FEFF}{\"a\":1}", " [ ] ", "{}",
            "-0.5e+3",
            #""a""#,
        ]
    )
    func distinctNames(text: String) { #expect(Self.problem(text) == nil) }

    @Test("Errors name their line and repeat no control characters")
    func descriptions() {
        #expect(
            Self.problem("{\"a\":1,\n\"a\":2}")?.description == "line 2: 'a' stands twice in one object: keep one"
        )
        #expect(
            Self.problem("{\n\n x}")?.description
                == "line 3: not JSON, because a name in quotes was expected: correct it"
        )
        #expect(
            Self.problem(#"{"\u001b[2J":1,"\u001b[2J":2}"#)?.description
                == "line 1: a name stands twice in one object: keep one"
        )
    }

    /// A copy of the names for each member would take minutes.
    @Test("An object of 40,000 members takes time in proportion", .inTurn) func manyMembers() {
        let members = (0..<40_000).map { "\"\($0)\":{\"a\":0}" }.joined(separator: ",")
        #expect(Self.problem("{\(members)}") == nil)
        #expect(Self.problem("{\(members),\"7\":0}")?.kind == .repeatedName("7"))
    }

    @Test func nestingIsBounded() {
        #expect(Self.problem(String(repeating: "[", count: 512) + String(repeating: "]", count: 512)) == nil)
        #expect(Self.problem(String(repeating: "[", count: 1 << 20))?.kind == .nesting(limit: 512))
    }

    // Foundation also takes a comma behind the last element, which RFC 8259 has not, and refuses numbers beyond a Double.
    @Test("What is JSON and what is not is so to Foundation, too", arguments: UInt64(1)...40)
    func agreesWithFoundation(seed: UInt64) throws {
        var state = seed
        func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "\"\\n\"", "1", "-1", "0", "01", "1.5", "1e5", "true",
            "null",
            "false", " ", "\n", "tru", "\"", "\\", ".", "é", "{\"c\":", "[1,",
        ]
        for _ in 0..<2000 {
            let text = (0..<1 + next(7)).map { _ in pieces[next(pieces.count)] }.joined()
            guard !text.contains(/,\s*[\]}]|e\d{3}/) else { continue }
            let isJSON = (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
            guard let problem = Self.problem(text) else {
                #expect(isJSON, "\(text)")
                continue
            }
            if case .repeatedName = problem.kind { continue }
            #expect(!isJSON, "\(text)")
        }
    }
}

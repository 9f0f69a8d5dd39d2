import Testing

@testable import PinFormats

@Suite struct NumberedLinesTests {
    @Test(
        "Lines end at LF and at CR LF, and text after the last one is a line",
        arguments: [
            ("", [""]), ("a", ["a"]), ("a\n", ["a", ""]), ("a\r\nb", ["a", "b"]), ("\n\n", ["", "", ""]),
            ("a\rb\r\n\r\n", ["a\rb", "", ""]), ("\r", [""]),
        ]
    )
    func lines(text: String, expected: [String]) {
        let lines = Array(NumberedLines(Array(text.utf8)))
        #expect(lines.map(\.text) == expected)
        #expect(lines.map(\.number) == Array(1...expected.count))
    }

    @Test("The first line of the largest text is available before the others are split")
    func oneAtATime() {
        var lines = NumberedLines([UInt8](repeating: UInt8(ascii: "\n"), count: PinFormat.largestText))
        for number in 1...3 { #expect(lines.next() == NumberedLines.Line(number: number, text: "")) }
    }
}

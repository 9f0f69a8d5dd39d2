import Testing

@testable import OfflineVerbs

@Suite struct VisibleTextTests {
    @Test(
        "Controls are spelt out, everything else stays",
        arguments: [
            ("", ""), ("one\ttwo\n", "one\ttwo\n"), ("größe, 日本, 👩", "größe, 日本, 👩"),
            ("\u{1B}[2J", "\\u{1b}[2J"), ("a\rb", "a\\u{d}b"), ("a\r\nb", "a\\u{d}\nb"), ("\u{9B}1m", "\\u{9b}1m"),
            ("\u{7F}\u{0}", "\\u{7f}\\u{0}"), ("\u{202E}moc.live", "\\u{202e}moc.live"), ("\u{200B}", "\\u{200b}"),
        ]
    )
    func spelling(text: String, expected: String) {
        #expect(text.withVisibleControls == expected)
        let line = expected.replacing("\n", with: "\\u{a}").replacing("\t", with: "\\u{9}")
        #expect(text.inOneLine == line)
    }

    @Test func separatorsAreLinesToo() {
        #expect("a\u{2028}b\u{2029}c".inOneLine == "a\\u{2028}b\\u{2029}c")
    }
}

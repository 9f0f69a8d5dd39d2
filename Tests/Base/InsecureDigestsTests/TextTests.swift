import InsecureDigests
import TestSupport
import Testing

@Suite struct TextTests {
    /// Every length around the steps in which a text is read, and past what one block holds; with a letter that is no
    /// ASCII in every place.
    private static let texts = (0...40).flatMap { count in
        let plain = (0..<count).map { Character(Unicode.Scalar(UInt8(ascii: "!") + UInt8($0))) }
        let others = plain.indices.map { place in
            var text = plain
            text[place] = "é"
            return String(text)
        }
        return [String(plain)] + others
    }

    /// The digest of the UTF-16LE form, spelled out.
    private static func naive(_ text: String) -> [UInt8] {
        let bytes = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        return MD4.hash(bytes.span).bytes
    }

    @Test func oneTextIsHashedAsUTF16() {
        for text in Self.texts { #expect(MD4.hash(utf16: text)?.bytes == Self.naive(text), "\(text)") }
    }

    @Test(arguments: LaneKernel.allCases.filter(\.runsHere))
    func manyTextsAreHashedAsUTF16(kernel: LaneKernel) {
        let found = MD4.hashes(utf16: Self.texts[...], kernel: kernel)
        #expect(found.digests.map(\.bytes) == Self.texts.map(Self.naive))
        #expect(found.refused.isEmpty)
    }

    @Test("Few texts that are not short among many, and many", arguments: [1, 8, 9, 40])
    func texts(notShort count: Int) {
        let texts = (0..<130).map { number in
            number % 64 < count ? String(repeating: "long", count: 4 + number % 4) : "Pass\(number)"
        }
        #expect(MD4.hashes(utf16: texts[...]).digests.map(\.bytes) == texts.map(Self.naive))
    }

    @Test("Codes of codes under texts agree with one by one", arguments: LaneKernel.allCases.filter(\.runsHere))
    func codesUnderTexts(kernel: LaneKernel) {
        var generator = SeededGenerator(seed: 11)
        let messages = [0, 43, 55, 56, 64, 200].map { generator.bytes($0) }
        for count in [1, 15, 16, 17, 24, 25, 48, 63, 64, 65, 130] {
            var texts = (0..<count).map { "Pass\($0)" }
            texts[count / 2] = "Grüße"
            texts[count / 3] = String(repeating: "x", count: 257)
            let found = HMACMD5.codes(
                underTexts: texts[...],
                through: messages.map { HMACMD5.SharedMessage($0.span) },
                kernel: kernel
            )
            #expect(found.refused == [count / 3])
            for (number, text) in texts.enumerated() where number != count / 3 {
                var expected = Self.naive(text)
                for message in messages {
                    expected = HMACMD5.authenticate(message.span, key: HMACMD5.Key(expected.span)).bytes
                }
                #expect(found.digests[number].bytes == expected, "text \(number) of \(count)")
            }
        }
    }

    @Test func whatIsTooLongStandsAsZeros() {
        let texts = ["a", String(repeating: "é", count: MD4.textUnits + 1), "b", String(repeating: "c", count: 300)]
        let found = MD4.hashes(utf16: texts[...])
        let expected = [
            Self.naive("a"), .init(repeating: 0, count: 16), Self.naive("b"), .init(repeating: 0, count: 16),
        ]
        #expect(found.digests.map(\.bytes) == expected)
        #expect(found.refused == [1, 3])
    }
}

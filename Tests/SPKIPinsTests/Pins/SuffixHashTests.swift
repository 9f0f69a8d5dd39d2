import TestSupport
import Testing

@testable import SPKIPins

@Suite struct SuffixHashTests {
    @Test("A name above is hashed on the way as it is alone", arguments: UInt64(1)...40)
    func namesAboveAreHashedOnTheWay(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let text = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
            UInt8.random(in: 0...4, using: &generator) == 0
                ? UInt8(ascii: ".") : UInt8.random(in: 0x61...0x64, using: &generator)
        }
        var found: [Int: UInt64] = [:]
        var hash = SuffixHash(seed: seed)
        var end = text.count
        while true {
            // Eight bytes at a time, the first ones by one: the slow reading of the same.
            let first = max(0, end - 8)
            let word = text[first..<end].enumerated().reduce(UInt64(0)) { word, byte in
                word | UInt64(byte.element) << UInt64(8 * (8 - (end - first) + byte.offset))
            }
            #expect(end >= 8 || SuffixHash.firstBytes(end, of: text.span) == word)
            for place in (first..<end).reversed() where text[place] == UInt8(ascii: ".") {
                let bit = UInt64(8 * (8 - end + place) + 7)
                #expect(SuffixHash.dots(in: word) >> bit & 1 == 1)
                found[place + 1] = hash.finished((word >> (bit + 1)) << (bit + 1), length: text.count - place - 1)
            }
            #expect(SuffixHash.dots(in: word).nonzeroBitCount == text[first..<end].count { $0 == UInt8(ascii: ".") })
            guard end >= 8 else { break }
            hash.absorb(word)
            end -= 8
        }
        for (start, value) in found {
            let above = Array(text[start...])
            #expect(SuffixHash.hash(of: above.span, seed: seed) == value)
        }
    }
}

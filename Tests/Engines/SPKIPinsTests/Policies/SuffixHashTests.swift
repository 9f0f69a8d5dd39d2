import TestSupport
import Testing
import WireFormat

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
            #expect(SuffixHash.hash(of: above.span, .name, seed: seed) == value)
        }
    }

    @Test("An address is hashed in two words as its bytes are", arguments: UInt64(1)...40)
    func addressesAreHashedAsTheirBytes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let low = UInt64.random(in: 0 ... .max, using: &generator)
        let high = seed.isMultiple(of: 2) ? 0 : UInt64.random(in: 0 ... .max, using: &generator)
        var bytes: [UInt8] = []
        bytes.append(littleEndian: low)
        bytes.append(littleEndian: high)
        for kind in [HostKey.Kind.ipv4, .ipv6] {
            let expected = SuffixHash.hash(of: bytes.span, kind, seed: seed)
            #expect(SuffixHash.hash(ofAddress: low, high, kind, seed: seed) == expected)
        }
    }

    @Test(
        "The same bytes, and bytes that differ as kinds do, are hashed apart as hosts of each kind",
        arguments: UInt64(1)...40
    )
    func kindsAreHashedApart(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = (0..<16).map { _ in UInt8.random(in: 0x61...0x7A, using: &generator) }
        let texts = [0, 7, 8, 15].flatMap { place in
            (UInt8(0)...3).map { bits in
                var text = bytes
                text[place] ^= bits
                return text
            }
        }
        var hosts: [UInt64: Set<[UInt8]>] = [:]
        for kind in [HostKey.Kind.name, .ipv4, .ipv6] {
            for text in Set(texts) {
                hosts[SuffixHash.hash(of: text.span, kind, seed: seed), default: []].insert([kind.rawValue] + text)
            }
        }
        #expect(hosts.count == 3 * Set(texts).count)
    }
}

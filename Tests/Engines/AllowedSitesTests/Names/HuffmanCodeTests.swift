import TestSupport
import Testing

@testable import AllowedSites

@Suite struct HuffmanCodeTests {
    private static let alphabet = Array("etaoinetaoinetaetshrdlucmfgypwbvkjxqz0123456789-_..".utf8)

    private func names(_ count: Int, _ random: inout SeededGenerator) -> [String] {
        (0..<count).map { _ in
            let labels = (0..<Int.random(in: 2...4, using: &random)).map { _ in
                let bytes = (0..<Int.random(in: 1...14, using: &random)).map { _ in
                    Self.alphabet[Int.random(in: 0..<Self.alphabet.count - 14, using: &random)]
                }
                return String(decoding: bytes, as: UTF8.self)
            }
            return labels.joined(separator: ".") + (Bool.random(using: &random) ? ".com" : ".example")
        }
    }

    private func packed(_ name: String) -> NameWords {
        let bytes = Array(name.utf8)
        guard let packed = PackedName(bytes.span) else { preconditionFailure("no name of up to 42 bytes") }
        return packed.words
    }

    private func code(_ names: [String]) throws -> HuffmanCode {
        let list = try SiteList(parsing: "#! allow-public-suffix\n" + names.joined(separator: "\n"), name: "names")
        return HuffmanCodeBuilder(RuleSource([list])).code()
    }

    @Test(
        "Every name of a list has a code of its own, from which it comes back",
        arguments: Effort.seeds(4, thorough: 16)
    )
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let names = Set(names(500, &random)).sorted().filter { $0.utf8.count <= PackedName.maximumLength }
        let code = try code(names)
        var seen: Set<[UInt64]> = []
        for name in names {
            for isBelow in [false, true] {
                let coded = try #require(code.code(packed(name), length: name.utf8.count, isBelow: isBelow))
                let words = coded.words
                let isNew = seen.insert([words.low, words.middle, words.high, words.top]).inserted
                #expect(isNew, "\(name)")
                let (bytes, below) = try #require(code.name(words), "\(name)")
                #expect(String(decoding: bytes, as: UTF8.self) == name)
                #expect(below == isBelow)
                #expect(coded.bits <= 256 && coded.keyLength <= HuffmanCode.maximumKeyLength)
            }
        }
        #expect(code.code(packed("never.~"), length: 7, isBelow: false) == nil)
    }

    /// What Huffman's codes for these weights take: the sum of all weights that are put together on the way.
    private func naiveCost(_ weights: [Int]) -> Int {
        var weights = weights.sorted()
        var cost = weights.count == 1 ? weights[0] : 0
        while weights.count > 1 {
            let sum = weights.removeFirst() + weights.removeFirst()
            cost += sum
            weights = (weights + [sum]).sorted()
        }
        return cost
    }

    @Test("No codes are shorter", arguments: Effort.seeds(3, thorough: 8)) func shortest(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let names = Set(names(300, &random)).sorted().filter { $0.utf8.count <= PackedName.maximumLength }
        let code = try code(names)
        var pairs: [String: [Character: Int]] = [:]
        for name in names {
            var before = ""
            for byte in name.reversed() {
                pairs[before, default: [:]][byte, default: 0] += 1
                before = String(byte)
            }
        }
        let expected = pairs.values.reduce(0) { $0 + naiveCost(Array($1.values)) }
        // Three bits besides: two flags, and the end.
        let found = try names.reduce(0) { sum, name in
            sum + (try #require(code.code(packed(name), length: name.utf8.count, isBelow: false))).bits - 3
        }
        #expect(found == expected)
    }

    @Test("A name whose code is too long stands uncoded") func tooLong() throws {
        // Behind an "a" each of these letters stands twice as often as the one before, so a "c" takes eleven bits.
        let rare = "c" + String(repeating: "ac", count: 20) + "a"
        let others = "defghijklmn".enumerated().flatMap { place, letter in
            (0..<2 << place).map { "\(String(repeating: "\(letter)a", count: 15)).n\($0)" }
        }
        let code = try code([rare] + others)
        let coded = try #require(code.code(packed(rare), length: rare.utf8.count, isBelow: true))
        #expect(coded.words.low & 3 == 3)
        let (bytes, isBelow) = try #require(code.name(coded.words))
        #expect(String(decoding: bytes, as: UTF8.self) == rare)
        #expect(isBelow)
    }

    @Test("A table entry with another code breaks the invariant") func brokenTable() throws {
        let code = try code(["a.example", "b.example", "c.example"])
        #expect(code.brokenInvariant() == nil)
        let context = PackedName.packed(UInt64(UInt8(ascii: "."))) & 0x3f
        let symbol = PackedName.packed(UInt64(UInt8(ascii: "a"))) & 0x3f
        // The lowest bit of the code, above five bits of length and mark.
        unsafe code.table[Int(symbol << 6 | context)] ^= 1 << 5
        #expect(code.brokenInvariant() != nil)
    }

    @Test("Lengths that do not form a code are refused") func impossible() {
        #expect(HuffmanCode(lengths: { 1...2 ~= $0 ? 1 : 0 }) != nil)
        #expect(HuffmanCode(lengths: { 1...3 ~= $0 ? 1 : 0 }) == nil)
        #expect(HuffmanCode(lengths: { $0 == 1 ? 12 : 0 }) == nil)
        #expect(HuffmanCode(lengths: { $0 == 0 ? 1 : 0 }) == nil)
    }

    @Test("Mixing can be undone", arguments: UInt64(1)...64) func mixing(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let hash = KeyHash(contentSum: random.next(), attempt: 0)
        let words = NameWords(low: random.next(), middle: random.next(), high: random.next(), top: random.next())
        var mixed = words
        hash.mix(&mixed)
        #expect(mixed.low != words.low)
        hash.unmix(&mixed)
        #expect(mixed.low == words.low && mixed.middle == words.middle)
        #expect(mixed.high == words.high && mixed.top == words.top)
    }

    @Test("A compact trie of many names knows all of them and no others, in fewer bytes")
    func manyNames()
        throws
    {
        var random = SeededGenerator(seed: 1)
        // A few of them are too long to be coded.
        let short = Set(names(Effort.rounds(2000, thorough: 8000), &random)).sorted().filter {
            $0.utf8.count <= PackedName.maximumLength + 1
        }
        let all = short.shuffled(using: &random)
        let (listed, others) = (all[..<(all.count / 2)], all[(all.count / 2)...])
        let lines = "#! allow-public-suffix\n" + listed.joined(separator: "\n")
        let trie = try trie(lines, form: .compact)
        #expect(trie.brokenInvariant() == nil)
        for (index, name) in listed.enumerated() {
            let rule = try #require(trie.verdict(forURL: "https://\(name)").rule, "\(name)")
            #expect(rule.line == index + 2)
            if index % 97 == 0 { #expect(trie.rule(at: rule)?.description == name) }
        }
        for name in others { #expect(trie.verdict(forURL: "https://\(name)").rule == nil, "\(name)") }
        let fast = try EnginesTests.trie(lines).imageSize
        #expect(trie.imageSize * 10 < fast * 9)
    }
}

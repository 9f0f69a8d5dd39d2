import TestSupport
import Testing

@testable import AllowedSites

@Suite struct SiteTrieBatchTests {
    private static let labels = ["a", "b", "host", "example", "x1", "a-rather-long-label", "com", "co"]

    private func names(_ count: Int, _ random: inout SeededGenerator) -> [String] {
        (0..<count).map { _ in
            (0..<Int.random(in: 1...6, using: &random)).map { _ in
                Self.labels[Int.random(in: 0..<Self.labels.count, using: &random)]
            }.joined(separator: ".")
        }
    }

    @Test("A batch answers as single lookups do", arguments: UInt64(1)...16, TrieForm.allCases)
    func agreesWithSingleLookups(seed: UInt64, form: TrieForm) throws {
        var random = SeededGenerator(seed: seed)
        var rules = names(200, &random).map { Bool.random(using: &random) ? $0 : "*." + $0 }
        // Batches take other ways where wildcards stand above one label, or above four and more.
        if seed % 2 == 0 { rules.removeAll { $0.hasPrefix("*.") && !(3...4).contains($0.split(separator: ".").count) } }
        let trie = try trie("#! allow-public-suffix", rules.joined(separator: "\n"), form: form)
        let hosts = names(Int.random(in: 1...500, using: &random), &random)
        var text: [UInt8] = []
        var places: [(start: Int, end: Int)] = []
        for host in hosts {
            places.append((text.count, text.count + host.utf8.count))
            text += host.utf8
        }
        var numbers = [Int](repeating: 0, count: hosts.count)
        unsafe text.withUnsafeBytes { text in
            unsafe places.withUnsafeBufferPointer { places in
                unsafe numbers.withUnsafeMutableBufferPointer { numbers in
                    unsafe trie.placeNumbers(in: text, places, into: numbers)
                }
            }
        }
        for (host, number) in zip(hosts, numbers) {
            let alone = unsafe Array(host.utf8).withUnsafeBytes { unsafe trie.placeNumber(ofName: $0) }
            #expect(number == alone, "\(host)")
        }
        #expect(numbers.contains { $0 >= 0 })
    }
}

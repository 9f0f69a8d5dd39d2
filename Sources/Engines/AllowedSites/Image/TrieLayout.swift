/// How an image stores keys. Both layouts give the same answers, and each trie reads both.
public enum TrieLayout: String, CaseIterable, Sendable {
    /// Six bits a byte; the faster layout.
    case fast
    /// Huffman-coded names and quotienting: two thirds of the size, slower hits.
    case compact

    /// The number in the header of an image.
    var number: UInt32 { self == .compact ? 1 : 0 }

    init?(number: UInt32) {
        guard let layout = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = layout
    }
}

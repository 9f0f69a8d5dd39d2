/// How an image keeps its keys. Both layouts give the same answers, and every trie reads both.
public enum TrieLayout: String, CaseIterable, Sendable {
    /// Six bits a byte: the faster one.
    case fast
    /// Coded by how often bytes follow each other: two thirds of the size and slower hits; batches are looked up one by one.
    case compact

    /// As the header of an image has it.
    var number: UInt32 { self == .compact ? 1 : 0 }

    init?(number: UInt32) {
        guard let layout = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = layout
    }
}

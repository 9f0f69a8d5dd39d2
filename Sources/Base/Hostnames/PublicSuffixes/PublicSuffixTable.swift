/// The rules of the public suffix list in a flat hash table with linear probing.
///
/// ```text
/// text      co.uk \n *.ck \n !www.ck \n +github.io …  the rules, one a line; + is one of the private section
/// entries   start and length of a name in text, and the kinds of its rules
/// slots     position in entries plus one; 0 = free. Their number is a power of two; at most half are taken.
/// ```
struct PublicSuffixTable: Sendable {
    let text: [UInt8]
    private(set) var entries: [Entry] = []
    private(set) var slots: [UInt16]

    /// The kinds of rules that the list has for a name.
    struct Kinds: OptionSet, Sendable {
        let rawValue: UInt8
        /// The name is a suffix.
        static let name = Kinds(rawValue: 1)
        /// Every name one label below it is a suffix (`*.`).
        static let wildcard = Kinds(rawValue: 2)
        /// The name is not a suffix, although a wildcard matches it (`!`).
        static let exception = Kinds(rawValue: 4)
        /// The rule that makes the name a suffix is in the list's section of registries (ICANN).
        static let registryName = Kinds(rawValue: 8)
        /// The same for the rule of the names one label below it.
        static let registryWildcard = Kinds(rawValue: 16)
    }

    struct Entry: Sendable {
        let start: UInt32
        let length: UInt8
        var kinds: Kinds
    }

    /// The most rules of a table; the positions of their names fit into a slot.
    static let maximumCount = (1 << 15) - 1

    /// The number of rules.
    let ruleCount: Int

    /// Makes a table from rules, one a line.
    ///
    /// - Precondition: at most ``maximumCount`` rules of at most 255 bytes.
    init(rules: [UInt8]) {
        text = rules
        let lineCount = text.count { $0 == UInt8(ascii: "\n") } + 1
        precondition(lineCount <= Self.maximumCount)
        ruleCount = text.isEmpty ? 0 : lineCount
        var slotCount = 2
        while slotCount < lineCount * 2 { slotCount *= 2 }
        slots = [UInt16](repeating: 0, count: slotCount)
        entries.reserveCapacity(lineCount)
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            insert(start..<end)
            start = end + 1
        }
        assert(brokenInvariant() == nil)
    }

    private mutating func insert(_ rule: Range<Int>) {
        guard !rule.isEmpty else { return }
        let isPrivate = text[rule.lowerBound] == UInt8(ascii: "+")
        let rule = rule.dropFirst(isPrivate ? 1 : 0)
        guard let first = rule.first else { return }
        let (kinds, mark): (Kinds, Int) =
            switch text[first] {
            case UInt8(ascii: "!"): (.exception, 1)
            case UInt8(ascii: "*"): (isPrivate ? .wildcard : [.wildcard, .registryWildcard], 2)
            default: (isPrivate ? .name : [.name, .registryName], 0)
            }
        let name = rule.dropFirst(mark)
        let slot = slot(of: text.span, in: name)
        if slots[slot] > 0 {
            entries[Int(slots[slot]) - 1].kinds.insert(kinds)
        } else {
            precondition(name.count <= UInt8.max)
            entries.append(Entry(start: UInt32(name.lowerBound), length: UInt8(name.count), kinds: kinds))
            slots[slot] = UInt16(entries.count)
        }
    }

    /// The kinds of rules for the name in `range` of `bytes`.
    func kinds(of bytes: Span<UInt8>, in range: Range<Int>) -> Kinds {
        let position = Int(slots[slot(of: bytes, in: range)])
        return position == 0 ? [] : entries[position - 1].kinds
    }

    /// The slot of the name in `range` of `bytes`, or the free slot where it would be inserted.
    private func slot(of bytes: Span<UInt8>, in range: Range<Int>) -> Int {
        assert(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: Self.hash(bytes, range)) & mask
        // The loop ends, because half of the slots are free.
        while slots[slot] > 0, !isEqual(entries[Int(slots[slot]) - 1], bytes, range) { slot = (slot + 1) & mask }
        return slot
    }

    private func isEqual(_ entry: Entry, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard Int(entry.length) == range.count else { return false }
        let start = Int(entry.start)
        for offset in 0..<range.count where text[start + offset] != bytes[range.lowerBound + offset] { return false }
        return true
    }

    /// FNV-1a, 32 bits. Rules come with the program or from its operator, so an attacker cannot add some that collide.
    private static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
        var hash: UInt32 = 0x811c_9dc5
        for offset in range { hash = (hash ^ UInt32(bytes[offset])) &* 0x0100_0193 }
        return hash ^ hash >> 15
    }
}

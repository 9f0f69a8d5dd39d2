/// The rules of the public suffix list in a flat hash table with linear probing.
///
/// ```text
/// text     co.uk \n *.ck \n !www.ck …      the rules as they are written
/// entries  start and length of a name in text, and which kinds of rule there are for it
/// slots    position in entries plus one, or 0; a power of two, at most half of them taken
/// ```
struct PublicSuffixTable: Sendable {
    private let text: [UInt8]
    private var entries: [Entry] = []
    private var slots: [UInt16]

    /// What the list says of one name.
    struct Kinds: OptionSet, Sendable {
        let rawValue: UInt8
        /// The name is a suffix.
        static let name = Kinds(rawValue: 1)
        /// Every name one label below it is a suffix (`*.`).
        static let wildcard = Kinds(rawValue: 2)
        /// The name is none although a wildcard says so (`!`).
        static let exception = Kinds(rawValue: 4)
    }

    private struct Entry: Sendable {
        let start: UInt32
        let length: UInt8
        var kinds: Kinds
    }

    /// The table of the list that ships.
    static let standard = PublicSuffixTable(rules: PublicSuffixRules.text)

    /// Makes a table of rules, one a line.
    ///
    /// - Precondition: at most 32,767 rules of at most 255 bytes.
    init(rules: String) {
        text = [UInt8](rules.utf8)
        let lineCount = text.count { $0 == UInt8(ascii: "\n") } + 1
        precondition(lineCount < 1 << 15)
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
    }

    private mutating func insert(_ rule: Range<Int>) {
        guard let first = rule.first else { return }
        let (kinds, mark): (Kinds, Int) =
            switch text[first] {
            case UInt8(ascii: "!"): (.exception, 1)
            case UInt8(ascii: "*"): (.wildcard, 2)
            default: (.name, 0)
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

    /// Which rules there are for the name in `range` of `bytes`.
    func kinds(of bytes: Span<UInt8>, in range: Range<Int>) -> Kinds {
        let position = Int(slots[slot(of: bytes, in: range)])
        return position == 0 ? [] : entries[position - 1].kinds
    }

    /// The slot that holds the name in `range` of `bytes`, or the free one that it belongs into.
    private func slot(of bytes: Span<UInt8>, in range: Range<Int>) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: Self.hash(bytes, range)) & mask
        // Half of the slots are free, so this ends.
        while slots[slot] > 0, !isEqual(entries[Int(slots[slot]) - 1], bytes, range) { slot = (slot + 1) & mask }
        return slot
    }

    private func isEqual(_ entry: Entry, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard Int(entry.length) == range.count else { return false }
        let start = Int(entry.start)
        for offset in 0..<range.count where text[start + offset] != bytes[range.lowerBound + offset] { return false }
        return true
    }

    /// FNV-1a, 32 bits. The list is fixed, so nobody can choose names that collide with many of its rules.
    private static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
        var hash: UInt32 = 0x811c_9dc5
        for offset in range { hash = (hash ^ UInt32(bytes[offset])) &* 0x0100_0193 }
        return hash ^ hash >> 15
    }
}

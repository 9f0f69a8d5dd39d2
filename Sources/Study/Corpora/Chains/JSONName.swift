internal import WireFormat

/// A word of JSON in three numbers, so that finding out which one it is compares numbers.
struct JSONName: Equatable, Sendable {
    /// The longest name that a reader knows. Of a longer name, only the length is stored.
    static let mostBytes = 24

    private let count: Int
    // The bytes, the first in the lowest bits, with zeros behind them.
    private var low: UInt64 = 0
    private var middle: UInt64 = 0
    private var high: UInt64 = 0

    /// The name that stands at `range`.
    @inline(__always)
    init(_ line: Span<UInt8>, _ range: Range<Int>) {
        count = range.count
        guard count <= Self.mostBytes else { return }
        low = Self.word(line, range)
        guard count > 8 else { return }
        middle = Self.word(line, range.dropFirst(8))
        if count > 16 { high = Self.word(line, range.dropFirst(16)) }
    }

    /// A name by itself.
    init(_ name: String) {
        let bytes = [UInt8](name.utf8)
        self.init(bytes.span, bytes.indices)
    }

    /// The first eight bytes of `range`, or fewer when it is shorter.
    @inline(__always)
    private static func word(_ line: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        if let word = littleEndianUInt64(in: line, at: range.lowerBound) {
            return range.count < 8 ? word & (1 << UInt64(8 * range.count) &- 1) : word
        }
        return range.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64(line[$1]) }
    }
}

/// The members, or values, that a reader knows, by their names of at most ``JSONName/mostBytes`` bytes.
struct JSONFields<Field: CaseIterable & RawRepresentable & Sendable>: Sendable where Field.RawValue == String {
    private let fields: [(name: JSONName, field: Field)] = Field.allCases.map { (JSONName($0.rawValue), $0) }

    /// The member of that name, or `nil` for an unknown one.
    @inline(__always)
    func field(_ name: JSONName) -> Field? {
        for entry in fields where entry.name == name { return entry.field }
        return nil
    }

    /// The member of that name, and whether the object had it before. A repeated name is an error, because readers differ.
    ///
    /// - Parameter seen: 0 at the start of an object.
    @inline(__always)
    func member(_ name: JSONName, seen: inout UInt32) -> (field: Field?, isRepeated: Bool) {
        for (index, entry) in fields.enumerated() where entry.name == name {
            let bit: UInt32 = 1 << UInt32(index)
            defer { seen |= bit }
            return (entry.field, seen & bit != 0)
        }
        return (nil, false)
    }
}

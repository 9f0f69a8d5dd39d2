/// The rules of a list in the order of its lines, packed: twelve bytes a rule, and the names one behind the other.
///
/// An array of ``SiteRule`` would take a hundred bytes a rule and an allocation for its name. Nearly every rule is a name
/// without a path, so that is what a record holds; the others are kept as they are, and their record says where.
package struct SiteListEntries: Sendable {
    private var records: [Record] = []
    /// Canonical names of all plain rules, one behind the other.
    private var names: [UInt8] = []
    /// The rules that no record can hold.
    private var others: [SiteRule] = []

    /// One rule.
    private struct Record: Sendable {
        let line: UInt32
        /// Where the name starts in `names`, or the position in `others`.
        let start: UInt32
        let port: UInt16
        let length: UInt8
        let traits: Traits
    }

    /// What a record says of its rule besides name and port.
    struct Traits: OptionSet, Sendable {
        let rawValue: UInt8
        static let isException = Traits(rawValue: 1)
        static let isWildcard = Traits(rawValue: 2)
        static let speaksHTTP = Traits(rawValue: 4)
        static let speaksHTTPS = Traits(rawValue: 8)
        static let hasAnyPort = Traits(rawValue: 16)
        /// The rule is one of `others`.
        static let isOther = Traits(rawValue: 32)
    }

    /// Adds a rule.
    ///
    /// - Precondition: `line` fits into 32 bits, and so does the length of all names together.
    mutating func append(_ rule: SiteRule, line: Int) {
        switch (rule.place, rule.path) {
        case (.name(let name), nil): append(rule, name, isWildcard: false, line: line)
        case (.below(let name), nil): append(rule, name, isWildcard: true, line: line)
        default:
            let start = UInt32(others.count)
            others.append(rule)
            records.append(Record(line: UInt32(line), start: start, port: 0, length: 0, traits: .isOther))
        }
    }

    private mutating func append(_ rule: SiteRule, _ name: [UInt8], isWildcard: Bool, line: Int) {
        var traits: Traits = rule.isException ? .isException : []
        if isWildcard { traits.insert(.isWildcard) }
        if rule.schemes != .http { traits.insert(.speaksHTTPS) }
        if rule.schemes != .https { traits.insert(.speaksHTTP) }
        if rule.port == .any { traits.insert(.hasAnyPort) }
        let port: UInt16 = if case .number(let number) = rule.port { number } else { 0 }
        records.append(
            Record(
                line: UInt32(line),
                start: UInt32(names.count),
                port: port,
                length: UInt8(name.count),
                traits: traits
            )
        )
        names += name
    }

    /// Adds a rule that is a host and nothing else, without a detour over a ``SiteRule``.
    ///
    /// - Parameter appendName: appends the canonical name to the array that it is given, or returns `false` when it is no
    ///   name; then nothing is added.
    mutating func appendPlain(
        line: Int,
        isException: Bool,
        isWildcard: Bool,
        _ appendName: (inout [UInt8]) -> Bool
    ) -> Bool {
        let start = names.count
        guard appendName(&names) else { return false }
        var traits: Traits = isException ? [.isException, .speaksHTTP, .hasAnyPort] : []
        traits.insert(.speaksHTTPS)
        if isWildcard { traits.insert(.isWildcard) }
        let length = UInt8(names.count - start)
        records.append(Record(line: UInt32(line), start: UInt32(start), port: 0, length: length, traits: traits))
        return true
    }

    /// What a rule is about, where that is a name: its bytes, which lie in the list as long as the call lasts that lends them, and
    /// whether it is about those below it.
    @safe
    struct Name {
        let bytes: UnsafeRawBufferPointer
        let isBelow: Bool
        /// Whether the rule is about https on port 443 and every path.
        let isPlain: Bool
    }

    /// Calls `body` with the name that the rule at `position` is about, without a copy of it, or returns `nil` for a network.
    func withName<Result>(at position: Int, _ body: (Name) -> Result) -> Result? {
        let record = records[position]
        guard !record.traits.contains(.isOther) else {
            let rule = others[Int(record.start)]
            switch rule.place {
            case .name(let name):
                return unsafe name.withUnsafeBytes {
                    unsafe body(Name(bytes: $0, isBelow: false, isPlain: rule.isPlain))
                }
            case .below(let name):
                return unsafe name.withUnsafeBytes {
                    unsafe body(Name(bytes: $0, isBelow: true, isPlain: rule.isPlain))
                }
            case .ipv4, .ipv6:
                return nil
            }
        }
        let isBelow = record.traits.contains(.isWildcard)
        let isPlain = record.port == 0 && record.traits.subtracting(.isWildcard) == .speaksHTTPS
        let start = Int(record.start)
        return unsafe names.withUnsafeBytes { names in
            // In bounds, or the range traps.
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: names[start..<start + Int(record.length)])
            return unsafe body(Name(bytes: bytes, isBelow: isBelow, isPlain: isPlain))
        }
    }

    /// Takes away the rules at `positions`, which ascend; the names stay where they are.
    mutating func remove(at positions: [Int]) {
        guard var next = positions.first else { return }
        var taken = 0
        for position in next..<records.count {
            if position == next {
                taken += 1
                next = taken < positions.count ? positions[taken] : records.count
            } else {
                records[position - taken] = records[position]
            }
        }
        records.removeLast(taken)
    }
}

extension SiteListEntries: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { records.count }

    /// The rule at `position`, made anew.
    package subscript(position: Int) -> SiteList.Entry {
        let record = records[position]
        let line = Int(record.line)
        if record.traits.contains(.isOther) {
            return SiteList.Entry(line: line, rule: others[Int(record.start)])
        }
        let start = Int(record.start)
        let name = [UInt8](names[start..<start + Int(record.length)])
        let schemes: SiteRule.Schemes =
            if record.traits.isSuperset(of: [.speaksHTTP, .speaksHTTPS]) {
                .both
            } else {
                record.traits.contains(.speaksHTTP) ? .http : .https
            }
        let port: SiteRule.Port =
            if record.traits.contains(.hasAnyPort) {
                .any
            } else {
                record.port == 0 ? .schemeDefault : .number(record.port)
            }
        let rule = SiteRule(
            isException: record.traits.contains(.isException),
            schemes: schemes,
            place: record.traits.contains(.isWildcard) ? .below(name) : .name(name),
            port: port,
            path: nil
        )
        return SiteList.Entry(line: line, rule: rule)
    }
}

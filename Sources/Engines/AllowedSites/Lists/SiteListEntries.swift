internal import WireFormat

/// The rules of a list in the order of its lines, packed in records of three bytes and the name.
///
/// An array of ``SiteRule`` would take a hundred bytes a rule and one allocation for each name. Nearly all rules are
/// names without a path, and a record holds such a rule. Other rules are in an array, and their record holds the
/// position.
///
/// ```text
/// offset length
///      0      1  traits
///      1      1  n, the length of the content 2      1  line minus line of the previous rule; 0 = the line follows in
///      4 bytes +    0/4  the line +    0/2  the port, if the rule has a port number +      n  content: the canonical
///      name, or the position in the array of other rules (4 bytes)
/// ```
package struct SiteListEntries: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The offset of each 16th record, and the line of the record before it.
    private(set) var marks: [Mark] = []
    /// The rules that do not fit into a record.
    private(set) var others: [SiteRule] = []
    /// The number of rules.
    package private(set) var endIndex = 0
    /// The line of the last rule, or 0.
    private(set) var lastLine = 0

    struct Mark: Sendable {
        let offset: UInt32
        let lineBefore: UInt32
    }

    static let recordsPerMark = 16
    static let headLength = 3

    /// The properties of a rule besides name and port.
    struct Traits: OptionSet, Sendable {
        let rawValue: UInt8
        static let isException = Traits(rawValue: 1)
        static let isWildcard = Traits(rawValue: 2)
        static let speaksHTTP = Traits(rawValue: 4)
        static let speaksHTTPS = Traits(rawValue: 8)
        static let hasAnyPort = Traits(rawValue: 16)
        static let hasPort = Traits(rawValue: 32)
        /// The rule is one of `others`.
        static let isOther = Traits(rawValue: 64)
    }

    /// Reserves capacity for the rules of a text of `length` bytes; pages that are never written use no memory.
    mutating func reserve(textLength length: Int) {
        // A record is two bytes longer than its line. Growing would copy all records several times.
        bytes.reserveCapacity(length + length / 8)
    }

    /// Adds a rule.
    ///
    /// - Precondition: `line` and the length of all records fit into 32 bits.
    mutating func append(_ rule: SiteRule, line: Int) {
        switch (rule.place, rule.path) {
        case (.name(let name), nil): append(rule, name, isWildcard: false, line: line)
        case (.below(let name), nil): append(rule, name, isWildcard: true, line: line)
        default:
            appendHead(.isOther, length: MemoryLayout<UInt32>.size, line: line)
            bytes.append(littleEndian: UInt32(others.count))
            others.append(rule)
        }
    }

    private mutating func append(_ rule: SiteRule, _ name: [UInt8], isWildcard: Bool, line: Int) {
        assert(!name.isEmpty && name.count <= LongName.maximumLength, "a record stores the length in one byte")
        var traits: Traits = rule.isException ? .isException : []
        if isWildcard { traits.insert(.isWildcard) }
        if rule.schemes != .http { traits.insert(.speaksHTTPS) }
        if rule.schemes != .https { traits.insert(.speaksHTTP) }
        if rule.port == .any { traits.insert(.hasAnyPort) }
        if case .number = rule.port { traits.insert(.hasPort) }
        appendHead(traits, length: name.count, line: line)
        if case .number(let number) = rule.port { bytes.append(littleEndian: number) }
        bytes += name
    }

    /// Adds a rule about a name without a port number, without making a ``SiteRule``.
    ///
    /// - Parameter appendName: appends the canonical name to its argument; returns `false` if the host is not a name.
    /// - Returns: whether a rule was added.
    mutating func appendName(line: Int, _ traits: Traits, _ appendName: (inout [UInt8]) -> Bool) -> Bool {
        assert(traits.isDisjoint(with: [.isOther, .hasPort]), "the record would have other fields")
        let (start, marked, before) = (bytes.count, marks.count, lastLine)
        appendHead(traits, length: 0, line: line)
        let nameStart = bytes.count
        guard appendName(&bytes) else {
            bytes.removeLast(bytes.count - start)
            marks.removeLast(marks.count - marked)
            (lastLine, endIndex) = (before, endIndex - 1)
            return false
        }
        assert((1...LongName.maximumLength).contains(bytes.count - nameStart))
        bytes[start + 1] = UInt8(bytes.count - nameStart)
        return true
    }

    /// Appends the first bytes of a record; the caller appends port and content.
    private mutating func appendHead(_ traits: Traits, length: Int, line: Int) {
        if endIndex % Self.recordsPerMark == 0 {
            marks.append(Mark(offset: UInt32(bytes.count), lineBefore: UInt32(lastLine)))
        }
        let isNear = line > lastLine && line - lastLine <= UInt8.max
        bytes.append(traits.rawValue)
        bytes.append(UInt8(length))
        bytes.append(isNear ? UInt8(line - lastLine) : 0)
        if !isNear { bytes.append(littleEndian: UInt32(line)) }
        (lastLine, endIndex) = (line, endIndex + 1)
        assert(marks.count == (endIndex + Self.recordsPerMark - 1) / Self.recordsPerMark)
    }

    /// Removes rules.
    ///
    /// - Parameter positions: in ascending order.
    mutating func remove(at positions: [Int]) {
        guard !positions.isEmpty else { return }
        assert(zip(positions, positions.dropFirst()).allSatisfy(<), "the walk below meets each position once")
        var kept = SiteListEntries()
        var taken = 0
        for (position, entry) in enumerated() {
            if taken < positions.count, positions[taken] == position {
                taken += 1
            } else {
                kept.append(entry.rule, line: entry.line)
            }
        }
        assert(kept.brokenInvariant() == nil && taken == positions.count)
        self = kept
    }
}

extension SiteListEntries {
    /// The start of a record, and the line of the record before it.
    struct Place {
        var position = 0
        var offset = 0
        var lineBefore = 0
    }

    /// The fields of a record.
    struct Record {
        let traits: Traits
        let line: Int
        let port: UInt16
        /// The range of the content; the next record begins at its end.
        let content: Range<Int>
    }

    /// The record at `place`.
    static func record(at place: Place, in bytes: Span<UInt8>) -> Record {
        assert(place.offset >= 0 && place.offset + headLength <= bytes.count)
        let traits = Traits(rawValue: bytes[place.offset])
        let step = Int(bytes[place.offset + 2])
        var (start, line, port) = (place.offset + headLength, place.lineBefore + step, UInt16(0))
        if step == 0 {
            line = Int(littleEndianUInt32(in: bytes, at: start) ?? 0)
            start += 4
        }
        if traits.contains(.hasPort) {
            port = littleEndianUInt16(in: bytes, at: start) ?? 0
            start += 2
        }
        let end = start + Int(bytes[place.offset + 1])
        return Record(traits: traits, line: line, port: port, content: start..<end)
    }

    /// Moves `place` to the record at `position`, starting from the mark before it or from `place`.
    private func move(_ place: inout Place, to position: Int, in bytes: Span<UInt8>) {
        precondition(position >= 0 && position < endIndex)
        let mark = position / Self.recordsPerMark
        if place.position > position || place.position < mark * Self.recordsPerMark {
            place.position = mark * Self.recordsPerMark
            (place.offset, place.lineBefore) = (Int(marks[mark].offset), Int(marks[mark].lineBefore))
        }
        while place.position < position { Self.pass(Self.record(at: place, in: bytes), &place) }
        assert(place.position == position)
    }

    static func pass(_ record: Record, _ place: inout Place) {
        place.position += 1
        (place.offset, place.lineBefore) = (record.content.upperBound, record.line)
    }

    /// What a record says besides the name.
    struct NameFields {
        let isBelow: Bool
        /// The traits without the wildcard, and the port number if there is one; `nil` for a rule with a path. Rules with equal
        /// conditions have equal constraints.
        let condition: UInt32?
        let line: Int
    }

    /// Calls `body` with each position, the name of the rule there and its other fields; for a network with an empty name and
    /// `nil`. Copies no name.
    ///
    /// - Parameter positions: ascending order is fastest.
    @inline(__always)
    func forEachName(at positions: some Sequence<Int>, _ body: (Int, Span<UInt8>, NameFields?) -> Void) {
        let bytes = bytes.span
        var place = Place()
        for position in positions {
            move(&place, to: position, in: bytes)
            let record = Self.record(at: place, in: bytes)
            if record.traits.contains(.isOther) {
                withName(ofOther: other(record, in: bytes), line: record.line) { body(position, $0, $1) }
            } else {
                assert(!record.content.isEmpty && record.content.upperBound <= bytes.count)
                let fields = NameFields(
                    isBelow: record.traits.contains(.isWildcard),
                    condition: UInt32(record.traits.subtracting(.isWildcard).rawValue) | UInt32(record.port) << 8,
                    line: record.line
                )
                body(position, bytes.extracting(record.content), fields)
            }
            Self.pass(record, &place)
        }
    }

    @inline(never)
    private func withName(ofOther rule: SiteRule, line: Int, _ body: (Span<UInt8>, NameFields?) -> Void) {
        switch rule.place {
        case .name(let name), .below(let name):
            let isBelow = rule.place == .below(name)
            body(name.span, NameFields(isBelow: isBelow, condition: nil, line: line))
        case .ipv4, .ipv6: body(Span(), nil)
        }
    }

    private func other(_ record: Record, in bytes: Span<UInt8>) -> SiteRule {
        assert(record.traits.contains(.isOther) && record.content.count == MemoryLayout<UInt32>.size)
        return others[Int(littleEndianUInt32(in: bytes, at: record.content.lowerBound) ?? 0)]
    }
}

extension SiteListEntries: RandomAccessCollection {
    package var startIndex: Int { 0 }

    /// The rule at `position`, rebuilt from its record.
    package subscript(position: Int) -> SiteList.Entry {
        let span = bytes.span
        var place = Place()
        move(&place, to: position, in: span)
        let record = Self.record(at: place, in: span)
        return SiteList.Entry(line: record.line, rule: rule(of: record))
    }

    /// The rule of a record.
    func rule(of record: Record) -> SiteRule {
        let traits = record.traits
        if traits.contains(.isOther) { return other(record, in: bytes.span) }
        let name = [UInt8](bytes[record.content])
        let speaksBoth = traits.isSuperset(of: [.speaksHTTP, .speaksHTTPS])
        return SiteRule(
            isException: traits.contains(.isException),
            schemes: speaksBoth ? .both : traits.contains(.speaksHTTP) ? .http : .https,
            place: traits.contains(.isWildcard) ? .below(name) : .name(name),
            port: traits.contains(.hasAnyPort)
                ? .any : traits.contains(.hasPort) ? .number(record.port) : .schemeDefault,
            path: nil
        )
    }

    /// Calls `body` with each record in order. Copies no name and makes no rule.
    func forEachRecord(_ body: (Record) -> Void) {
        let span = bytes.span
        var place = Place()
        while place.position < endIndex {
            let record = Self.record(at: place, in: span)
            body(record)
            Self.pass(record, &place)
        }
    }
}

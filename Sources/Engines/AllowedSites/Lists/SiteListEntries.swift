internal import WireFormat

/// The rules of a list in the order of its lines, packed one behind the other: three bytes a rule and its name.
///
/// An array of ``SiteRule`` would take a hundred bytes a rule and an allocation for its name. Nearly every rule is a name
/// without a path, so that is what a record holds; the others are kept as they are, and their record says where.
///
/// ```text
/// offset length
///      0      1  traits
///      1      1  n, the length of what stands at the end
///      2      1  lines since the rule before; 0: the line itself follows (4)
///      +    0/2  the port, if the rule names one
///      +      n  the canonical name, or the position among the rules that no record can hold (4)
/// ```
package struct SiteListEntries: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Where every sixteenth record begins, and the line of the one before it.
    private(set) var marks: [Mark] = []
    /// The rules that no record can hold.
    private(set) var others: [SiteRule] = []
    /// How many rules there are.
    package private(set) var endIndex = 0
    /// The line of the last rule, or 0.
    private(set) var lastLine = 0

    struct Mark: Sendable {
        let offset: UInt32
        let lineBefore: UInt32
    }

    static let recordsPerMark = 16
    static let headLength = 3

    /// What a record says of its rule besides name and port.
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

    /// Makes room for the rules of a text of `length` bytes; what is not written to takes no memory.
    mutating func reserve(textLength length: Int) {
        // A name takes a line end less than its line, and three bytes more; growing would copy all of them, several times.
        bytes.reserveCapacity(length + length / 8)
    }

    /// Adds a rule.
    ///
    /// - Precondition: `line` fits into 32 bits, and so does the length of all names together.
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
        let (start, marked, before) = (bytes.count, marks.count, lastLine)
        var traits: Traits = isException ? [.isException, .speaksHTTP, .hasAnyPort] : []
        traits.insert(.speaksHTTPS)
        if isWildcard { traits.insert(.isWildcard) }
        appendHead(traits, length: 0, line: line)
        let nameStart = bytes.count
        guard appendName(&bytes) else {
            bytes.removeLast(bytes.count - start)
            marks.removeLast(marks.count - marked)
            (lastLine, endIndex) = (before, endIndex - 1)
            return false
        }
        bytes[start + 1] = UInt8(bytes.count - nameStart)
        return true
    }

    /// Begins the record of a rule, whose port and name follow.
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
    }

    /// Takes away the rules at `positions`, which ascend.
    mutating func remove(at positions: [Int]) {
        guard !positions.isEmpty else { return }
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
    /// Where a record begins, and what only those before it know.
    struct Place {
        var position = 0
        var offset = 0
        var lineBefore = 0
    }

    /// What stands in a record.
    struct Record {
        let traits: Traits
        let line: Int
        let port: UInt16
        /// Where its name stands, or its position in `others`; the next record follows.
        let content: Range<Int>
    }

    /// The record at `place`.
    static func record(at place: Place, in bytes: Span<UInt8>) -> Record {
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

    /// Goes on to the record at `position`, from the mark before it or from where `place` is.
    private func move(_ place: inout Place, to position: Int, in bytes: Span<UInt8>) {
        precondition(position >= 0 && position < endIndex)
        let mark = position / Self.recordsPerMark
        if place.position > position || place.position < mark * Self.recordsPerMark {
            place.position = mark * Self.recordsPerMark
            (place.offset, place.lineBefore) = (Int(marks[mark].offset), Int(marks[mark].lineBefore))
        }
        while place.position < position { Self.pass(Self.record(at: place, in: bytes), &place) }
    }

    static func pass(_ record: Record, _ place: inout Place) {
        place.position += 1
        (place.offset, place.lineBefore) = (record.content.upperBound, record.line)
    }

    /// What a rule is about, where that is a name: its bytes, which lie in the list as long as the call lasts that lends them, and
    /// whether it is about those below it.
    @safe
    struct Name {
        let bytes: UnsafeRawBufferPointer
        let isBelow: Bool
        /// Whether the rule is about https on port 443 and every path.
        let isPlain: Bool
        let line: Int
    }

    /// Calls `body` with each position of `positions` and the name that the rule there is about, without a copy of it, or
    /// `nil` for a network.
    ///
    /// - Parameter positions: the faster for ascending.
    @inline(__always)
    func forEachName(at positions: some Sequence<Int>, _ body: (Int, Name?) -> Void) {
        let span = bytes.span
        unsafe bytes.withUnsafeBytes { bytes in
            var place = Place()
            for position in positions {
                move(&place, to: position, in: span)
                let record = Self.record(at: place, in: span)
                if record.traits.contains(.isOther) {
                    withName(ofOther: other(record, in: span), line: record.line) { body(position, $0) }
                } else {
                    let isPlain = record.traits.subtracting(.isWildcard) == .speaksHTTPS
                    let name = unsafe Name(
                        // In bounds, or the range traps.
                        bytes: UnsafeRawBufferPointer(rebasing: bytes[record.content]),
                        isBelow: record.traits.contains(.isWildcard),
                        isPlain: isPlain,
                        line: record.line
                    )
                    body(position, name)
                }
                Self.pass(record, &place)
            }
        }
    }

    @inline(never)
    private func withName(ofOther rule: SiteRule, line: Int, _ body: (Name?) -> Void) {
        switch rule.place {
        case .name(let name), .below(let name):
            let isBelow = rule.place == .below(name)
            unsafe name.withUnsafeBytes {
                unsafe body(Name(bytes: $0, isBelow: isBelow, isPlain: rule.isPlain, line: line))
            }
        case .ipv4, .ipv6: body(nil)
        }
    }

    private func other(_ record: Record, in bytes: Span<UInt8>) -> SiteRule {
        others[Int(littleEndianUInt32(in: bytes, at: record.content.lowerBound) ?? 0)]
    }
}

extension SiteListEntries: RandomAccessCollection {
    package var startIndex: Int { 0 }

    /// The rule at `position`, made anew.
    package subscript(position: Int) -> SiteList.Entry {
        let span = bytes.span
        var place = Place()
        move(&place, to: position, in: span)
        let record = Self.record(at: place, in: span)
        let traits = record.traits
        if traits.contains(.isOther) { return SiteList.Entry(line: record.line, rule: other(record, in: span)) }
        let name = [UInt8](bytes[record.content])
        let speaksBoth = traits.isSuperset(of: [.speaksHTTP, .speaksHTTPS])
        let rule = SiteRule(
            isException: traits.contains(.isException),
            schemes: speaksBoth ? .both : traits.contains(.speaksHTTP) ? .http : .https,
            place: traits.contains(.isWildcard) ? .below(name) : .name(name),
            port: traits.contains(.hasAnyPort)
                ? .any : traits.contains(.hasPort) ? .number(record.port) : .schemeDefault,
            path: nil
        )
        return SiteList.Entry(line: record.line, rule: rule)
    }
}

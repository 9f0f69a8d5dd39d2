internal import Hostnames

extension TrieImage {
    /// Checks the contents: the checksum, that a lookup finds each key in its slot, and that each rule list, path and
    /// network is one that the compiler can write.
    ///
    /// - Complexity: O(*n*) in the bytes of the image, less than a microsecond a rule.
    func validate() throws(TrieImageError) {
        let (found, expected) = contentChecksum()
        guard found == expected else { throw .checksum(found: found, expected: expected) }
        try validateConstraints()
        try validateLists()
        let keys = try validateKeys()
        try validateNetworks()
        try validateOrigins()
        guard keys + networkCount - listCount + listRuleCount == ruleCount else { throw .ruleList(number: ruleCount) }
    }

    /// Whether the marks give a node a rule list.
    private func isMarked(_ place: Int) -> Bool { listCount > 0 && listIndex(ofNode: place) != nil }

    /// Checks each slot; returns the number of keys.
    private func validateKeys() throws(TrieImageError) -> Int {
        var number = 0
        var keys = 0
        // Tables must not overlap, so that validation reads each byte once.
        var end: UInt64 = 0
        for length in 1..<Self.keyTableCount {
            let table = keyTable(length)
            let isEmpty = Int(table.firstNumber) == slotCount
            guard isEmpty ? table.slotCount == 1 : Int(table.firstNumber) == number && table.offset >= end else {
                throw .keyTable(keyLength: length)
            }
            if !isEmpty { end = table.offset + slotBytes(table, keyLength: length) }
            for slot in 0..<Int(table.slotCount) {
                switch storedKey(table, length, slot: slot) {
                case .none:
                    guard isEmpty || !isMarked(number + slot) else { throw .key(number: number + slot) }
                case .key(let name, let isBelow):
                    guard !isEmpty, isRight(number + slot, name, isBelow) else { throw .key(number: number + slot) }
                    keys += 1
                case .broken:
                    throw .key(number: number + slot)
                }
            }
            if !isEmpty { number += Int(table.slotCount) }
        }
        guard number == slotCount else { throw .key(number: number) }
        return keys
    }

    /// Whether a key is a canonical host name and a lookup finds it under its number.
    private func isRight(_ number: Int, _ name: [UInt8], _ isBelow: Bool) -> Bool {
        guard Self.isCanonical(name) else { return false }
        let labels = name.count { $0 == UInt8(ascii: ".") } + 1
        if isBelow, !wildcards.contains(labels) { return false }
        return LongName.with(name.span, hash) { name in
            guard let node = node(name, name.count, isBelow: isBelow) else { return false }
            return node.number == number && node.hasList == isMarked(number)
        }
    }

    private static func isCanonical(_ name: [UInt8]) -> Bool {
        var canonical: [UInt8] = []
        let form = try? Hostname.appendCanonicalName(parsing: name.span, in: 0..<name.count, to: &canonical)
        return form == .name && canonical == name
    }

    private func validateLists() throws(TrieImageError) {
        var lists = 0
        let groups = length(of: .listMarks) / 12
        for group in 0..<groups {
            guard Int(load(UInt32.self, .listMarks, at: group * 12 + 8)) == lists else {
                throw .ruleList(number: lists)
            }
            let marks = load(UInt64.self, .listMarks, at: group * 12)
            lists += marks.nonzeroBitCount
            let places = slotCount + networkCount - group * 64
            guard places >= 64 || marks >> UInt64(places) == 0 else { throw .ruleList(number: lists) }
        }
        guard lists == listCount else { throw .ruleList(number: lists) }
        let constraintCount = length(of: .constraints) / Self.constraintLength
        var first = 0
        for list in 0..<listCount {
            let start = Int(load(UInt32.self, .listStarts, at: list * 4))
            let end = Int(load(UInt32.self, .listStarts, at: list * 4 + 4))
            guard start == first, end > start, end <= listRuleCount else { throw .ruleList(number: list) }
            // Constraints are sorted in the order of rules in a list, so their numbers ascend.
            var last = -1
            for rule in start..<end {
                let number = Int(load(UInt32.self, .listRules, at: rule * 4))
                guard number > last, number < constraintCount else { throw .ruleList(number: list) }
                last = number
            }
            first = end
        }
        guard first == listRuleCount else { throw .ruleList(number: listCount) }
    }

    private func validateConstraints() throws(TrieImageError) {
        let pathCount = length(of: .pathStarts) / 4 - 1
        guard pathCount >= 0, length(of: .pathStarts) % 4 == 0 else { throw .path(number: 0) }
        var segments: [Int] = [0]
        for path in 0..<pathCount {
            let isInOrder =
                load(UInt32.self, .pathStarts, at: path * 4) <= load(UInt32.self, .pathStarts, at: path * 4 + 4)
            guard isInOrder, let prefix = self.path(path + 1) else { throw .path(number: path + 1) }
            segments.append(prefix.segmentCount)
        }
        let count = length(of: .constraints) / Self.constraintLength
        guard count * Self.constraintLength == length(of: .constraints) else {
            throw .constraint(number: count)
        }
        typealias Traits = ConstraintTraits
        var last = (Int.max, true)
        for number in 0..<count {
            let traits = load(UInt8.self, .constraints, at: number * Self.constraintLength)
            let port = load(UInt16.self, .constraints, at: number * Self.constraintLength + 2)
            let constraint = constraint(number)
            guard traits < 32, traits & (Traits.speaksHTTP | Traits.speaksHTTPS) != 0,
                traits & Traits.hasNumber == 0 || traits & Traits.hasAnyPort == 0,
                (traits & Traits.hasNumber != 0) == (port > 0),
                constraint.path <= pathCount, constraint.segments == segments[constraint.path],
                // Longer paths first, then exceptions first.
                constraint.segments < last.0 || (constraint.segments == last.0 && (last.1 || !constraint.isException))
            else { throw .constraint(number: number) }
            last = (constraint.segments, constraint.isException)
        }
    }

    private func validateOrigins() throws(TrieImageError) {
        let lists = length(of: .lists) / 8
        var (lines, end): (UInt32, UInt32) = (0, 0)
        for list in 0..<lists {
            let linesBefore = load(UInt32.self, .lists, at: list * 8)
            let nameEnd = load(UInt32.self, .lists, at: list * 8 + 4)
            guard linesBefore >= lines, nameEnd >= end, Int(nameEnd) <= length(of: .listNames),
                list > 0 || linesBefore == 0
            else { throw .section(number: Section.lists.rawValue, offset: UInt64(list), length: UInt64(nameEnd)) }
            (lines, end) = (linesBefore, nameEnd)
        }
        guard originBits == 0 || lists > 0 else {
            throw .section(number: Section.lists.rawValue, offset: 0, length: 0)
        }
    }
}

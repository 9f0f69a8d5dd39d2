internal import WireFormat

extension TrieImage {
    /// Checks the layout of a built image: where sections, slots and pilots lie, and how the counts relate.
    ///
    /// Opening checks the bounds that memory safety needs. This function also checks that sections do not overlap and
    /// that tables of keys follow each other. ``validate()`` checks the contents.
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(1) in the number of rules.
    func brokenInvariant() -> String? {
        brokenSection() ?? brokenKeyTable() ?? brokenCount()
    }

    private func brokenSection() -> String? {
        var ends: [(start: Int, end: Int, section: Section)] = []
        for section in Section.allCases {
            let range = range(of: section)
            if range.isEmpty { continue }
            let offset = range.lowerBound
            if offset % Self.sectionAlignment != 0 {
                return "section \(section) begins at \(offset), not at a multiple of 64"
            }
            if offset < Self.headerLength { return "section \(section) begins inside the header" }
            if !isInside(offset, length: range.count) { return "section \(section) ends outside the image" }
            ends.append((offset, range.upperBound, section))
        }
        ends.sort { $0.start < $1.start }
        for (one, next) in zip(ends, ends.dropFirst()) where one.end > next.start {
            return "sections \(one.section) and \(next.section) overlap"
        }
        return nil
    }

    private func brokenKeyTable() -> String? {
        let pilotCount = length(of: .pilots) / 2
        var (nextNumber, nextPilot, nextOffset) = (0, 0, UInt64(0))
        for length in 1..<Self.keyTableCount {
            let table = keyTable(length)
            // A length without keys has one empty slot in the padding; its number is the number of all slots.
            if Int(table.firstNumber) == slotCount {
                if table.slotCount != 1 {
                    return "the empty table of keys of \(length) bytes has \(table.slotCount) slots"
                }
                continue
            }
            if Int(table.firstNumber) != nextNumber || Int(table.firstPilot) != nextPilot || table.offset < nextOffset {
                return "the table of keys of \(length) bytes does not follow the table before it"
            }
            nextNumber += Int(table.slotCount)
            nextPilot += Int(table.pilotCount)
            nextOffset = table.offset + slotBytes(table, keyLength: length)
            if !isInside(Int(nextOffset), length: Self.keyPadding) {
                return "fewer than \(Self.keyPadding) bytes follow the keys of \(length) bytes"
            }
        }
        if nextNumber != slotCount { return "the tables have \(nextNumber) slots, the header says \(slotCount)" }
        if nextPilot > pilotCount { return "the tables have \(nextPilot) pilots, the section has \(pilotCount)" }
        return nil
    }

    private func brokenCount() -> String? {
        if Int(filterWords) * 8 != length(of: .filter) {
            return "the Bloom filter is not a whole number of words"
        }
        if listCount > listRuleCount { return "\(listCount) rule lists hold \(listRuleCount) rules" }
        if listCount > slotCount + networkCount { return "there are more rule lists than nodes" }
        if (ipv4Ranges?.count ?? ipv4Networks.count) + ipv6Networks.count != networkCount {
            return "the tables of networks do not hold \(networkCount) networks"
        }
        return nil
    }
}

extension TrieImage {
    /// Whether the `length` bytes at `offset` lie inside the image; loads of keys rely on it.
    func isInside(_ offset: Int, length: Int) -> Bool {
        offset >= 0 && length >= 0 && offset <= memory.count - length
    }

    /// Whether `index` is the index of a pilot.
    func isPilot(_ index: Int) -> Bool {
        index >= 0 && index < length(of: .pilots) / 2
    }
}

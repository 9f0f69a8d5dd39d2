extension SiteListEntries {
    /// Checks that the records fill the bytes exactly, that each mark leads to its record, and that each name is not empty.
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the number of rules.
    func brokenInvariant() -> String? {
        let span = bytes.span
        var place = Place()
        var otherCount = 0
        while place.position < endIndex {
            if place.position % Self.recordsPerMark == 0 {
                let mark = marks[place.position / Self.recordsPerMark]
                if Int(mark.offset) != place.offset || Int(mark.lineBefore) != place.lineBefore {
                    return "the mark of record \(place.position) leads elsewhere"
                }
            }
            if place.offset + Self.headLength > bytes.count { return "record \(place.position) ends behind the bytes" }
            let record = Self.record(at: place, in: span)
            if record.content.isEmpty { return "record \(place.position) has no name" }
            if record.content.upperBound > bytes.count { return "record \(place.position) ends behind the bytes" }
            if record.traits.contains(.isOther) { otherCount += 1 }
            Self.pass(record, &place)
        }
        if place.offset != bytes.count { return "\(bytes.count - place.offset) bytes follow the last record" }
        if place.lineBefore != lastLine { return "the last record has line \(place.lineBefore), not \(lastLine)" }
        if otherCount != others.count { return "\(otherCount) records name \(others.count) other rules" }
        return marks.count == (endIndex + Self.recordsPerMark - 1) / Self.recordsPerMark
            ? nil : "\(endIndex) records have \(marks.count) marks"
    }
}

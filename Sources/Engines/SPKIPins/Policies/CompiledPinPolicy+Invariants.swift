internal import WireFormat

extension CompiledPinPolicy {
    /// Checks a compiled policy: the order of its parts, that each entry has a place which leads back to it, and its set.
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the bytes.
    func brokenInvariant() -> String? {
        storage.withSpan { bytes in
            if let broken = layout.brokenInvariant(end: bytes.count - PinImage.checksumLength) { return broken }
            for index in 0..<layout.entryCount {
                let entry = entry(index, in: bytes)
                if entry.index != index { return "entry \(index) has the index \(entry.index)" }
                let place = Place(offset: entry.place)
                if place.entry(entry.breadth, in: bytes)?.index != index { return "no place leads to entry \(index)" }
                if let broken = HostTable(layout: layout).brokenInvariant(of: place, in: bytes) { return broken }
                if let broken = entry.table.brokenInvariant(in: bytes) { return "entry \(index): \(broken)" }
            }
            return nil
        }
    }
}

extension CompiledPinPolicy.Layout {
    /// Checks that the parts follow each other and end before `end`.
    func brokenInvariant(end: Int) -> String? {
        if placeCount > entryCount { return "\(entryCount) entries have \(placeCount) places" }
        if tagsStart % 2 != 0 || tagsStart < Self.placesStart { return "the tags start at \(tagsStart)" }
        if pilotsStart < tagsStart || startsStart < pilotsStart || entriesStart < startsStart {
            return "the parts of the image overlap"
        }
        return entriesStart <= end ? nil : "the entries start at \(entriesStart), after the end at \(end)"
    }
}

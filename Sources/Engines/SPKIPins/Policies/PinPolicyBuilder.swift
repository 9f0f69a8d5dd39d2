internal import Hostnames
internal import Secrets
internal import WireFormat

/// Writes the image of a policy; `CompiledPinPolicy` draws the layout.
struct PinPolicyBuilder {
    private typealias Layout = CompiledPinPolicy.Layout

    private struct Entry {
        let expiry: Int64
        let mode: PinPolicy.Mode
        let members: [PinSet.Member]
    }

    /// A host, and the index of each entry whose pattern contains it, by breadth.
    private struct Place {
        let kind: HostKey.Kind
        let text: [UInt8]
        var entries: [Int?] = [nil, nil, nil]
    }

    private var entries: [Entry] = []
    private var places: [Place] = []
    private var placeOfHost: [Hostname: Int] = [:]

    mutating func append(
        _ entry: PinPolicy.Entry,
        pattern: HostPattern,
        members: [PinSet.Member]
    ) throws(PinPolicyError) {
        let place = placeOfHost[pattern.base] ?? places.count
        if place == places.count {
            placeOfHost[pattern.base] = place
            let (kind, text) = HostKey.bytes(of: pattern.base)
            places.append(Place(kind: kind, text: text))
        }
        let breadth = Int(pattern.breadth.rawValue)
        if let first = places[place].entries[breadth] { throw .duplicatePattern(entry: entries.count, first: first) }
        places[place].entries[breadth] = entries.count
        do throws(PinSetError) {
            let sorted = try PinSet.sorted(members)
            entries.append(Entry(expiry: entry.expiry ?? .max, mode: entry.mode, members: sorted))
        } catch {
            throw PinPolicyError(error, entry: entries.count)
        }
    }

    func image(version: UInt64, at now: Int64) throws(PinPolicyError) -> [UInt8] {
        var text: [UInt8] = []
        for place in places { text += place.text }
        // The seed comes from the hosts, so equal policies have equal images on every machine. If a seed crowds too many
        // hosts into one bucket, another one is tried.
        assert(places.count <= entries.count)
        let digest = Digest32(sha256Of: text.span)
        for attempt in 0..<4 {
            let layout = Layout(
                entryCount: entries.count,
                placeCount: places.count,
                seed: digest.words[attempt],
                compiledAt: now
            )
            let hashes = places.map { SuffixHash.hash(of: $0.text.span, $0.kind, seed: layout.seed) }
            guard let (pilots, slots) = try? layout.slots.place(hashes) else { continue }
            let contents = try contents(layout, pilots: pilots, slots: slots, hashes: hashes)
            return PinImage.make(.policy, version: version, contents: contents)
        }
        throw .crowdedHosts
    }

    private func contents(
        _ layout: Layout,
        pilots: [UInt16],
        slots: [Int],
        hashes: [UInt64]
    ) throws(PinPolicyError) -> [UInt8] {
        var placeAtSlot = [Int?](repeating: nil, count: layout.slots.slotCount)
        for (place, slot) in slots.enumerated() { placeAtSlot[slot] = place }
        var places: [UInt8] = []
        var starts = [Int](repeating: 0, count: entries.count)
        // The parts before the entries replace these zeros at the end.
        var contents = [UInt8](repeating: 0, count: layout.entriesStart - PinImage.headerLength)
        for (slot, index) in placeAtSlot.enumerated() {
            if let index {
                let start = Layout.placesStart + Layout.placeLength * slot
                places += try append(self.places[index], at: start, to: &contents, &starts)
            } else {
                places += [UInt8](repeating: 0, count: Layout.placeLength)
            }
        }
        var front: [UInt8] = []
        front.reserveCapacity(contents.count)
        front.append(littleEndian: UInt32(entries.count))
        front.append(littleEndian: UInt32(self.places.count))
        front.append(littleEndian: layout.seed)
        front.append(littleEndian: UInt64(bitPattern: layout.compiledAt))
        front.append(littleEndian: 0 as UInt64)
        front += places
        assert(front.count == layout.tagsStart - PinImage.headerLength)
        for index in placeAtSlot { front.append(littleEndian: index.map { Layout.tag(of: hashes[$0]) } ?? 0) }
        assert(front.count == layout.pilotsStart - PinImage.headerLength)
        for pilot in pilots { front.append(littleEndian: pilot) }
        Self.pad(&front)
        for start in starts { front.append(littleEndian: UInt32(start / 8)) }
        Self.pad(&front)
        assert(front.count == layout.entriesStart - PinImage.headerLength)
        return front + contents[front.count...]
    }

    /// Appends a place's entries, and before them its text if that is long; returns the place itself.
    private func append(
        _ place: Place,
        at placeStart: Int,
        to contents: inout [UInt8],
        _ starts: inout [Int]
    ) throws(PinPolicyError) -> [UInt8] {
        var text = place.text
        if text.count > Layout.longestInPlace {
            text = []
            text.append(littleEndian: UInt32((contents.count + PinImage.headerLength) / 8))
            contents += place.text
            Self.pad(&contents)
        }
        var entryStarts: [UInt8] = []
        var indices: [UInt8] = []
        for (breadth, index) in place.entries.enumerated() {
            let start = index == nil ? 0 : contents.count + PinImage.headerLength
            entryStarts.append(littleEndian: UInt32(start / 8))
            indices.append(littleEndian: UInt32(index ?? 0))
            guard let index else { continue }
            assert(start > 0 && start.isMultiple(of: 8) && breadth <= 2)
            starts[index] = start
            let entry = entries[index]
            contents.append(littleEndian: UInt64(bitPattern: entry.expiry))
            contents.append(littleEndian: UInt32(index))
            contents.append(littleEndian: UInt32(placeStart / 8))
            let isForbidding = entry.members.contains { $0.role == .forbidden }
            contents += [UInt8(breadth), entry.mode == .enforce ? 0 : 1, isForbidding ? 1 : 0, 0, 0, 0, 0, 0]
            do throws(PinSetError) {
                try PinTable.append(entry.members, to: &contents)
            } catch {
                throw PinPolicyError(error, entry: index)
            }
            Self.pad(&contents)
        }
        let record = entryStarts + indices + [UInt8(place.text.count), place.kind.rawValue, 0, 0] + text
        assert(record.count <= Layout.placeLength && placeStart.isMultiple(of: 8))
        return record + [UInt8](repeating: 0, count: Layout.placeLength - record.count)
    }

    private static func pad(_ contents: inout [UInt8]) {
        while contents.count % 8 != 0 { contents.append(0) }
    }
}

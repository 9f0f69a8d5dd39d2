internal import Hostnames
internal import WireFormat

/// The lookup of the pattern that decides for a host. ``CompiledPinPolicy`` draws the layout.
///
/// ```text
/// for each suffix of the host that starts after a dot, shortest first:
///     remember its entries of `**.` and `*.`
/// look up the whole host
/// answer: host · *. directly above · **. of the longest suffix · none
/// ```
///
/// One pass from the last bytes to the first computes the hashes of all suffixes.
struct HostTable {
    let layout: CompiledPinPolicy.Layout

    typealias Place = CompiledPinPolicy.Place

    /// The offset of an entry, and its index in the order given.
    struct FoundEntry: Equatable {
        let offset: Int
        let index: Int
    }

    /// The entry that decides for a host, or why there is none.
    enum Finding: Equatable {
        case entry(FoundEntry)
        case none(PinAbsence.Reason)
    }

    /// The patterns of the suffixes that were looked up so far.
    private struct Above {
        /// The entry `**.` of the longest suffix that has one.
        var covering: FoundEntry?
        var oneLabelOnly: FoundEntry?
        /// The place of the latest suffix; `*.` of it decides only if no longer suffix follows.
        var last: Place?

        /// Takes the next longer suffix. The one before it is then not directly above the host.
        @inline(__always)
        mutating func meet(_ place: Place?, in bytes: Span<UInt8>) {
            if let last {
                covering = last.entry(.anyLabels, in: bytes) ?? covering
                oneLabelOnly = last.entry(.oneLabel, in: bytes) ?? oneLabelOnly
            }
            last = place
        }
    }

    /// Finds the entry that decides for `host`.
    @inline(__always)
    func find(_ host: Hostname, in bytes: Span<UInt8>) -> Finding {
        switch host.form {
        case .name(let name): find(name.span, in: bytes)
        case .ipv4(let address): find(UInt128(address.rawValue), .ipv4, in: bytes)
        case .ipv6(let address): find(address.rawValue, .ipv6, in: bytes)
        }
    }

    private func find(_ name: Span<UInt8>, in bytes: Span<UInt8>) -> Finding {
        assert(name.count > 0 && name.count <= Hostname.maximumNameLength)
        var hash = SuffixHash(seed: layout.seed)
        var above = Above()
        var end = name.count
        while end >= 8, let word = littleEndianUInt64(in: name, at: end &- 8) {
            meetNames(in: word, endingAt: end, hash, name, &above, in: bytes)
            hash.absorb(word)
            end &-= 8
        }
        assert(end >= 0 && end < 8)
        let rest = SuffixHash.firstBytes(end, of: name)
        meetNames(in: rest, endingAt: end, hash, name, &above, in: bytes)
        let own = place(hash.finished(rest, length: name.count), .name, name, from: 0, in: bytes)

        if let own, let entry = own.entry(.exact, in: bytes) ?? own.entry(.anyLabels, in: bytes) {
            return .entry(entry)
        }
        if let last = above.last, let entry = last.entry(.oneLabel, in: bytes) ?? last.entry(.anyLabels, in: bytes) {
            return .entry(entry)
        }
        if let entry = above.covering { return .entry(entry) }
        if let own, let entry = own.entry(.oneLabel, in: bytes) {
            return .none(.onlySubdomainsArePinned(entry: entry.index))
        }
        if let entry = above.oneLabelOnly {
            return .none(.onlyOneLabelIsPinned(entry: entry.index))
        }
        return .none(.noPattern)
    }

    /// Looks up the suffixes that start after a dot of `word`, the eight bytes of `name` before `end`, from right to left.
    @inline(__always)
    private func meetNames(
        in word: UInt64,
        endingAt end: Int,
        _ hash: SuffixHash,
        _ name: Span<UInt8>,
        _ above: inout Above,
        in bytes: Span<UInt8>
    ) {
        var dots = SuffixHash.dots(in: word)
        while dots != 0 {
            let bit = 63 &- dots.leadingZeroBitCount
            let start = end &- 7 &+ bit &>> 3
            assert(start > 0 && start <= name.count)
            let rest = word & (~1 &<< UInt64(truncatingIfNeeded: bit))
            let found = hash.finished(rest, length: name.count &- start)
            above.meet(place(found, .name, name, from: start, in: bytes), in: bytes)
            dots ^= 1 &<< UInt64(truncatingIfNeeded: bit)
        }
    }

    /// Finds the entry of an address, which is compared as two words.
    private func find(_ address: UInt128, _ kind: HostKey.Kind, in bytes: Span<UInt8>) -> Finding {
        let (low, high) = (UInt64(truncatingIfNeeded: address), UInt64(truncatingIfNeeded: address >> 64))
        guard let place = place(of: SuffixHash.hash(ofAddress: low, high, kind, seed: layout.seed), in: bytes),
            place.kind(in: bytes) == kind.rawValue,
            littleEndianUInt64(in: bytes, at: place.textInside) == low,
            littleEndianUInt64(in: bytes, at: place.textInside &+ 8) == high,
            let entry = place.entry(.exact, in: bytes)
        else { return .none(.noPattern) }
        return .entry(entry)
    }

    /// The place of the host whose text is `text` from `start` on. All bytes are compared, so equal hashes cannot mislead.
    @inline(__always)
    private func place(
        _ hash: UInt64,
        _ kind: HostKey.Kind,
        _ text: Span<UInt8>,
        from start: Int,
        in bytes: Span<UInt8>
    ) -> Place? {
        guard let place = place(of: hash, in: bytes) else { return nil }
        return isText(of: place, kind, text, from: start, in: bytes) ? place : nil
    }

    /// The only place that can hold a host with this hash; `nil` if its tag differs.
    @inline(__always)
    func place(of hash: UInt64, in bytes: Span<UInt8>) -> Place? {
        let pilot = littleEndianUInt16(in: bytes, at: layout.pilotsStart &+ 2 &* layout.slots.bucket(of: hash)) ?? 0
        let slot = layout.slots.slot(of: hash, pilot: pilot)
        assert(layout.tagsStart &+ 2 &* slot &+ 2 <= layout.pilotsStart && layout.entriesStart <= bytes.count)
        let tag = littleEndianUInt16(in: bytes, at: layout.tagsStart &+ 2 &* slot)
        guard tag == CompiledPinPolicy.Layout.tag(of: hash) else { return nil }
        return Place(offset: CompiledPinPolicy.Layout.placesStart &+ CompiledPinPolicy.Layout.placeLength &* slot)
    }

    @inline(never)
    private func isText(
        of place: Place,
        _ kind: HostKey.Kind,
        _ text: Span<UInt8>,
        from start: Int,
        in bytes: Span<UInt8>
    ) -> Bool {
        assert(start >= 0 && start <= text.count)
        let count = text.count &- start
        guard place.length(in: bytes) == count, place.kind(in: bytes) == kind.rawValue else { return false }
        let stored = bytes.extracting(place.text(in: bytes))
        var index = 0
        while index &+ 8 <= count {
            guard littleEndianUInt64(in: stored, at: index) == littleEndianUInt64(in: text, at: start &+ index)
            else { return false }
            index &+= 8
        }
        guard index < count else { return true }
        if count >= 8 {
            // The last eight bytes; some of them were compared before.
            return littleEndianUInt64(in: stored, at: count &- 8) == littleEndianUInt64(in: text, at: text.count &- 8)
        }
        while index < count {
            guard stored[index] == text[start &+ index] else { return false }
            index &+= 1
        }
        return true
    }
}

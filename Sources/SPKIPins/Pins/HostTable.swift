internal import Hostnames
internal import WireFormat

/// What a host is looked up by: the bytes of its name, or of its address as one number.
enum HostKey {
    enum Kind: UInt8 {
        case name = 0
        case ipv4 = 1
        case ipv6 = 2

        /// How many bytes of text such a host may have.
        var lengths: ClosedRange<Int> {
            switch self {
            case .name: 1...Hostname.maximumNameLength
            case .ipv4, .ipv6: 16...16
            }
        }
    }

    /// The bytes that stand for `host` in an image: a name as it is, an address as 16 bytes, least significant first.
    static func bytes(of host: Hostname) -> (kind: Kind, bytes: [UInt8]) {
        switch host.form {
        case .name(let name): (.name, name)
        case .ipv4(let address): (.ipv4, bytes(of: UInt128(address.rawValue)))
        case .ipv6(let address): (.ipv6, bytes(of: address.rawValue))
        }
    }

    /// The canonical text of the host at a place.
    static func text(ofPlaceAt offset: Int, _ layout: CompiledPinPolicy.Layout, in bytes: Span<UInt8>) -> String {
        let start = layout.textStart + Int(littleEndianUInt32(in: bytes, at: offset) ?? 0)
        let low = littleEndianUInt64(in: bytes, at: start) ?? 0
        let high = littleEndianUInt64(in: bytes, at: start + 8) ?? 0
        let form: Hostname.Form =
            switch Kind(rawValue: bytes[offset + 6]) {
            case .ipv4: .ipv4(IPv4Address(rawValue: UInt32(truncatingIfNeeded: low)))
            case .ipv6: .ipv6(IPv6Address(rawValue: UInt128(low) | UInt128(high) << 64))
            default: .name([UInt8](copying: bytes.extracting(start..<start + Int(bytes[offset + 4]))))
            }
        return Hostname(form: form).description
    }

    private static func bytes(of address: UInt128) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: address)
        return bytes
    }
}

/// The patterns of a policy by the hosts they name: one pass over a host, from its last byte to its first, meets every
/// name above it on the way. `CompiledPinPolicy` draws the layout.
struct HostTable {
    let layout: CompiledPinPolicy.Layout

    /// The most slots in a row that may be taken, which bounds every search.
    static let longestRun = 512

    /// A place that a host or a name above it has in the table.
    struct Place {
        /// Offset of the place's record.
        let offset: Int

        /// The entry of a pattern of this breadth, or `nil`.
        @inline(__always)
        func entry(_ breadth: HostPattern.Breadth, in bytes: Span<UInt8>) -> Int? {
            guard let stored = littleEndianUInt32(in: bytes, at: offset &+ 8 &+ 4 &* Int(breadth.rawValue)), stored > 0
            else { return nil }
            return Int(stored) &- 1
        }
    }

    // A byte at a time, since a name above ends at any byte. The upper half of the product depends on all bytes so far.
    @inline(__always)
    private static func mix(_ hash: UInt64, _ byte: UInt64) -> UInt64 {
        (hash ^ byte) &* 0x9E37_79B9_7F4A_7C15
    }

    @inline(__always)
    private func home(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: ((hash >> 32) &* UInt64(truncatingIfNeeded: layout.slotCount)) >> 32)
    }

    /// Bits of the hash that do not choose the slot.
    @inline(__always)
    private static func check(_ hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: hash >> 21) & 0x7FF
    }

    /// Finds what patterns have to do with `host`.
    func find(_ host: Hostname, in bytes: Span<UInt8>) -> PinPolicy.Finding {
        switch host.form {
        case .name(let name): find(name.span, in: bytes)
        case .ipv4(let address): find(.ipv4, UInt128(address.rawValue), in: bytes)
        case .ipv6(let address): find(.ipv6, address.rawValue, in: bytes)
        }
    }

    private func find(_ name: Span<UInt8>, in bytes: Span<UInt8>) -> PinPolicy.Finding {
        var hash = layout.seed
        // Of the names above the host that were met so far, the longest that `**.` stands above.
        var covering: Int?
        var oneLabelOnly: Int?
        // The place of the name that was met last; which of its patterns count depends on whether it is the last.
        var above: Place?
        var start = name.count
        while start > 0 {
            start &-= 1
            let byte = name[start]
            if byte == UInt8(ascii: ".") {
                if let above { (covering, oneLabelOnly) = widen(above, covering, oneLabelOnly, in: bytes) }
                above = place(hash, name, from: start &+ 1, in: bytes)
            }
            hash = Self.mix(hash, UInt64(byte))
        }
        let own = place(hash, name, from: 0, in: bytes)
        if let own, let entry = own.entry(.exact, in: bytes) ?? own.entry(.anyLabels, in: bytes) {
            return .entry(entry)
        }
        if let above, let entry = above.entry(.oneLabel, in: bytes) ?? above.entry(.anyLabels, in: bytes) {
            return .entry(entry)
        }
        if let covering { return .entry(covering) }
        if let own, let entry = own.entry(.oneLabel, in: bytes) { return .none(.onlySubdomainsArePinned(entry: entry)) }
        if let oneLabelOnly { return .none(.onlyOneLabelIsPinned(entry: oneLabelOnly)) }
        return .none(.noPattern)
    }

    /// What a name means to hosts that have two labels more or several.
    private func widen(
        _ place: Place,
        _ covering: Int?,
        _ oneLabelOnly: Int?,
        in bytes: Span<UInt8>
    ) -> (covering: Int?, oneLabelOnly: Int?) {
        (place.entry(.anyLabels, in: bytes) ?? covering, place.entry(.oneLabel, in: bytes) ?? oneLabelOnly)
    }

    private func find(_ kind: HostKey.Kind, _ address: UInt128, in bytes: Span<UInt8>) -> PinPolicy.Finding {
        let words = (UInt64(truncatingIfNeeded: address), UInt64(truncatingIfNeeded: address >> 64))
        let hash = addressHash(kind, words.0, words.1)
        var slot = home(hash)
        while let value = littleEndianUInt32(in: bytes, at: CompiledPinPolicy.Layout.slotsStart &+ 4 &* slot), value > 0
        {
            let offset = record(value)
            let text = layout.textStart &+ Int(littleEndianUInt32(in: bytes, at: offset) ?? 0)
            if value >> 21 == Self.check(hash), bytes[offset &+ 6] == kind.rawValue,
                littleEndianUInt64(in: bytes, at: text) == words.0,
                littleEndianUInt64(in: bytes, at: text &+ 8) == words.1
            {
                guard let entry = Place(offset: offset).entry(.exact, in: bytes) else { return .none(.noPattern) }
                return .entry(entry)
            }
            slot = slot &+ 1 == layout.slotCount ? 0 : slot &+ 1
        }
        return .none(.noPattern)
    }

    private func addressHash(_ kind: HostKey.Kind, _ low: UInt64, _ high: UInt64) -> UInt64 {
        let start = Self.mix(layout.seed, UInt64(kind.rawValue))
        // The lower bits of a product never see the upper ones of its factors, so these are folded down in between.
        let first = Self.mix(start, low)
        return Self.mix(first ^ first >> 32, high ^ low >> 32)
    }

    /// Offset of the place that a slot names.
    @inline(__always)
    private func record(_ slot: UInt32) -> Int {
        layout.placesStart &+ CompiledPinPolicy.Layout.placeLength &* (Int(slot & 0x1F_FFFF) &- 1)
    }

    /// The place of the name that `name` has from `start` on. A hash alone never decides: all bytes are compared.
    @inline(__always)
    private func place(_ hash: UInt64, _ name: Span<UInt8>, from start: Int, in bytes: Span<UInt8>) -> Place? {
        var slot = home(hash)
        while let value = littleEndianUInt32(in: bytes, at: CompiledPinPolicy.Layout.slotsStart &+ 4 &* slot), value > 0
        {
            if value >> 21 == Self.check(hash), isName(at: record(value), name, from: start, in: bytes) {
                return Place(offset: record(value))
            }
            slot = slot &+ 1 == layout.slotCount ? 0 : slot &+ 1
        }
        return nil
    }

    private func isName(at offset: Int, _ name: Span<UInt8>, from start: Int, in bytes: Span<UInt8>) -> Bool {
        let count = name.count &- start
        guard Int(bytes[offset &+ 4]) == count, bytes[offset &+ 6] == HostKey.Kind.name.rawValue else { return false }
        let text = layout.textStart &+ Int(littleEndianUInt32(in: bytes, at: offset) ?? 0)
        var index = 0
        while index &+ 8 <= count {
            guard littleEndianUInt64(in: bytes, at: text &+ index) == littleEndianUInt64(in: name, at: start &+ index)
            else { return false }
            index &+= 8
        }
        while index < count {
            guard bytes[text &+ index] == name[start &+ index] else { return false }
            index &+= 1
        }
        return true
    }
}

extension HostTable {
    /// Makes the slots of hosts, which are all different, or returns `nil` when this seed crowds them.
    func slots(of hosts: [(kind: HostKey.Kind, bytes: [UInt8])]) -> [UInt32]? {
        var slots = [UInt32](repeating: 0, count: layout.slotCount)
        for (index, host) in hosts.enumerated() {
            let hash = hash(of: host.kind, host.bytes.span, 0..<host.bytes.count)
            var slot = home(hash)
            var probes = 1
            while slots[slot] != 0 {
                probes += 1
                guard probes <= Self.longestRun / 2 else { return nil }
                slot = slot + 1 == layout.slotCount ? 0 : slot + 1
            }
            slots[slot] = UInt32(index + 1) | Self.check(hash) << 21
        }
        return slots
    }

    private func hash(of kind: HostKey.Kind, _ text: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        guard kind == .name else {
            let low = littleEndianUInt64(in: text, at: range.lowerBound) ?? 0
            return addressHash(kind, low, littleEndianUInt64(in: text, at: range.lowerBound + 8) ?? 0)
        }
        var hash = layout.seed
        for offset in range.reversed() { hash = Self.mix(hash, UInt64(text[offset])) }
        return hash
    }

    /// As many slots are taken as there are places, each place is found by its own text, and no run is too long.
    func checkSlots(in bytes: Span<UInt8>) throws(PinImageError) {
        var taken = 0
        var run = 0
        for slot in 0..<layout.slotCount {
            let offset = CompiledPinPolicy.Layout.slotsStart + 4 * slot
            guard let value = littleEndianUInt32(in: bytes, at: offset) else { throw .malformed(offset: offset) }
            run = value == 0 ? 0 : run + 1
            guard value == 0 || (1...layout.placeCount).contains(Int(value & 0x1F_FFFF)), run <= Self.longestRun else {
                throw .malformed(offset: offset)
            }
            taken += value == 0 ? 0 : 1
        }
        guard taken == layout.placeCount else { throw .malformed(offset: CompiledPinPolicy.Layout.slotsStart) }
        for index in 0..<layout.placeCount {
            let offset = layout.placesStart + CompiledPinPolicy.Layout.placeLength * index
            guard isFound(offset, in: bytes) else { throw .malformed(offset: offset) }
        }
    }

    private func isFound(_ offset: Int, in bytes: Span<UInt8>) -> Bool {
        let start = layout.textStart + Int(littleEndianUInt32(in: bytes, at: offset) ?? 0)
        let kind = HostKey.Kind(rawValue: bytes[offset + 6]) ?? .name
        let hash = hash(of: kind, bytes, start..<start + Int(bytes[offset + 4]))
        var slot = home(hash)
        while let value = littleEndianUInt32(in: bytes, at: CompiledPinPolicy.Layout.slotsStart + 4 * slot), value > 0 {
            if record(value) == offset { return value >> 21 == Self.check(hash) }
            slot = slot + 1 == layout.slotCount ? 0 : slot + 1
        }
        return false
    }
}

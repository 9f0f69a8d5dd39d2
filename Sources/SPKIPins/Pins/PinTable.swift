internal import WireFormat

/// The pins of a set as they lie in an image, and how one is found among them. Offsets count from the image's first byte.
///
/// ```
/// 0       4    count of pins, n
/// 4       4    slots, s: 0 up to 8 pins, which are looked through; 2n above
/// 8       32n  pins, ascending as four little-endian words
///         n    traits: bits 0–1 position (any, leaf, issuer, anchor), bits 2–3 role (primary, backup, forbidden)
///              zeros up to a multiple of 4
///         4s   slots: 0 for empty, or in bits 0–23 the index of a pin plus one, in bits 24–31 a byte of that pin
/// ```
///
/// A pin is looked for at the slot that its own first word names, and in those behind it up to the first empty one. Pins
/// are hashes already, so nothing is hashed. 41 bytes a pin.
struct PinTable: Equatable {
    /// The most pins of a set: what the bits of a slot can count.
    static let mostPins = 1 << 24 - 2
    /// Up to so many pins there is no table: looking through them is as fast.
    static let mostWithoutSlots = 8
    /// The most slots that are looked at for one pin. Keys that hash to neighbouring slots can be searched for, so there
    /// must be a limit; random ones stay far below.
    static let mostProbes = 256

    let start: Int
    let count: Int
    let slotCount: Int

    var pinsStart: Int { start &+ 8 }
    var traitsStart: Int { pinsStart &+ 32 &* count }
    var slotsStart: Int { traitsStart &+ (count &+ 3) & ~3 }
    /// Behind the last byte.
    var end: Int { slotsStart &+ 4 &* slotCount }

    /// The index of `pin`, or `nil`.
    ///
    /// - Complexity: O(1), three cache misses in a large set; no allocation.
    @inline(__always)
    func index(of pin: Pin, in bytes: Span<UInt8>) -> Int? {
        guard slotCount > 0 else { return indexByLooking(for: pin, in: bytes) }
        var slot = Self.home(of: pin, slots: slotCount)
        let check = UInt32(truncatingIfNeeded: pin.word1) & 0xFF
        while true {
            // No slot is past the end, and one of them is empty: `init(reading:at:end:)` has checked it.
            guard let value = littleEndianUInt32(in: bytes, at: slotsStart &+ 4 &* slot), value != 0 else { return nil }
            if value >> 24 == check {
                let index = Int(value & 0xFF_FFFF) &- 1
                if isPin(pin, at: index, in: bytes) { return index }
            }
            slot = slot &+ 1 == slotCount ? 0 : slot &+ 1
        }
    }

    @inline(__always)
    private static func home(of pin: Pin, slots: Int) -> Int {
        Int(truncatingIfNeeded: ((pin.word0 >> 32) &* UInt64(truncatingIfNeeded: slots)) >> 32)
    }

    @inline(__always)
    private func indexByLooking(for pin: Pin, in bytes: Span<UInt8>) -> Int? {
        for index in 0..<count where isPin(pin, at: index, in: bytes) { return index }
        return nil
    }

    @inline(__always)
    private func isPin(_ pin: Pin, at index: Int, in bytes: Span<UInt8>) -> Bool {
        let offset = pinsStart &+ 32 &* index
        // The first word tells nearly all other pins apart.
        guard littleEndianUInt64(in: bytes, at: offset) == pin.word0 else { return false }
        return self.pin(at: index, in: bytes) == pin
    }

    /// The pin at an index below `count`.
    func pin(at index: Int, in bytes: Span<UInt8>) -> Pin {
        let offset = pinsStart &+ 32 &* index
        return Pin(
            littleEndianUInt64(in: bytes, at: offset) ?? 0,
            littleEndianUInt64(in: bytes, at: offset &+ 8) ?? 0,
            littleEndianUInt64(in: bytes, at: offset &+ 16) ?? 0,
            littleEndianUInt64(in: bytes, at: offset &+ 24) ?? 0
        )
    }

    /// The member at an index below `count`.
    func member(at index: Int, in bytes: Span<UInt8>) -> PinSet.Member {
        let traits = bytes[traitsStart &+ index]
        return PinSet.Member(
            pin: pin(at: index, in: bytes),
            position: PinPosition(code: traits & 3),
            role: PinRole(rawValue: traits >> 2 & 3) ?? .primary
        )
    }
}

extension PinTable {
    /// Appends the bytes of a set to an image that has `image.count` bytes so far, a multiple of 4.
    ///
    /// - Parameter members: ascending by pin, each pin once, at most `mostPins`.
    static func append(_ members: [PinSet.Member], to image: inout [UInt8]) throws(PinSetError) {
        let slotCount = members.count <= mostWithoutSlots ? 0 : 2 * members.count
        image.append(littleEndian: UInt32(members.count))
        image.append(littleEndian: UInt32(slotCount))
        for member in members {
            for word in [member.pin.word0, member.pin.word1, member.pin.word2, member.pin.word3] {
                image.append(littleEndian: word)
            }
        }
        for member in members { image.append(member.position.code | member.role.rawValue << 2) }
        while image.count % 4 != 0 { image.append(0) }
        var slots = [UInt32](repeating: 0, count: slotCount)
        for (index, member) in members.enumerated() where slotCount > 0 {
            var slot = home(of: member.pin, slots: slotCount)
            var probes = 1
            while slots[slot] != 0 {
                probes += 1
                guard probes <= mostProbes else { throw .crowded(pin: member.pin, limit: mostProbes) }
                slot = slot + 1 == slotCount ? 0 : slot + 1
            }
            slots[slot] = UInt32(index + 1) | UInt32(truncatingIfNeeded: member.pin.word1) << 24
        }
        for slot in slots { image.append(littleEndian: slot) }
    }

    /// Checks the set at `start` of an image whose contents end at `end`.
    ///
    /// - Complexity: O(*n*) in the number of pins, whatever the bytes are.
    init(reading bytes: Span<UInt8>, at start: Int, end: Int) throws(PinImageError) {
        let reader = PinImageReader(end: end)
        self.start = start
        count = Int(try reader.word32(in: bytes, at: start))
        slotCount = Int(try reader.word32(in: bytes, at: start + 4))
        guard count <= Self.mostPins, slotCount == (count <= Self.mostWithoutSlots ? 0 : 2 * count) else {
            throw .malformed(offset: start)
        }
        guard self.end <= end else { throw .malformed(offset: start) }
        var previous = Pin(0, 0, 0, 0)
        for index in 0..<count {
            // Ascending from zero: no pin twice, and none that is all zeros.
            let pin = pin(at: index, in: bytes)
            guard previous.precedes(pin) else { throw .malformed(offset: pinsStart + 32 * index) }
            previous = pin
            let traits = bytes[traitsStart + index]
            guard traits < 16, PinRole(rawValue: traits >> 2) != nil else {
                throw .malformed(offset: traitsStart + index)
            }
        }
        for offset in traitsStart + count..<slotsStart where bytes[offset] != 0 { throw .malformed(offset: offset) }
        try checkSlots(bytes)
    }

    /// As many slots are taken as there are pins, and each pin is found within the limit: so every slot names another pin,
    /// and no search runs on.
    private func checkSlots(_ bytes: Span<UInt8>) throws(PinImageError) {
        var taken = 0
        var run = 0
        for slot in 0..<slotCount {
            let offset = slotsStart + 4 * slot
            guard let value = littleEndianUInt32(in: bytes, at: offset) else { throw .malformed(offset: offset) }
            run = value == 0 ? 0 : run + 1
            guard value == 0 || (1...count).contains(Int(value & 0xFF_FFFF)), run <= Self.longestRun else {
                throw .malformed(offset: offset)
            }
            taken += value == 0 ? 0 : 1
        }
        guard slotCount == 0 || taken == count else { throw .malformed(offset: slotsStart) }
        for index in 0..<count {
            guard self.index(of: pin(at: index, in: bytes), in: bytes) == index else {
                throw .malformed(offset: pinsStart + 32 * index)
            }
        }
    }

    /// The most taken slots in a row, which bounds a search for a pin that is not there.
    private static let longestRun = 4 * mostProbes
}

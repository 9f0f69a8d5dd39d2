internal import PerfectHash
internal import WireFormat

/// The pins of a set in an image, and the lookup of one. Offsets count from the image's first byte.
///
/// A set of up to 8 pins is a sorted list. A larger one is a perfect-hash table, see ``SlotTable``.
///
/// | offset | bytes | up to 8 pins | more than 8 pins |
/// |---|---|---|---|
/// | 0 | 4 | number of pins, *n* | the same |
/// | 4 | 4 | number of slots, *s* = *n* | *s* of `SlotTable` |
/// | 8 | | | zeros up to a multiple of 32, so each pin lies in one cache line |
/// | | 32 *s* | the pins, ascending | each pin in its slot; zeros in a free slot |
/// | | *s* | traits: bits 0–1 position (any, leaf, issuer, anchor), bits 2–3 role (primary, backup, forbidden) | the same |
/// | | 2 *b* | | the pilots of the *b* buckets |
///
/// All numbers are little-endian; a pin is four words of 8 bytes. A pin is a hash already, so the table uses its first
/// word as the hash. A pin takes about 36 bytes.
struct PinTable: Equatable {
    /// The most pins of a set.
    static let mostPins = 1 << 24 - 2
    /// The most pins of a set without pilots; a linear search over so few is as fast.
    static let mostWithoutPilots = 8
    /// Bytes of a pin; in a set with pilots, each pin starts at a multiple of it.
    private static let pinLength = 32

    let start: Int
    let count: Int
    private let places: SlotTable

    /// The table of a set of `count` pins that starts at `start`.
    init(start: Int, count: Int) {
        assert(start >= 0 && count >= 0)
        self.start = start
        self.count = count
        places = SlotTable(for: count)
    }

    private var hasPilots: Bool { count > Self.mostWithoutPilots }
    var slotCount: Int { hasPilots ? places.slotCount : count }

    var pinsStart: Int { hasPilots ? (start &+ 8 &+ Self.pinLength &- 1) & ~(Self.pinLength &- 1) : start &+ 8 }
    var traitsStart: Int { pinsStart &+ Self.pinLength &* slotCount }
    private var pilotsStart: Int { traitsStart &+ slotCount }
    /// The offset after the last byte.
    var end: Int { pilotsStart &+ (hasPilots ? 2 &* places.bucketCount : 0) }

    /// The slot of `pin`, or `nil`.
    ///
    /// - Complexity: O(1): one pilot and one pin are read; no allocation.
    @inline(__always)
    func slot(of pin: Pin, in bytes: Span<UInt8>) -> Int? {
        guard hasPilots else { return slotByLooking(for: pin, in: bytes) }
        assert(end <= bytes.count, "opening checked the bounds of the table")
        let bucket = places.bucket(of: pin.word0)
        guard let pilot = littleEndianUInt16(in: bytes, at: pilotsStart &+ 2 &* bucket) else { return nil }
        let slot = places.slot(of: pin.word0, pilot: pilot)
        // A free slot holds zeros, which are not a pin.
        return self.pin(at: slot, in: bytes) == pin && !pin.isZero ? slot : nil
    }

    @inline(__always)
    private func slotByLooking(for pin: Pin, in bytes: Span<UInt8>) -> Int? {
        for slot in 0..<count where self.pin(at: slot, in: bytes) == pin { return slot }
        return nil
    }

    /// The pin at a slot below `slotCount`; zeros for a free slot.
    @inline(__always)
    func pin(at slot: Int, in bytes: Span<UInt8>) -> Pin {
        assert(slot >= 0 && slot < slotCount)
        let offset = pinsStart &+ Self.pinLength &* slot
        // Checked once for all four.
        let words = bytes.extracting(offset..<offset + Self.pinLength)
        return Pin(
            littleEndianUInt64(in: words, at: 0) ?? 0,
            littleEndianUInt64(in: words, at: 8) ?? 0,
            littleEndianUInt64(in: words, at: 16) ?? 0,
            littleEndianUInt64(in: words, at: 24) ?? 0
        )
    }

    /// The member at a slot that is not free.
    @inline(__always)
    func member(at slot: Int, in bytes: Span<UInt8>) -> PinSet.Member {
        let traits = bytes[traitsStart &+ slot]
        assert(traits < 16 && traits >> 2 <= 2, "opening checked all traits")
        return PinSet.Member(
            pin: pin(at: slot, in: bytes),
            position: PinPosition(code: traits & 3),
            role: PinRole(rawValue: traits >> 2 & 3) ?? .primary
        )
    }

    /// Whether a member is forbidden.
    func hasForbidden(in bytes: Span<UInt8>) -> Bool {
        assert(end <= bytes.count)
        for slot in 0..<slotCount where bytes[traitsStart + slot] >> 2 == PinRole.forbidden.rawValue { return true }
        return false
    }

    /// How many members are forbidden.
    func forbiddenCount(in bytes: Span<UInt8>) -> Int {
        assert(end <= bytes.count)
        var count = 0
        for slot in 0..<slotCount where bytes[traitsStart + slot] >> 2 == PinRole.forbidden.rawValue { count += 1 }
        return count
    }

    /// Every member whose role passes `isWanted`, ascending by pin.
    func members(in bytes: Span<UInt8>, where isWanted: (PinRole) -> Bool = { _ in true }) -> [PinSet.Member] {
        assert(end <= bytes.count)
        var members: [PinSet.Member] = []
        for slot in 0..<slotCount where !pin(at: slot, in: bytes).isZero {
            let member = member(at: slot, in: bytes)
            if isWanted(member.role) { members.append(member) }
        }
        return hasPilots ? members.sorted { $0.pin.precedes($1.pin) } : members
    }
}

extension PinTable {
    /// Appends the bytes of a set to the contents of an image, which start at a multiple of 32.
    ///
    /// - Parameter members: ascending by pin, each pin once, at most `mostPins`.
    static func append(_ members: [PinSet.Member], to contents: inout [UInt8]) throws(PinSetError) {
        assert(members.count <= mostPins && contents.count.isMultiple(of: 8))
        let table = PinTable(start: contents.count, count: members.count)
        contents.append(littleEndian: UInt32(members.count))
        contents.append(littleEndian: UInt32(table.slotCount))
        while contents.count < table.pinsStart { contents.append(0) }
        var pilots: [UInt16] = []
        var slots = Array(members.indices)
        if table.hasPilots {
            do throws(Placement.Crowded) {
                (pilots, slots) = try table.places.place(members.map(\.pin.word0))
            } catch {
                throw .crowded(pin: members[error.key].pin)
            }
        }
        var atSlot = [PinSet.Member?](repeating: nil, count: table.slotCount)
        for (member, slot) in zip(members, slots) { atSlot[slot] = member }
        for member in atSlot {
            let pin = member?.pin ?? .zero
            for word in [pin.word0, pin.word1, pin.word2, pin.word3] { contents.append(littleEndian: word) }
        }
        assert(contents.count == table.traitsStart)
        for member in atSlot { contents.append(member.map { $0.position.code | $0.role.rawValue << 2 } ?? 0) }
        for pilot in pilots { contents.append(littleEndian: pilot) }
        assert(contents.count == table.end)
    }

    /// Checks the set at `start` of an image whose contents end at `end`.
    ///
    /// - Complexity: O(*n*) in the number of pins, whatever the bytes are.
    init(reading bytes: Span<UInt8>, at start: Int, end: Int) throws(PinImageError) {
        let reader = PinImageReader(end: end)
        self.init(start: start, count: Int(try reader.word32(in: bytes, at: start)))
        guard count <= Self.mostPins, Int(try reader.word32(in: bytes, at: start + 4)) == slotCount, self.end <= end
        else {
            throw .malformed(offset: start)
        }
        for offset in start + 8..<pinsStart where bytes[offset] != 0 { throw .malformed(offset: offset) }
        var found = 0
        var previous = Pin.zero
        for slot in 0..<slotCount {
            let pin = pin(at: slot, in: bytes)
            let traits = bytes[traitsStart + slot]
            guard traits < 16, PinRole(rawValue: traits >> 2) != nil else {
                throw .malformed(offset: traitsStart + slot)
            }
            if hasPilots, pin.isZero, traits == 0 { continue }
            // A lookup must find the pin in this slot, or the pins must ascend from zero: so no pin occurs twice or is zero.
            guard hasPilots ? self.slot(of: pin, in: bytes) == slot : previous.precedes(pin) else {
                throw .malformed(offset: pinsStart + Self.pinLength * slot)
            }
            previous = pin
            found += 1
        }
        guard found == count else { throw .malformed(offset: start) }
    }
}

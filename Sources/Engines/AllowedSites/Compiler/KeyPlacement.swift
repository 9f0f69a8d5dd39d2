internal import PerfectHash

/// The perfect hash of the keys of one length: how many pilots and slots they get, and which slot function leads to them.
///
/// `PerfectHash` searches the pilots. If a bucket finds none, the search starts again with 3 % more slots.
struct KeyPlacement {
    private let placement: Placement

    var slotCount: UInt32 { placement.slotCount }
    var pilots: [UInt16] { placement.pilots }
    /// The slot of each key.
    var slots: [UInt32] { placement.slots }

    /// Taken slots in percent. A higher load makes the search of the last buckets longer: at 97 % compiling takes twice
    /// as long.
    private static let fill = 94
    /// Keys for each pilot, in tenths. More keys make the table of pilots smaller and compiling slower.
    private static let keysPerPilotTenths = 45

    /// Whether slots use quotienting, as in the compact layout.
    private let isCompact: Bool

    /// Places keys with these hashes.
    ///
    /// - Parameter hashes: distinct, in ascending order.
    /// - Complexity: O(*n*) in the number of keys, a few hundred trials for each bucket.
    init(hashes: [UInt64], isCompact: Bool) {
        assert(zip(hashes, hashes.dropFirst()).allSatisfy { $0 < $1 }, "ascending hashes are grouped by bucket")
        self.isCompact = isCompact
        let pilotCount = UInt32(max((hashes.count * 10 + 9) / Self.keysPerPilotTenths, 1))
        let buckets = Buckets(of: hashes, count: pilotCount)
        let order = buckets.bySize()
        var slotCount = UInt32(max(hashes.count * 100 / Self.fill, hashes.count, 1))
        while true {
            let function = KeySlots(isCompact: isCompact)
            if let placement = try? Placement(of: hashes, in: buckets, order: order, slotCount: slotCount, function) {
                self.placement = placement
                return
            }
            slotCount += slotCount / 32 + 1
        }
    }

    /// The first broken invariant of the placement, or `nil`; `hashes` as in ``init(hashes:isCompact:)``.
    func brokenInvariant(of hashes: [UInt64]) -> String? {
        placement.brokenInvariant(of: hashes, KeySlots(isCompact: isCompact))
    }
}

/// The slot function of each layout.
private struct KeySlots: SlotFunction {
    let isCompact: Bool

    @inline(__always)
    func slot(of hash: UInt64, pilot: UInt16, slots: UInt32) -> Int {
        isCompact
            ? KeyHash.compactSlot(hash, pilot: pilot, slots: slots)
            : slotOfSite(hash, pilot: pilot, slots: slots)
    }
}

import TestSupport
import Testing

@testable import PerfectHash

@Suite struct PlacementTests {
    private static func hashes(_ count: Int, seed: UInt64) -> [UInt64] {
        var random = SeededGenerator(seed: seed)
        return Set((0..<count).map { _ in random.next() as UInt64 }).sorted()
    }

    private static func placement(of hashes: [UInt64], _ function: some SlotFunction) throws -> Placement {
        let buckets = Buckets(of: hashes, count: UInt32(hashes.count / 4 + 1))
        let slotCount = UInt32(hashes.count + hashes.count / 16 + 1)
        return try Placement(of: hashes, in: buckets, order: buckets.bySize(), slotCount: slotCount, function)
    }

    @Test("Every key has a slot of its own, to which its pilot leads", arguments: [0, 1, 2, 9, 100, 5000], 1...4)
    func isPerfect(count: Int, seed: UInt64) throws {
        let hashes = Self.hashes(count, seed: seed)
        for function in [Displacement.ofSites, .ofPins] {
            let placement = try Self.placement(of: hashes, function)
            #expect(Set(placement.slots).count == hashes.count)
            #expect(placement.slots.allSatisfy { $0 < placement.slotCount })
            for (hash, slot) in zip(hashes, placement.slots) {
                let pilot = placement.pilots[scaled(hash, to: UInt64(placement.pilots.count))]
                #expect(function.slot(of: hash, pilot: pilot, slots: placement.slotCount) == Int(slot))
            }
        }
    }

    @Test("Each pilot is the first that fits, as a search with a set of taken slots finds it", arguments: UInt64(1)...8)
    func agreesWithNaiveSearch(seed: UInt64) throws {
        let hashes = Self.hashes(400, seed: seed)
        let placement = try Self.placement(of: hashes, Displacement.ofPins)
        let members = Dictionary(grouping: hashes) { Int(($0 >> 32) * UInt64(hashes.count / 4 + 1) / (1 << 32)) }
        var taken: Set<Int> = []
        let order = members.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        for (bucket, hashes) in order {
            let (pilot, slots) = try #require(
                (UInt16.min...UInt16.max).lazy.compactMap { pilot -> (UInt16, Set<Int>)? in
                    let slots = Set(
                        hashes.map { Displacement.ofPins.slot(of: $0, pilot: pilot, slots: placement.slotCount) }
                    )
                    return slots.count == hashes.count && slots.isDisjoint(with: taken) ? (pilot, slots) : nil
                }.first
            )
            #expect(placement.pilots[bucket] == pilot)
            taken.formUnion(slots)
        }
        #expect(taken.count == hashes.count)
    }

    @Test("A bucket whose keys have one hash is refused") func equalHashes() {
        #expect(throws: Placement.Crowded(key: 0)) { try Self.placement(of: [7, 7, 1 << 63], Displacement.ofPins) }
    }

    @Test("Keys that the placement was not made of break its invariant") func otherKeys() throws {
        let hashes = Self.hashes(100, seed: 1)
        let placement = try Self.placement(of: hashes, Displacement.ofSites)
        #expect(placement.brokenInvariant(of: hashes, Displacement.ofSites) == nil)
        #expect(placement.brokenInvariant(of: hashes.dropLast(), Displacement.ofSites) != nil)
        #expect(placement.brokenInvariant(of: hashes.map { $0 ^ 1 << 63 }, Displacement.ofSites) != nil)
        #expect(placement.brokenInvariant(of: hashes, Displacement.ofPins) != nil)
    }
}

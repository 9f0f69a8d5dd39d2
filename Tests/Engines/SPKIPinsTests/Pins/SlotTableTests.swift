import PerfectHash
import TestSupport
import Testing

@testable import SPKIPins

@Suite struct SlotTableTests {
    private static func hashes(_ count: Int, seed: UInt64) -> [UInt64] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt64.random(in: 0 ... .max, using: &generator) }
    }

    @Test(
        "Each hash has a slot of its own, to which its pilot leads",
        arguments: [1, 2, 9, 16, 100, 5000],
        UInt64(1)...4
    )
    func slotsAreDistinct(count: Int, seed: UInt64) throws {
        let hashes = Self.hashes(count, seed: seed)
        let table = SlotTable(for: count)
        let (pilots, slots) = try table.place(hashes)
        #expect(Set(slots).count == count)
        #expect(slots.allSatisfy { (0..<table.slotCount).contains($0) })
        #expect(pilots.count == table.bucketCount)
        for (hash, slot) in zip(hashes, slots) {
            #expect(table.slot(of: hash, pilot: pilots[table.bucket(of: hash)]) == slot)
        }
    }

    @Test("The order of the hashes changes nothing", arguments: UInt64(1)...4)
    func orderDoesNotMatter(seed: UInt64) throws {
        let hashes = Self.hashes(300, seed: seed)
        let table = SlotTable(for: hashes.count)
        let one = try table.place(hashes)
        let other = try table.place(hashes.reversed())
        #expect(one.pilots == other.pilots && one.slots == other.slots.reversed())
    }

    @Test("Equal hashes, and too many for one bucket, are refused")
    func crowded() {
        let table = SlotTable(for: 200)
        #expect(throws: Placement.Crowded.self) { try table.place([7, 8, 7]) }
        #expect(throws: Placement.Crowded.self) { try table.place((0..<200).map { UInt64($0) }) }
    }
}

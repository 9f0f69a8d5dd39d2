import TestSupport
import Testing

@testable import AllowedSites

@Suite struct KeyPlacementTests {
    @Test("Every key has a slot of its own, to which its pilot leads", arguments: UInt64(1)...4, [false, true])
    func isPerfect(seed: UInt64, isCompact: Bool) {
        var random = SeededGenerator(seed: seed)
        for count in [0, 1, 2, 5, 100, 3000] {
            let hashes = Set((0..<count).map { _ in random.next() as UInt64 }).sorted()
            let placement = KeyPlacement(hashes: hashes, isCompact: isCompact)
            #expect(placement.brokenInvariant(of: hashes) == nil)
        }
    }

    @Test("Keys that the placement was not made of break its invariant") func otherKeys() {
        var random = SeededGenerator(seed: 1)
        let hashes = (0..<100).map { _ in random.next() as UInt64 }.sorted()
        let placement = KeyPlacement(hashes: hashes, isCompact: false)
        #expect(placement.brokenInvariant(of: hashes.dropLast()) != nil)
        #expect(placement.brokenInvariant(of: hashes.map { $0 ^ 1 << 63 }) != nil)
    }
}

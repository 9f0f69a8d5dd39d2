import TestSupport
import Testing

@testable import CredentialStores

@Suite struct RecordKeyTests {
    @Test("Tags have the order and the bytes of their bytes", arguments: UInt64(1)...4)
    func order(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            // Few values, so that words are equal now and then.
            let left = (0..<16).map { _ in UInt8.random(in: 127...128, using: &generator) }
            var right = (0..<16).map { _ in UInt8.random(in: 127...128, using: &generator) }
            if Bool.random(using: &generator) { right.replaceSubrange(0..<12, with: left[0..<12]) }
            #expect((Tag(left, at: 0) < Tag(right, at: 0)) == left.lexicographicallyPrecedes(right))
            #expect((Tag(left, at: 0) == Tag(right, at: 0)) == (left == right))
            #expect(Tag([0] + left, at: 1).bytes == left)
        }
    }
}

import TestSupport
import Testing

@testable import PerfectHash

@Suite struct BucketsTests {
    @Test("Buckets, their sizes and their order agree with a dictionary and a sort", arguments: UInt64(1)...16)
    func agreesWithDictionary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let hashes = (0..<Int.random(in: 0...300, using: &random)).map { _ in random.next() as UInt64 }
        let count = UInt32.random(in: 1...80, using: &random)
        let buckets = Buckets(of: hashes, count: count)
        let members = Dictionary(grouping: hashes.indices) { Int((hashes[$0] >> 32) * UInt64(count) / (1 << 32)) }
        #expect(buckets.count == Int(count))
        for bucket in 0..<Int(count) {
            #expect(Int(buckets.starts[bucket + 1] - buckets.starts[bucket]) == members[bucket]?.count ?? 0)
        }
        #expect(buckets.largest == members.values.map(\.count).max() ?? 0)
        #expect(buckets.grouped(hashes).map(Int.init) == members.sorted { $0.key < $1.key }.flatMap(\.value))
        let bySize = members.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map(\.key)
        #expect(buckets.bySize().map(Int.init) == bySize)
    }

    @Test("A scaled hash is below the count, and grows with the hash", arguments: [1, 2, 3, 1000, 1 << 32] as [UInt64])
    func scaling(count: UInt64) {
        #expect(scaled(0, to: count) == 0)
        #expect(scaled(.max, to: count) == Int(count - 1))
        #expect(scaled(1 << 63, to: count) == Int(count / 2))
    }
}

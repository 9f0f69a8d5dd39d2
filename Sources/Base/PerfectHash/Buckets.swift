/// The keys of a perfect hash by bucket; the upper bits of a hash choose the bucket.
package struct Buckets {
    /// The number of keys in the buckets before each bucket; one more element holds the number of all keys.
    package let starts: [UInt32]

    /// Counts the keys of each bucket.
    ///
    /// - Parameters:
    ///   - hashes: in any order.
    ///   - count: the number of buckets, at least 1.
    /// - Complexity: O(*n*).
    package init(of hashes: [UInt64], count: UInt32) {
        precondition(count > 0 && hashes.count <= Int(UInt32.max))
        var starts = [UInt32](repeating: 0, count: Int(count) + 1)
        for hash in hashes { starts[scaled(hash, to: count) + 1] += 1 }
        for bucket in 1..<starts.count { starts[bucket] += starts[bucket - 1] }
        self.starts = starts
        assert(Int(starts[Int(count)]) == hashes.count)
    }

    /// The number of buckets.
    package var count: Int { starts.count - 1 }

    private func size(of bucket: Int) -> Int { Int(starts[bucket + 1] - starts[bucket]) }

    /// The number of keys in the largest bucket.
    package var largest: Int { (0..<count).reduce(0) { max($0, size(of: $1)) } }

    /// The positions of `hashes` in order of their buckets; stable. Ascending hashes are in this order already.
    ///
    /// - Parameter hashes: those that the buckets were counted from.
    package func grouped(_ hashes: [UInt64]) -> [UInt32] {
        assert(hashes.count == Int(starts[count]), "other hashes than those that were counted")
        var next = starts
        var order = [UInt32](repeating: 0, count: hashes.count)
        for (key, hash) in hashes.enumerated() {
            let bucket = scaled(hash, to: UInt32(count))
            assert(next[bucket] < starts[bucket + 1], "other hashes than those that were counted")
            order[Int(next[bucket])] = UInt32(key)
            next[bucket] += 1
        }
        return order
    }

    /// The buckets that have keys, largest first and then in ascending order; a counting sort.
    package func bySize() -> [UInt32] {
        let buckets = 0..<count
        let largest = largest
        var next = [Int](repeating: 0, count: largest + 2)
        for bucket in buckets { next[largest - size(of: bucket) + 1] += 1 }
        for place in 1..<next.count { next[place] += next[place - 1] }
        // Empty buckets sort last and are cut off.
        var order = [UInt32](repeating: 0, count: next[largest])
        for bucket in buckets where size(of: bucket) > 0 {
            order[next[largest - size(of: bucket)]] = UInt32(bucket)
            next[largest - size(of: bucket)] += 1
        }
        return order
    }
}

internal import PerfectHash

/// The size of a perfect-hash table of `count` keys, and where a lookup finds the pilot and the slot of a key.
///
/// `PerfectHash` searches the pilots and documents the construction. A lookup reads one pilot and one slot, so its cost
/// does not depend on the keys, and the processor can start the next lookup while this one waits for memory.
struct SlotTable: Equatable {
    /// The number of slots: a sixteenth more than keys, because the last buckets then find a pilot fast.
    let slotCount: Int
    /// The number of buckets, and so of pilots of 16 bits.
    let bucketCount: Int

    /// Keys in a bucket, on average.
    private static let keysPerBucket = 4
    /// The most keys in a bucket. Random hashes stay far below: 16 million have 23 at most.
    private static let mostInBucket = 64

    init(for count: Int) {
        assert(count >= 0 && count <= UInt32.max, "counts are read from fields of 32 bits")
        slotCount = count &+ count / 16 &+ 1
        bucketCount = count / Self.keysPerBucket &+ 1
    }

    @inline(__always)
    func bucket(of hash: UInt64) -> Int {
        let bucket = scaled(hash, to: UInt64(truncatingIfNeeded: bucketCount))
        assert(bucket < bucketCount)
        return bucket
    }

    @inline(__always)
    func slot(of hash: UInt64, pilot: UInt16) -> Int {
        let slot = slotOfPin(hash, pilot: pilot, slots: UInt64(truncatingIfNeeded: slotCount))
        assert(slot < slotCount)
        return slot
    }

    /// Finds a slot for each hash. The result does not depend on the order of the hashes.
    ///
    /// - Throws: `Placement.Crowded` if hashes are equal or too many have the same upper bits; `key` is the position of
    ///   one of them.
    func place(_ hashes: [UInt64]) throws(Placement.Crowded) -> (pilots: [UInt16], slots: [Int]) {
        precondition(hashes.count <= slotCount)
        let buckets = Buckets(of: hashes, count: UInt32(bucketCount))
        let order = buckets.bySize()
        let grouped = buckets.grouped(hashes)
        if let first = order.first, buckets.largest > Self.mostInBucket {
            // Refused without a search, which would try all 65,536 pilots.
            throw Placement.Crowded(key: Int(grouped[Int(buckets.starts[Int(first)])]))
        }
        let placement: Placement
        do throws(Placement.Crowded) {
            placement = try Placement(
                of: grouped.map { hashes[Int($0)] },
                in: buckets,
                order: order,
                slotCount: UInt32(slotCount),
                Displacement.ofPins
            )
        } catch {
            throw Placement.Crowded(key: Int(grouped[error.key]))
        }
        var slots = [Int](repeating: 0, count: hashes.count)
        for (key, slot) in zip(grouped, placement.slots) { slots[Int(key)] = Int(slot) }
        return (placement.pilots, slots)
    }
}

/// A perfect hash: each key has a slot of its own, found by reading one pilot.
///
/// ```text
/// bucket(key) = scale(hash, pilots)
/// slot(key)   = slotFunction(hash, pilots[bucket], slots)
///
/// for each bucket, largest first:
///     pilots[bucket] = the first number in 0...65535 that leads all keys of the bucket to free slots
/// ```
///
/// The construction is hash and displace as in CHD (Belazzougui, Botelho, Dietzfelbinger, *Hash, Displace, and
/// Compress*, ESA 2009): buckets of equal expected size, largest first, first displacement that fits. As in PTHash
/// (Pibiri and Trani, SIGIR 2021), which calls the displacement a pilot, it is combined with the hash by exclusive-or.
/// Unlike both, pilots are not compressed, because each lookup reads one, and some slots stay free, because the last
/// buckets find a pilot faster.
package struct Placement {
    /// The displacement of each bucket; 0 for a bucket without keys.
    package let pilots: [UInt16]
    /// The slot of each key, in the order of the hashes.
    package let slots: [UInt32]
    /// The number of slots, taken and free.
    package let slotCount: UInt32

    /// A bucket for which no pilot leads to free slots; `key` is the position of one of its hashes.
    package struct Crowded: Error, Equatable {
        package let key: Int

        @inlinable
        package init(key: Int) { self.key = key }
    }

    /// Places keys with these hashes.
    ///
    /// `@inlinable`, so each engine compiles it for its own slot function.
    ///
    /// - Parameters:
    ///   - hashes: in the order of `buckets`, see ``Buckets/grouped(_:)``. Equal hashes never find a pilot.
    ///   - order: the buckets that have keys, see ``Buckets/bySize()``.
    ///   - slotCount: at least the number of hashes.
    /// - Complexity: O(*n*) in the number of keys, a few hundred trials for each bucket.
    @inlinable
    package init(
        of hashes: [UInt64],
        in buckets: Buckets,
        order: [UInt32],
        slotCount: UInt32,
        _ function: some SlotFunction
    ) throws(Crowded) {
        precondition(slotCount > 0 && hashes.count <= Int(slotCount))
        assert(hashes.count == Int(buckets.starts[buckets.count]))
        var pilots = [UInt16](repeating: 0, count: buckets.count)
        var slots = [UInt32](repeating: 0, count: hashes.count)
        var taken = [UInt64](repeating: 0, count: Int(slotCount) / 64 + 1)
        let starts = buckets.starts
        for bucket in order {
            let keys = Int(starts[Int(bucket)])..<Int(starts[Int(bucket) + 1])
            guard let pilot = Self.freePilot(hashes, keys, slotCount, function, &slots, &taken) else {
                throw Crowded(key: keys.lowerBound)
            }
            pilots[Int(bucket)] = pilot
        }
        (self.pilots, self.slots, self.slotCount) = (pilots, slots, slotCount)
        assert(brokenInvariant(of: hashes, function) == nil)
    }

    /// The first pilot that leads all keys of `bucket` to free slots, which are then taken; `nil` if no pilot does.
    @inlinable
    package static func freePilot(
        _ hashes: [UInt64],
        _ bucket: Range<Int>,
        _ slotCount: UInt32,
        _ function: some SlotFunction,
        _ slots: inout [UInt32],
        _ taken: inout [UInt64]
    ) -> UInt16? {
        for pilot in UInt16.min...UInt16.max {
            var placed = bucket.lowerBound
            while placed < bucket.upperBound {
                let slot = function.slot(of: hashes[placed], pilot: pilot, slots: slotCount)
                assert(slot >= 0 && slot < Int(slotCount))
                let bit = UInt64(1) &<< UInt64(slot & 63)
                if taken[slot &>> 6] & bit != 0 { break }
                taken[slot &>> 6] |= bit
                slots[placed] = UInt32(truncatingIfNeeded: slot)
                placed &+= 1
            }
            if placed == bucket.upperBound { return pilot }
            while placed > bucket.lowerBound {
                placed &-= 1
                let slot = Int(slots[placed])
                taken[slot &>> 6] &= ~(UInt64(1) &<< UInt64(slot & 63))
            }
        }
        return nil
    }
}

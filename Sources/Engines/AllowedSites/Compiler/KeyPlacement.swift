/// Builds a perfect hash: each key gets a slot of its own, found by reading one pilot.
///
/// ```text
/// bucket(key) = scale(hash, pilots)                    about 4.5 keys a bucket
/// slot(key)   = scale((hash ^ pilots[bucket]) * constant, slots)
///
/// for each bucket, largest first:
///     pilots[bucket] = the first number in 0...65535 that leads all keys of the bucket to free slots
/// if a bucket finds none: try again with 3 % more slots
/// ```
///
/// The construction is hash and displace as in CHD (Belazzougui, Botelho, Dietzfelbinger, *Hash, Displace, and
/// Compress*, ESA 2009): buckets of equal expected size, largest first, first displacement that fits. As in PTHash
/// (Pibiri and Trani, SIGIR 2021), which calls the displacement a pilot, it is combined with the hash by exclusive-or.
/// Unlike both, pilots are not compressed, because each lookup reads one, and 94 % of the slots are taken instead of
/// all, because that compiles faster.
struct KeyPlacement {
    private(set) var slotCount: UInt32
    private(set) var pilots: [UInt16]
    /// The slot of each key.
    private(set) var slots: [UInt32]

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
        self.isCompact = isCompact
        slotCount = UInt32(max(hashes.count * 100 / Self.fill, hashes.count, 1))
        pilots = [UInt16](repeating: 0, count: max((hashes.count * 10 + 9) / Self.keysPerPilotTenths, 1))
        slots = [UInt32](repeating: 0, count: hashes.count)
        let starts = bucketStarts(hashes)
        let order = Self.bucketsBySize(starts)
        while !place(hashes, starts, order) { slotCount += slotCount / 32 + 1 }
        assert(brokenInvariant(of: hashes) == nil)
    }

    /// The first key of each bucket, and the number of keys at the end.
    private func bucketStarts(_ hashes: [UInt64]) -> [UInt32] {
        var starts = [UInt32](repeating: 0, count: pilots.count + 1)
        let count = UInt32(pilots.count)
        for hash in hashes { starts[scaled(hash, to: count) + 1] += 1 }
        for bucket in 1..<starts.count { starts[bucket] += starts[bucket - 1] }
        return starts
    }

    /// The buckets that have keys, largest first; a counting sort.
    private static func bucketsBySize(_ starts: [UInt32]) -> [UInt32] {
        func size(_ bucket: Int) -> Int { Int(starts[bucket + 1] - starts[bucket]) }
        let buckets = 0..<starts.count - 1
        let largest = buckets.reduce(0) { max($0, size($1)) }
        var next = [Int](repeating: 0, count: largest + 2)
        for bucket in buckets { next[largest - size(bucket) + 1] += 1 }
        for place in 1..<next.count { next[place] += next[place - 1] }
        // Empty buckets sort last and are cut off.
        var order = [UInt32](repeating: 0, count: next[largest])
        for bucket in buckets where size(bucket) > 0 {
            order[next[largest - size(bucket)]] = UInt32(bucket)
            next[largest - size(bucket)] += 1
        }
        return order
    }

    /// The slot to which `pilot` leads a key.
    @inline(__always)
    func slot(of hash: UInt64, _ pilot: UInt16) -> Int {
        isCompact
            ? KeyHash.compactSlot(hash, pilot: pilot, slots: slotCount)
            : KeyHash.slot(hash, pilot: pilot, slots: slotCount)
    }

    private mutating func place(_ hashes: [UInt64], _ starts: [UInt32], _ order: [UInt32]) -> Bool {
        var taken = [UInt64](repeating: 0, count: Int(slotCount) / 64 + 1)
        for bucket in order {
            let keys = Int(starts[Int(bucket)])..<Int(starts[Int(bucket) + 1])
            guard let pilot = freePilot(hashes, keys, &taken) else { return false }
            pilots[Int(bucket)] = pilot
        }
        return true
    }

    /// The first pilot that leads all keys of `bucket` to free slots, which are then taken; `nil` if no pilot does.
    private mutating func freePilot(_ hashes: [UInt64], _ bucket: Range<Int>, _ taken: inout [UInt64]) -> UInt16? {
        for pilot in UInt16.min...UInt16.max {
            var placed = bucket.lowerBound
            while placed < bucket.upperBound {
                let slot = slot(of: hashes[placed], pilot)
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

/// Finds a slot for each of many keys so that one look at a pilot and one at a slot finds any of them.
///
/// Keys with the same upper hash bits share a pilot. Buckets are taken in turn, the largest first, and for each the first
/// pilot is looked for that leads all its keys to free slots; so the work is done here, and a lookup never probes twice.
struct KeyPlacement {
    private(set) var slotCount: UInt32
    private(set) var pilots: [UInt16]
    /// The slot of each key.
    private(set) var slots: [UInt32]

    /// Keys a slot, in percent. Above this, the last buckets need very many pilots: at 97 % compiling takes twice as long.
    private static let fill = 94
    /// Keys a pilot, in tenths. More make the table of pilots smaller and compiling slower.
    private static let keysPerPilotTenths = 45

    /// Whether slots are those of coded keys, which imply a part of the hash.
    private let isCompact: Bool

    /// Places keys with these hashes, which ascend and differ.
    ///
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

    /// Where the keys of each pilot begin, and where the last ones end.
    private func bucketStarts(_ hashes: [UInt64]) -> [UInt32] {
        var starts = [UInt32](repeating: 0, count: pilots.count + 1)
        let count = UInt32(pilots.count)
        for hash in hashes { starts[scaled(hash, to: count) + 1] += 1 }
        for bucket in 1..<starts.count { starts[bucket] += starts[bucket - 1] }
        return starts
    }

    /// The pilots that have keys, those with the most keys first.
    private static func bucketsBySize(_ starts: [UInt32]) -> [UInt32] {
        func size(_ bucket: Int) -> Int { Int(starts[bucket + 1] - starts[bucket]) }
        let buckets = 0..<starts.count - 1
        let largest = buckets.reduce(0) { max($0, size($1)) }
        var next = [Int](repeating: 0, count: largest + 2)
        for bucket in buckets { next[largest - size(bucket) + 1] += 1 }
        for place in 1..<next.count { next[place] += next[place - 1] }
        // Those without keys stand last.
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

    /// The first pilot that leads every key of `bucket` to a free slot; takes the slots.
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

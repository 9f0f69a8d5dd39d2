/// A slot of its own for each of many hashes, found without a search: hash and displace (Belazzougui, Botelho and Dietzfelbinger,
/// "Hash, displace, and compress", 2009).
///
/// A hash belongs to a bucket, and the bucket has a pilot: a number that was looked for when compiling until it sent each of the
/// bucket's few hashes to a slot that no other has. A look-up reads one pilot and one slot, so it cannot be made slow, and the
/// processor can begin the next one before this one has come back from memory.
struct Displacement: Equatable {
    /// How many slots there are: a sixteenth more than hashes, or the last pilots would be searched for long.
    let slotCount: Int
    /// How many buckets, and so pilots of 16 bits.
    let bucketCount: Int

    /// Hashes in a bucket, on average.
    private static let hashesPerBucket = 4
    /// The most hashes in a bucket; random ones stay far below (16 million have 23 at most).
    private static let mostInBucket = 64

    init(for count: Int) {
        slotCount = count + count / 16 + 1
        bucketCount = count / Self.hashesPerBucket + 1
    }

    @inline(__always)
    func bucket(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: ((hash >> 32) &* UInt64(truncatingIfNeeded: bucketCount)) >> 32)
    }

    @inline(__always)
    func slot(of hash: UInt64, pilot: UInt16) -> Int {
        // The hashes of a bucket begin alike, so their ends have to spread: a product carries these upwards.
        let mixed = (hash ^ (UInt64(pilot) &* 0xC2B2_AE3D_27D4_EB4F)) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: ((mixed >> 32) &* UInt64(truncatingIfNeeded: slotCount)) >> 32)
    }

    /// Hashes that no pilot keeps apart, since they are alike or too many; `index` is one of them.
    struct Crowded: Error {
        let index: Int
    }

    /// Finds a slot for each hash; the same for the same hashes, in whatever order they come.
    func place(_ hashes: [UInt64]) throws(Crowded) -> (pilots: [UInt16], slots: [Int]) {
        var starts = [Int](repeating: 0, count: bucketCount + 1)
        for (index, hash) in hashes.enumerated() {
            let next = bucket(of: hash) + 1
            guard starts[next] < Self.mostInBucket else { throw Crowded(index: index) }
            starts[next] += 1
        }
        for bucket in 0..<bucketCount { starts[bucket + 1] += starts[bucket] }
        var ends = starts
        var members = [Int](repeating: 0, count: hashes.count)
        for (index, hash) in hashes.enumerated() {
            let bucket = bucket(of: hash)
            members[ends[bucket]] = index
            ends[bucket] += 1
        }
        // Large buckets first, while there is room; sorted by the bucket as well, so that every machine does the same.
        let order = (0..<bucketCount).sorted { one, other in
            let (size, otherSize) = (starts[one + 1] - starts[one], starts[other + 1] - starts[other])
            return (otherSize, one) < (size, other)
        }
        var isTaken = [Bool](repeating: false, count: slotCount)
        var pilots = [UInt16](repeating: 0, count: bucketCount)
        var slots = [Int](repeating: 0, count: hashes.count)
        for bucket in order {
            let inside = members[starts[bucket]..<starts[bucket + 1]]
            guard let first = inside.first else { break }
            guard let pilot = pilot(for: inside, hashes, &isTaken, &slots) else { throw Crowded(index: first) }
            pilots[bucket] = pilot
        }
        return (pilots, slots)
    }

    /// Takes the slots of the first pilot that fits, or none.
    private func pilot(
        for bucket: ArraySlice<Int>,
        _ hashes: [UInt64],
        _ isTaken: inout [Bool],
        _ slots: inout [Int]
    ) -> UInt16? {
        for pilot in UInt16(0) ... .max {
            var count = 0
            for index in bucket {
                let slot = slot(of: hashes[index], pilot: pilot)
                guard !isTaken[slot] else { break }
                isTaken[slot] = true
                slots[index] = slot
                count += 1
            }
            if count == bucket.count { return pilot }
            for index in bucket.prefix(count) { isTaken[slots[index]] = false }
        }
        return nil
    }
}

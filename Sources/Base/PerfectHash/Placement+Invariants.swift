extension Placement {
    /// Checks that the hash is perfect: each key of `hashes` has a slot of its own, and its pilot leads to that slot.
    ///
    /// - Parameter hashes: those that the placement was made of, in the same order.
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the number of keys.
    package func brokenInvariant(of hashes: [UInt64], _ function: some SlotFunction) -> String? {
        if slots.count != hashes.count { return "\(hashes.count) keys have \(slots.count) slots" }
        if pilots.isEmpty { return "there are no pilots" }
        var taken = [Bool](repeating: false, count: Int(slotCount))
        for (key, hash) in hashes.enumerated() {
            let pilot = pilots[scaled(hash, to: UInt32(pilots.count))]
            let slot = function.slot(of: hash, pilot: pilot, slots: slotCount)
            if slot >= taken.count { return "slot \(slot) of key \(key) does not exist" }
            if slot != Int(slots[key]) { return "the pilot of key \(key) leads to slot \(slot), not to \(slots[key])" }
            if taken[slot] { return "slot \(slot) has two keys" }
            taken[slot] = true
        }
        return nil
    }
}

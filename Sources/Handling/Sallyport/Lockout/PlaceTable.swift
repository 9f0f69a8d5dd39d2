/// What is known of places, found by the hash that each place brings along: a dictionary would hash that once more, which
/// takes longer than all the rest of a look-up.
///
/// Open addressing with linear steps. A place stands at the first free slot from its hash on; at most half of the slots are
/// taken, and nothing is removed but with the whole table made anew.
struct PlaceTable<Value: Sendable>: Sendable {
    private struct Resident {
        let place: LockoutBudget.Place
        var value: Value
    }

    /// The number of a resident plus one; 0 is free. A power of two of them, or none.
    private var slots: [UInt32] = []
    private var residents: [Resident] = []

    /// How many places there are.
    var count: Int { residents.count }

    /// What is known of `place`, or `nil`.
    ///
    /// - Complexity: O(1) on average; no allocation.
    subscript(place: LockoutBudget.Place) -> Value? {
        guard !slots.isEmpty else { return nil }
        var slot = first(place)
        while slots[slot] != 0 {
            let resident = Int(slots[slot]) - 1
            if residents[resident].place == place { return residents[resident].value }
            slot = after(slot)
        }
        return nil
    }

    /// Notes `value` for a place that is not there yet.
    mutating func add(_ value: Value, at place: LockoutBudget.Place) {
        residents.append(Resident(place: place, value: value))
        if residents.count > slots.count / 2 {
            settleAll(amongSlots: max(8, slots.count * 2))
        } else {
            settle(residents.count - 1)
        }
    }

    /// Forgets the places whose values are not `worthKeeping`, which sees each value where it stands.
    ///
    /// - Complexity: O(*n*) in the number of places.
    mutating func keep(_ worthKeeping: (inout Value) -> Bool) {
        var kept: [Resident] = []
        for index in residents.indices where worthKeeping(&residents[index].value) { kept.append(residents[index]) }
        residents = kept
        settleAll(amongSlots: slots.count)
    }

    private mutating func settleAll(amongSlots count: Int) {
        slots = [UInt32](repeating: 0, count: count)
        for resident in residents.indices { settle(resident) }
    }

    private mutating func settle(_ resident: Int) {
        var slot = first(residents[resident].place)
        while slots[slot] != 0 { slot = after(slot) }
        slots[slot] = UInt32(resident + 1)
    }

    private func first(_ place: LockoutBudget.Place) -> Int { place.hash & (slots.count - 1) }

    private func after(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }
}

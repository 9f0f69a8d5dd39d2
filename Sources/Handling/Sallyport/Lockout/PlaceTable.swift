/// A hash table from places to values, which uses the hash that each place stores. A dictionary would hash that again,
/// which takes longer than the rest of a look-up.
///
/// Open addressing with linear probing. At most half of the slots are taken. Removal rebuilds the table.
struct PlaceTable<Value: Sendable>: Sendable {
    private struct Resident {
        let place: LockoutBudget.Place
        var value: Value
    }

    /// Indices of residents plus one; 0 = free. The count is 0 or a power of two.
    private var slots: [UInt32] = []
    private var residents: [Resident] = []

    /// The number of places.
    var count: Int { residents.count }

    /// The value of `place`, or `nil`.
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

    /// Adds `value` for a new place.
    ///
    /// - Precondition: the table does not contain `place`.
    mutating func add(_ value: Value, at place: LockoutBudget.Place) {
        assert(self[place] == nil)
        residents.append(Resident(place: place, value: value))
        if residents.count > slots.count / 2 {
            settleAll(amongSlots: max(8, slots.count * 2))
        } else {
            settle(residents.count - 1)
        }
    }

    /// Removes the places for which `worthKeeping` returns false. It gets each value in place, so that it can check
    /// whether a reference is unique.
    ///
    /// - Complexity: O(*n*) in the number of places.
    mutating func keep(_ worthKeeping: (inout Value) -> Bool) {
        var kept: [Resident] = []
        for index in residents.indices where worthKeeping(&residents[index].value) { kept.append(residents[index]) }
        residents = kept
        settleAll(amongSlots: slots.count)
    }

    private mutating func settleAll(amongSlots count: Int) {
        assert(count & (count - 1) == 0 && (residents.isEmpty || residents.count <= count / 2))
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

/// A hash table from places to values, which uses the hash that each place stores. A dictionary would hash that again,
/// which takes longer than the rest of a look-up.
///
/// Open addressing with linear probing; at most half of the slots are taken.
struct PlaceTable<Value: Sendable>: Sendable {
    private struct Resident {
        let place: Place
        var value: Value
    }

    /// Whether a value may be forgotten to make room.
    enum Worth { case none, some, all }

    /// Indices of residents plus one; 0 = free. The count is 0 or a power of two.
    private var slots: [UInt32] = []
    private var residents: [Resident] = []
    /// Where the search for a value to forget goes on.
    private var hand = 0

    /// The number of places.
    var count: Int { residents.count }

    /// The index of `place`, valid until the next change of the table; `nil` if it is not there.
    ///
    /// - Complexity: O(1) on average; no allocation.
    func index(of place: Place) -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = first(place)
        while slots[slot] != 0 {
            let resident = Int(slots[slot]) - 1
            if residents[resident].place == place { return resident }
            slot = after(slot)
        }
        return nil
    }

    /// The value at an index from ``index(of:)`` or ``add(_:at:)``.
    subscript(index: Int) -> Value {
        get { residents[index].value }
        _modify { yield &residents[index].value }
    }

    /// The indices of all values.
    var indices: Range<Int> { residents.indices }

    /// Adds `value` for a new place, and returns its index.
    ///
    /// - Precondition: the table does not contain `place`.
    mutating func add(_ value: Value, at place: Place) -> Int {
        assert(index(of: place) == nil)
        residents.append(Resident(place: place, value: value))
        if residents.count > slots.count / 2 {
            settleAll(amongSlots: max(8, slots.count * 2))
        } else {
            settle(residents.count - 1)
        }
        return residents.count - 1
    }

    /// Forgets one value: the oldest with the worth ``Worth/none``, otherwise one with ``Worth/some``. Returns whether
    /// there was one.
    ///
    /// The search passes over the values in turns, so that each is reached once before any is reached again.
    ///
    /// - Complexity: O(1) unless most values have the worth ``Worth/all``.
    mutating func forgetOne(_ worth: (Value) -> Worth) -> Bool {
        /// After this many values the best one so far is good enough.
        let enough = 64
        var candidate: Int?
        for step in residents.indices {
            if step >= enough, candidate != nil { break }
            if hand >= residents.count { hand = 0 }
            let index = hand
            hand += 1
            switch worth(residents[index].value) {
            case .none:
                remove(at: index)
                return true
            case .some: candidate = candidate ?? index
            case .all: break
            }
        }
        guard let candidate else { return false }
        remove(at: candidate)
        return true
    }

    /// Moves the last resident to `index`, and frees the slot of the resident that was there.
    private mutating func remove(at index: Int) {
        free(slot(of: index))
        let last = residents.count - 1
        if index != last {
            slots[slot(of: last)] = UInt32(index + 1)
            residents.swapAt(index, last)
        }
        residents.removeLast()
        assert(residents.count <= slots.count / 2)
    }

    /// Frees a slot, and moves later slots of the same run forward where their search would stop at the free one.
    private mutating func free(_ freed: Int) {
        var hole = freed
        var slot = after(freed)
        while slots[slot] != 0 {
            let home = first(residents[Int(slots[slot]) - 1].place)
            // The distances are cyclic: the entry may move if its home is not between the hole and the slot.
            if (slot - home) & (slots.count - 1) >= (slot - hole) & (slots.count - 1) {
                slots[hole] = slots[slot]
                hole = slot
            }
            slot = after(slot)
        }
        slots[hole] = 0
    }

    private func slot(of resident: Int) -> Int {
        var slot = first(residents[resident].place)
        while slots[slot] != UInt32(resident + 1) { slot = after(slot) }
        return slot
    }

    private mutating func settleAll(amongSlots count: Int) {
        assert(count & (count - 1) == 0 && residents.count <= count / 2)
        slots = [UInt32](repeating: 0, count: count)
        for resident in residents.indices { settle(resident) }
    }

    private mutating func settle(_ resident: Int) {
        var slot = first(residents[resident].place)
        while slots[slot] != 0 { slot = after(slot) }
        slots[slot] = UInt32(resident + 1)
    }

    private func first(_ place: Place) -> Int { place.hash & (slots.count - 1) }

    private func after(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }
}

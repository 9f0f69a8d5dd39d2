extension PinTable {
    /// Checks a compiled set: its bounds, its count, and that a lookup finds each pin in its own slot.
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the number of pins.
    func brokenInvariant(in bytes: Span<UInt8>) -> String? {
        if end > bytes.count { return "the table ends at \(end), the bytes at \(bytes.count)" }
        if slotCount < count { return "\(count) pins have \(slotCount) slots" }
        if count > Self.mostWithoutPilots, pinsStart % 32 != 0 { return "a pin crosses a cache line" }
        var found = 0
        for slot in 0..<slotCount {
            let pin = pin(at: slot, in: bytes)
            if pin.isZero { continue }
            if self.slot(of: pin, in: bytes) != slot { return "a lookup does not find \(pin) in slot \(slot)" }
            found += 1
        }
        return found == count ? nil : "the slots hold \(found) pins, the header says \(count)"
    }
}

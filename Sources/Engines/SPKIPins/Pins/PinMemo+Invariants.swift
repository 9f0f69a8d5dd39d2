internal import WireFormat

extension PinMemo {
    /// Checks that each slot is free or holds a key of an allowed length and its pin; no thread may write meanwhile.
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the slots, one hash for each key.
    func brokenInvariant() -> String? {
        for slot in 0...mask where load(slot, 0) != 0 {
            if load(slot, 0) & 1 != 0 { return "slot \(slot) is being written" }
            let length = Int(truncatingIfNeeded: load(slot, 1))
            guard Self.keyLengths.contains(length) else { return "slot \(slot) has a key of \(length) bytes" }
            var key: [UInt8] = []
            for word in 0..<length / 8 { key.append(littleEndian: load(slot, Self.keyStart + word)) }
            var last: [UInt8] = []
            last.append(littleEndian: load(slot, Self.keyStart + length / 8))
            key += last.suffix(length - key.count)
            let pin = Pin(load(slot, 2), load(slot, 3), load(slot, 4), load(slot, 5))
            if Pin(hashing: key.span) != pin { return "slot \(slot) has a pin of another key" }
        }
        return nil
    }
}

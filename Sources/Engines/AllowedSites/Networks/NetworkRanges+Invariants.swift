extension NetworkRanges {
    /// Checks that the index ascends, and that a lookup finds each network and the next wider network around it.
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n* log *n*) in the number of networks.
    func brokenInvariant() -> String? {
        for chunk in 0..<1 << indexBits where last(before: chunk) > last(before: chunk + 1) {
            return "index entry \(chunk) is greater than the one behind it"
        }
        if last(before: 1 << indexBits) != rangeCount - 1 { return "the index does not end at the last range" }
        for number in 0..<count {
            let (address, length) = (address(number), length(number))
            if length > 32 { return "network \(number) has more bits than an address" }
            // Several networks may begin at one address; the narrowest of them stands last.
            guard let found = narrowest(around: address), found >= number, self.address(found) == address else {
                return "a lookup of the first address of network \(number) does not find it"
            }
            guard let wider = wider(than: number, around: address) else { continue }
            if wider >= number || self.length(wider) >= length {
                return "network \(wider) is not wider than network \(number)"
            }
        }
        return nil
    }
}

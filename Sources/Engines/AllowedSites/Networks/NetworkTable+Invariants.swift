extension NetworkTable {
    /// Checks that the index ascends, that each network follows the wider ones, and that a lookup finds each network.
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n* log *n*) in the number of networks.
    func brokenInvariant() -> String? {
        guard count > 0 else { return nil }
        for chunk in 0..<1 << indexBits {
            if begin(chunk) > begin(chunk + 1) { return "index entry \(chunk) is greater than the one behind it" }
            if outer(chunk) > begin(chunk) { return "index entry \(chunk) names a network that begins later" }
        }
        if begin(1 << indexBits) != count { return "the index ends at \(begin(1 << indexBits)), not at \(count)" }
        var last: UInt128?
        for number in 0..<count {
            let address = address(number)
            if let last, last > address { return "network \(number) begins before network \(number - 1)" }
            if parent(number) > number { return "network \(number) precedes the network around it" }
            if shared.count + length(number) > 128 { return "network \(number) has more bits than an address" }
            // Several networks may begin at one address; the narrowest of them stands last.
            guard let found = narrowest(around: address), found >= number, self.address(found) == address else {
                return "a lookup of the first address of network \(number) does not find it"
            }
            last = address
        }
        return nil
    }
}

extension NetworkCompiler {
    /// Checks that networks are distinct and sorted, IPv4 first, wide before narrow, and that each parent is wider.
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the number of networks.
    func brokenInvariant() -> String? {
        if parents.count != networks.count { return "\(networks.count) networks have \(parents.count) parents" }
        for (index, network) in networks.enumerated() {
            let width = network.isIPv6 ? 128 : 32
            if !(0...width).contains(network.length) {
                return "network \(index) has \(network.length) bits of \(width)"
            }
            if network.length < 128, network.address << UInt128(network.length) != 0 {
                return "network \(index) has bits behind its prefix length"
            }
            if index > 0, !Self.isStrictlyBefore(networks[index - 1], network) {
                return "network \(index) does not follow network \(index - 1)"
            }
            // A parent is stored plus one; 0 means that no network lies around this one.
            let parent = Int(parents[index])
            if parent > index { return "network \(index) precedes the network around it" }
            if parent > 0, !contains(networks[parent - 1], network) {
                return "network \(parent - 1) does not lie around network \(index)"
            }
        }
        return nil
    }

    private static func isStrictlyBefore(_ one: Network, _ other: Network) -> Bool {
        if one.isIPv6 != other.isIPv6 { return other.isIPv6 }
        return one.address != other.address ? one.address < other.address : one.length < other.length
    }
}

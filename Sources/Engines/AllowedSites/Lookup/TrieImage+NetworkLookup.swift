internal import Hostnames

extension TrieImage {
    /// The narrowest network around an address.
    @inline(__always)
    func narrowestNetwork(around host: Hostname) -> TrieNode? {
        switch host.form {
        case .name: nil
        case .ipv4(let address):
            if let ranges = ipv4Ranges {
                ranges.narrowest(around: address.rawValue).map { networkNode($0, length: ranges.length($0)) }
            } else {
                ipv4Networks.narrowest(around: UInt128(address.rawValue) << 96).map { networkNode($0, ipv4Networks) }
            }
        case .ipv6(let address):
            ipv6Networks.narrowest(around: address.rawValue).map { networkNode($0, ipv6Networks) }
        }
    }

    /// The next wider network around `node`, which contains the address `host`.
    func network(around node: TrieNode, of host: Hostname) -> TrieNode? {
        guard let wider = wider(than: node.number - slotCount, host) else { return nil }
        // An image that was not validated may name a network that is not wider. Checking the length ends the walk.
        return wider.length < node.length ? wider : nil
    }

    private func wider(than index: Int, _ host: Hostname) -> TrieNode? {
        guard index >= 0, index < networkCount else { return nil }
        if let ranges = ipv4Ranges, index < ranges.count {
            guard case .ipv4(let address) = host.form else { return nil }
            let wider = ranges.wider(than: index, around: address.rawValue)
            return wider.map { networkNode($0, length: ranges.length($0)) }
        }
        let (number, table) = networkTable(index)
        let parent = table.parent(number)
        return parent > 0 && parent <= number ? networkNode(parent - 1, table) : nil
    }

    /// The network at `index`, counted over both families.
    func network(at index: Int) -> SiteRule.Place? {
        guard index < networkCount else { return nil }
        if let ranges = ipv4Ranges, index < ranges.count {
            let (address, length) = (ranges.address(index), ranges.length(index))
            return length <= 32 ? .ipv4(IPNetwork(containing: address, length: length)) : nil
        }
        let (number, table) = networkTable(index)
        let (address, length) = (table.address(number), table.shared.count + table.length(number))
        if index < ipv4Networks.count {
            let address = UInt32(truncatingIfNeeded: address >> 96)
            return length <= 32 ? .ipv4(IPNetwork(containing: address, length: length)) : nil
        }
        return length <= 128 ? .ipv6(IPNetwork(containing: address, length: length)) : nil
    }

    /// The table with the network at `index`, and its number in that table.
    private func networkTable(_ index: Int) -> (number: Int, NetworkTable) {
        assert(index < ipv4Networks.count || (ipv6Networks.first..<networkCount).contains(index))
        return index < ipv4Networks.count ? (index, ipv4Networks) : (index - ipv6Networks.first, ipv6Networks)
    }

    @inline(__always)
    private func networkNode(_ number: Int, _ table: NetworkTable) -> TrieNode {
        networkNode(table.first &+ number, length: table.shared.count &+ table.length(number))
    }

    /// The node of the network at `index`, counted over both families.
    @inline(__always)
    private func networkNode(_ index: Int, length: Int) -> TrieNode {
        assert(index >= 0 && index < networkCount)
        let node = slotCount &+ index
        return TrieNode(
            number: node,
            hasList: listCount > 0 && listIndex(ofNode: node) != nil,
            length: length,
            isBelow: false
        )
    }
}

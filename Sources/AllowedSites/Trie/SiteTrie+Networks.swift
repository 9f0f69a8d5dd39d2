internal import Hostnames

extension TrieImage {
    /// The narrowest network around an address.
    func firstNetwork(around host: Hostname) -> SitePlace? {
        let index: Int? =
            switch host.form {
            case .name: nil
            case .ipv4(let address): network(around: UInt128(address.rawValue) << 96, root: ipv4Root, levels: 2)
            case .ipv6(let address): network(around: address.rawValue, root: ipv6Root, levels: 8)
            }
        return index.flatMap(networkPlace)
    }

    /// The next wider network around one that has a list of rules.
    func network(around place: SitePlace) -> SitePlace? {
        guard let list = listIndex(ofPlace: place.number) else { return nil }
        // Only networks have parents, and names come before all networks.
        let first = unsafe listCount - bytes(.parents).count / 4
        let parent = Int(load(UInt32.self, .parents, at: (list - first) * 4))
        guard let wider = parent == 0 ? nil : networkPlace(parent - 1) else { return nil }
        // In a broken image parents might run in a circle.
        return wider.length < place.length ? wider : nil
    }

    private func networkPlace(_ index: Int) -> SitePlace? {
        guard index < networkCount else { return nil }
        let number = slotCount + index
        let hasList = listCount > 0 && listIndex(ofPlace: number) != nil
        let length = Int(load(UInt8.self, .networkLengths, at: index))
        return SitePlace(number: number, hasList: hasList, length: length, isBelow: false)
    }

    /// The network at `index`, or `nil` if it is hidden by narrower ones altogether.
    func network(at index: Int) -> SiteRule.Place? {
        guard let place = networkPlace(index) else { return nil }
        if let address = address(ofCode: UInt32(index + 1), ipv4Root, level: 0, levels: 2), place.length <= 32 {
            let address = UInt32(truncatingIfNeeded: address >> 96)
            return .ipv4(IPNetwork(containing: address, length: place.length))
        }
        if let address = address(ofCode: UInt32(index + 1), ipv6Root, level: 0, levels: 8), place.length <= 128 {
            return .ipv6(IPNetwork(containing: address, length: place.length))
        }
        // Whoever hides it and hands over to it lies inside.
        let parents = unsafe bytes(.parents).count / 4
        for list in 0..<parents where Int(load(UInt32.self, .parents, at: list * 4)) == index + 1 {
            let child = placeWithList(listCount - parents + list) - slotCount
            guard child >= 0, let inner = networkPlace(child), inner.length > place.length else { continue }
            switch network(at: child) {
            case .ipv4(let network) where place.length <= 32:
                return .ipv4(IPNetwork(containing: network.address, length: place.length))
            case .ipv6(let network):
                return .ipv6(IPNetwork(containing: network.address, length: place.length))
            default: continue
            }
        }
        return nil
    }

    /// The first address of a run with this code, searched for in all nodes.
    private func address(ofCode wanted: UInt32, _ node: Int, level: Int, levels: Int) -> UInt128? {
        guard node > 0, level < levels else { return nil }
        for (first, code) in runs(ofNode: node * 4) {
            let high = UInt128(first) << UInt128(112 - level * 16)
            if code == wanted { return high }
            if code & childBit != 0,
                let rest = address(
                    ofCode: wanted,
                    Int(code ^ childBit),
                    level: level + 1,
                    levels: levels
                )
            {
                return high | rest
            }
        }
        return nil
    }
}

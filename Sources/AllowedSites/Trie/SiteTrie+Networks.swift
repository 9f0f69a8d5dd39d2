internal import Hostnames

extension TrieImage {
    /// The narrowest network around an address.
    @inline(__always)
    func firstNetwork(around host: Hostname) -> SitePlace? {
        switch host.form {
        case .name: nil
        case .ipv4(let address):
            ipv4Networks.narrowest(around: UInt128(address.rawValue) << 96).map { networkPlace($0, ipv4Networks) }
        case .ipv6(let address):
            ipv6Networks.narrowest(around: address.rawValue).map { networkPlace($0, ipv6Networks) }
        }
    }

    /// The next wider network around one.
    func network(around place: SitePlace) -> SitePlace? {
        guard place.number >= slotCount else { return nil }
        let (number, table) = networkTable(place.number - slotCount)
        let parent = table.parent(number)
        guard parent > 0, parent <= number else { return nil }
        let wider = networkPlace(parent - 1, table)
        // In a broken image there may be others, very many of them.
        return wider.length < place.length ? wider : nil
    }

    /// The network at `index` among those of both families.
    func network(at index: Int) -> SiteRule.Place? {
        guard index < networkCount else { return nil }
        let (number, table) = networkTable(index)
        let (address, length) = (table.address(number), table.length(number))
        if table.first == 0, index < ipv4Networks.count {
            let address = UInt32(truncatingIfNeeded: address >> 96)
            return length <= 32 ? .ipv4(IPNetwork(containing: address, length: length)) : nil
        }
        return length <= 128 ? .ipv6(IPNetwork(containing: address, length: length)) : nil
    }

    /// The family of the network at `index`, and its number there.
    private func networkTable(_ index: Int) -> (number: Int, NetworkTable) {
        index < ipv4Networks.count ? (index, ipv4Networks) : (index - ipv4Networks.count, ipv6Networks)
    }

    @inline(__always)
    private func networkPlace(_ number: Int, _ table: NetworkTable) -> SitePlace {
        let place = slotCount &+ table.first &+ number
        return SitePlace(
            number: place,
            hasList: listCount > 0 && listIndex(ofPlace: place) != nil,
            length: table.length(number),
            isBelow: false
        )
    }
}

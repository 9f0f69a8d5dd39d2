extension TrieImage {
    /// Checks that networks are sorted, and that index and entries name the right wider networks.
    func validateNetworks() throws(TrieImageError) {
        if let ipv4Ranges { try validate(ipv4Ranges) }
        try validate(ipv4Networks, width: 32)
        try validate(ipv6Networks, width: 128)
    }

    /// A network without the shared bits.
    private struct Network {
        let number: Int
        let address: UInt128
        let length: Int

        func contains(_ other: UInt128) -> Bool {
            length == 0 || (address ^ other) >> UInt128(128 - length) == 0
        }
    }

    private func validate(_ table: NetworkTable, width: Int) throws(TrieImageError) {
        guard table.count > 0 else { return }
        var around: [Network] = []
        var last: (address: UInt128, length: Int)?
        var number = 0
        for chunk in 0..<1 << table.indexBits {
            let start = table.indexBits == 0 ? 0 : UInt128(chunk) << UInt128(128 - table.indexBits)
            while let inner = around.last, !inner.contains(start) { around.removeLast() }
            guard table.begin(chunk) == number, table.outer(chunk) == (around.last?.number ?? -1) + 1 else {
                throw .network(number: table.first + number)
            }
            let end = table.begin(chunk + 1)
            while number < end {
                let network = Network(
                    number: number,
                    address: table.rest(number, in: chunk),
                    length: table.length(number)
                )
                let (address, length) = (network.address, network.length)
                while let inner = around.last, !inner.contains(address) { around.removeLast() }
                let isFirst = last.map { $0.address < address || ($0.address == address && $0.length < length) } ?? true
                // Bits that index and entry both have must agree, and the bits behind the prefix length must be zero.
                guard length <= width - table.shared.count, length <= table.skippedBits + table.kept * 8, isFirst,
                    table.indexBits == 0 || Int(address >> UInt128(128 - table.indexBits)) == chunk,
                    length == 128 || address << UInt128(length) == 0,
                    table.parent(number) == (around.last?.number ?? -1) + 1
                else { throw .network(number: table.first + number) }
                around.append(network)
                last = (address, length)
                number += 1
            }
        }
        guard number == table.count, table.begin(1 << table.indexBits) == table.count else {
            throw .network(number: table.first + number)
        }
    }
}

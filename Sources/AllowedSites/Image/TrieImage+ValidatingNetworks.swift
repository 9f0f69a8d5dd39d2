extension TrieImage {
    /// Checks that the nodes are a tree, that their runs ascend, and that every run lies inside its network.
    func validateNetworks() throws(TrieImageError) {
        var check = unsafe NetworkCheck(networkCount: networkCount, nodesLeft: bytes(.networks).count / 4)
        if ipv4Root != 0 { try validateNode(ipv4Root, level: 0, levels: 2, above: 0, &check) }
        if ipv6Root != 0 { try validateNode(ipv6Root, level: 0, levels: 8, above: 0, &check) }
        let marked = (0..<networkCount).filter { listCount > 0 && listIndex(ofPlace: slotCount + $0) != nil }
        guard unsafe bytes(.parents).count == marked.count * 4 else { throw .network(offset: 0) }
        for (index, network) in marked.enumerated() {
            let parent = Int(load(UInt32.self, .parents, at: index * 4))
            guard parent <= networkCount else { throw .network(offset: index) }
            guard parent > 0 else { continue }
            // What hands over to a parent must lie inside it.
            let (length, outer) = (networkLength(network), networkLength(parent - 1))
            guard outer < length else { throw .network(offset: index) }
            if let inner = check.addresses[network], let around = check.addresses[parent - 1],
                !Self.share(inner, around, bits: outer)
            {
                throw .network(offset: index)
            }
        }
    }

    /// What is known of the networks so far.
    private struct NetworkCheck {
        /// Some address of each network that has been met.
        var addresses: [UInt128?]
        var nodesLeft: Int

        init(networkCount: Int, nodesLeft: Int) {
            addresses = [UInt128?](repeating: nil, count: networkCount)
            self.nodesLeft = nodesLeft
        }
    }

    private func networkLength(_ index: Int) -> Int { Int(load(UInt8.self, .networkLengths, at: index)) }

    private static func share(_ one: UInt128, _ other: UInt128, bits: Int) -> Bool {
        bits == 0 || (one ^ other) >> UInt128(128 - bits) == 0
    }

    private func validateNode(
        _ node: Int,
        level: Int,
        levels: Int,
        above: UInt128,
        _ check: inout NetworkCheck
    ) throws(TrieImageError) {
        // Each node takes four bytes at least, so more visits than that mean that nodes are shared.
        check.nodesLeft -= 1
        let runs = runs(ofNode: node * 4)
        guard level < levels, check.nodesLeft >= 0, runs.first?.first == 0 else { throw .network(offset: node * 4) }
        let shift = UInt128(112 - level * 16)
        for (index, run) in runs.enumerated() {
            let end = index + 1 < runs.count ? Int(runs[index + 1].first) : 65_536
            guard end > Int(run.first) else { throw .network(offset: node * 4) }
            let first = above | UInt128(run.first) << shift
            let last = above | UInt128(end - 1) << shift | ((1 as UInt128) << shift - 1)
            if run.code & childBit != 0 {
                // Nodes stand behind those below them, so no walk is endless; and a node stands for one part only.
                let child = Int(run.code ^ childBit)
                guard child < node, end == Int(run.first) + 1 else { throw .network(offset: node * 4) }
                try validateNode(child, level: level + 1, levels: levels, above: first, &check)
            } else if run.code > 0 {
                let network = Int(run.code) - 1
                guard network < networkCount, networkLength(network) <= levels * 16,
                    Self.share(first, last, bits: networkLength(network)),
                    Self.share(first, check.addresses[network] ?? first, bits: networkLength(network))
                else { throw .network(offset: node * 4) }
                check.addresses[network] = first
            }
        }
    }
}

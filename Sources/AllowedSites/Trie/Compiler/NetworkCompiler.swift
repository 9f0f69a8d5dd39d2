/// Makes the nodes in which networks are found by longest prefix; ``TrieImage/NetworkNodes`` draws them.
struct NetworkCompiler {
    /// A network, its address moved to the highest bits.
    struct Network {
        let isIPv6: Bool
        let address: UInt128
        let length: Int
        /// Positions of its rules.
        var positions: [Int]
    }

    private(set) var networks: [Network] = []
    private(set) var nodes: [UInt8] = []
    private(set) var roots: (ipv4: UInt32, ipv6: UInt32) = (0, 0)
    /// For each network the next wider one plus one, or 0.
    private(set) var parents: [UInt32] = []
    private(set) var codeLength = 3
    private var hasOverflown = false

    /// Takes networks, one for each rule, in the order of rules.
    init(_ rules: [Network]) {
        guard !rules.isEmpty else { return }
        // The positions make the order total, so equal networks stand in the order of their rules.
        for rule in rules.sorted(by: Self.isBefore) {
            if let last = networks.last, last.isIPv6 == rule.isIPv6, last.address == rule.address,
                last.length == rule.length
            {
                networks[networks.count - 1].positions += rule.positions
            } else {
                networks.append(rule)
            }
        }
        findParents()
        makeNodes()
        if hasOverflown {
            codeLength = 4
            makeNodes()
        }
    }

    private static func isBefore(_ one: Network, _ other: Network) -> Bool {
        if one.isIPv6 != other.isIPv6 { return other.isIPv6 }
        if one.address != other.address { return one.address < other.address }
        if one.length != other.length { return one.length < other.length }
        return one.positions[0] < other.positions[0]
    }

    private mutating func findParents() {
        var around: [Int] = []
        for index in networks.indices {
            while let last = around.last, !contains(networks[last], networks[index]) { around.removeLast() }
            parents.append(UInt32((around.last ?? -1) + 1))
            around.append(index)
        }
    }

    private func contains(_ wide: Network, _ narrow: Network) -> Bool {
        guard wide.isIPv6 == narrow.isIPv6, wide.length <= narrow.length else { return false }
        return wide.length == 0 || (wide.address ^ narrow.address) >> UInt128(128 - wide.length) == 0
    }

    private mutating func makeNodes() {
        // No node begins at 0, so 0 can mean that there is none.
        nodes = [0, 0, 0, 0]
        let ipv6 = networks.firstIndex { $0.isIPv6 } ?? networks.count
        roots.ipv4 = ipv6 > 0 ? makeNode(0..<ipv6, level: 0, outer: 0) : 0
        roots.ipv6 = ipv6 < networks.count ? makeNode(ipv6..<networks.count, level: 0, outer: 0) : 0
        nodes += [0, 0, 0, 0]
    }

    /// Appends the node of the networks in `range`, which share all bits before `level`, behind the nodes below it.
    ///
    /// - Parameter outer: the code of the narrowest network around all of them.
    /// - Returns: where it begins, in steps of four bytes.
    private mutating func makeNode(_ range: Range<Int>, level: Int, outer: UInt32) -> UInt32 {
        var runs: [(first: Int, code: UInt32)] = [(0, outer)]
        func begin(_ first: Int, _ code: UInt32) {
            if runs.last?.first == first { runs.removeLast() }
            if runs.last?.code != code { runs.append((first, code)) }
        }
        var around: [(last: Int, code: UInt32)] = [(65_535, outer)]
        func leave(before part: Int) {
            while let inner = around.last, inner.last < part, around.count > 1 {
                around.removeLast()
                begin(inner.last + 1, around[around.count - 1].code)
            }
        }
        func part(_ index: Int) -> Int {
            Int(truncatingIfNeeded: networks[index].address >> UInt128(112 - level * 16)) & 0xffff
        }
        let end = (level + 1) * 16
        var index = range.lowerBound
        while index < range.upperBound {
            let first = part(index)
            leave(before: first)
            if networks[index].length <= end {
                let code = UInt32(index + 1)
                begin(first, code)
                around.append((first + 1 << (end - networks[index].length) - 1, code))
                index += 1
            } else {
                var behind = index + 1
                while behind < range.upperBound, part(behind) == first { behind += 1 }
                let child = makeNode(index..<behind, level: level + 1, outer: around[around.count - 1].code)
                begin(first, child | childBit)
                around.append((first, child | childBit))
                index = behind
            }
        }
        leave(before: 65_536)
        if runs.last?.first == 65_536 { runs.removeLast() }
        return append(runs)
    }

    private var childBit: UInt32 { 1 << UInt32(codeLength * 8 - 1) }

    private mutating func append(_ runs: [(first: Int, code: UInt32)]) -> UInt32 {
        let place = nodes.count / 4
        if place >= childBit || networks.count >= childBit { hasOverflown = true }
        if runs.count > TrieImage.NetworkNodes.denseThreshold {
            append(UInt32(TrieImage.NetworkNodes.denseCount) | TrieImage.NetworkNodes.denseBit, 4)
            for (index, run) in runs.enumerated() {
                let end = index + 1 < runs.count ? runs[index + 1].first : TrieImage.NetworkNodes.denseCount
                for _ in run.first..<end { append(run.code, codeLength) }
            }
        } else {
            append(UInt32(runs.count), 4)
            for run in runs { append(UInt32(run.first), 2) }
            for run in runs { append(run.code, codeLength) }
        }
        while nodes.count % 4 != 0 { nodes.append(0) }
        return UInt32(place)
    }

    private mutating func append(_ value: UInt32, _ length: Int) {
        for byte in 0..<length { nodes.append(UInt8(truncatingIfNeeded: value >> UInt32(byte * 8))) }
    }
}

extension TrieImage {
    /// How networks are kept: a tree with 16 bits of an address a level.
    ///
    /// ```text
    /// a node, at a multiple of 4:
    ///   0  4  how many runs of addresses it has, n; the highest bit: it is dense, and n is 65536
    ///   4     n first addresses of runs, 2 bytes each, ascending, the first one 0; a dense node has none
    ///         n codes, 3 bytes each, or 4 in a very large image; 0: no network; highest bit set: the node at this many times 4 bytes;
    ///         otherwise the narrowest network of the run, plus one
    /// ```
    ///
    /// Addresses of a run have the same network around them, so one binary search a level finds the longest prefix.
    enum NetworkNodes {
        static let denseBit: UInt32 = 1 << 31
        static let denseCount = 65_536
        /// Nodes with more runs than this are dense.
        static let denseThreshold = 8192
    }

    /// The narrowest network around an address.
    ///
    /// - Parameters:
    ///   - address: the address, its first bit the highest one.
    ///   - root: where the networks of its family begin.
    ///   - levels: how many steps of 16 bits an address of the family has.
    /// - Returns: the position among the networks, or `nil`.
    func network(around address: UInt128, root: Int, levels: Int) -> Int? {
        guard root != 0 else { return nil }
        let nodes = unsafe bytes(.networks)
        let childBit = self.childBit
        var offset = root &* 4
        var rest = address
        for _ in 0..<levels {
            let part = Int(truncatingIfNeeded: rest >> 112)
            rest <<= 16
            let code = unsafe self.code(nodes, offset, part)
            guard code & childBit != 0 else { return code == 0 ? nil : Int(code) &- 1 }
            offset = Int(code ^ childBit) &* 4
        }
        return nil
    }

    /// The bit of a code that tells nodes from networks.
    var childBit: UInt32 { 1 &<< UInt32(codeLength &* 8 &- 1) }

    private var codeMask: UInt32 { ~0 &>> UInt32(32 &- codeLength &* 8) }

    /// The code for the run of `part`, or 0 if there is no node at `offset`.
    @inline(__always)
    private func code(_ nodes: UnsafeRawBufferPointer, _ offset: Int, _ part: Int) -> UInt32 {
        guard offset <= nodes.count &- 4 else { return 0 }
        let header = UInt32(littleEndian: unsafe nodes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        let count = Int(header & ~NetworkNodes.denseBit)
        let isDense = header & NetworkNodes.denseBit != 0
        let starts = offset &+ 4
        let codes = isDense ? starts : starts &+ count &* 2
        // One byte behind the last code is read with it; every network section ends with a few zeros.
        guard count > 0, codes &+ count &* codeLength < nodes.count,
            !isDense || count == NetworkNodes.denseCount
        else { return 0 }
        var index = part
        if !isDense {
            // The last run that does not begin behind `part`; its bounds stay inside the node, whatever stands there.
            index = 0
            var length = count
            while length > 1 {
                let half = length &>> 1
                let first = UInt16(
                    littleEndian: unsafe nodes.loadUnaligned(
                        fromByteOffset: starts &+ (index &+ half) &* 2,
                        as: UInt16.self
                    )
                )
                index = Int(first) <= part ? index &+ half : index
                length &-= half
            }
        }
        let place = codes &+ index &* codeLength
        return UInt32(littleEndian: unsafe nodes.loadUnaligned(fromByteOffset: place, as: UInt32.self)) & codeMask
    }

    /// The runs of the node at `offset`, first address and code; empty if there is no node.
    func runs(ofNode offset: Int) -> [(first: UInt16, code: UInt32)] {
        let nodes = unsafe bytes(.networks)
        let header = load(UInt32.self, .networks, at: offset)
        let count = Int(header & ~NetworkNodes.denseBit)
        let isDense = header & NetworkNodes.denseBit != 0
        let codes = isDense ? offset + 4 : offset + 4 + count * 2
        guard count > 0, count <= NetworkNodes.denseCount, !isDense || count == NetworkNodes.denseCount,
            codes + count * codeLength < nodes.count
        else { return [] }
        var runs: [(first: UInt16, code: UInt32)] = []
        for index in 0..<count {
            let code = load(UInt32.self, .networks, at: codes + index * codeLength) & codeMask
            if isDense, runs.last?.code == code { continue }
            let first = isDense ? UInt16(index) : load(UInt16.self, .networks, at: offset + 4 + index * 2)
            runs.append((first, code))
        }
        return runs
    }
}

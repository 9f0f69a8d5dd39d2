/// Flattens IPv4 networks to disjoint ranges; ``NetworkRanges`` shows the layout.
struct RangeCompiler {
    /// The number of index bits.
    let indexBits: Int
    private(set) var ranges: [(start: UInt32, number: UInt32)] = [(0, 0)]
    private(set) var samples: [UInt32] = []
    private(set) var lengths: [UInt8] = []

    var rangeCount: Int { ranges.count }

    /// Flattens networks that are sorted by address, wider networks first.
    init(_ networks: some Collection<(address: UInt32, length: Int)>) {
        indexBits = NetworkRanges.indexBits(count: networks.count)
        ranges.reserveCapacity(networks.count * 2 + 1)
        lengths.reserveCapacity(networks.count)
        // The networks around the current address, widest first: last address plus one, and number plus one.
        var around: [(end: UInt64, number: UInt32)] = []
        var last: UInt32?
        for (address, length) in networks {
            close(&around, upTo: UInt64(address))
            begin(address, UInt32(lengths.count + 1))
            if lengths.count % NetworkRanges.networksPerSample == 0 { samples.append(UInt32(ranges.count - 1)) }
            lengths.append(UInt8(length) | (last == address ? NetworkRanges.sharedStart : 0))
            around.append((UInt64(address) + 1 << UInt64(32 - length), UInt32(lengths.count)))
            last = address
        }
        close(&around, upTo: UInt64(UInt32.max))
        assert(brokenInvariant(networkCount: networks.count) == nil)
    }

    /// Removes the networks that end at or before `address`, and begins a range of the remaining one at each end.
    private mutating func close(_ around: inout [(end: UInt64, number: UInt32)], upTo address: UInt64) {
        while let inner = around.last, inner.end <= address {
            around.removeLast()
            begin(UInt32(inner.end), around.last?.number ?? 0)
        }
    }

    /// Begins a range: from `start` on, `number` is the narrowest network plus one. Replaces a range at the same
    /// address.
    private mutating func begin(_ start: UInt32, _ number: UInt32) {
        assert(ranges[ranges.count - 1].start <= start, "ranges are made in the order of addresses")
        if ranges[ranges.count - 1].start == start { ranges.removeLast() }
        ranges.append((start, number))
    }

    /// Appends the index.
    func appendIndex(to writer: inout ImageWriter) {
        var before: [UInt32] = []
        before.reserveCapacity(1 << indexBits + 1)
        var last = 0
        for chunk in 0...1 << indexBits {
            let start = UInt64(chunk) << UInt64(32 - indexBits)
            while last + 1 < ranges.count, UInt64(ranges[last + 1].start) < start { last += 1 }
            before.append(UInt32(last))
        }
        assert(Int(before[1 << indexBits]) == ranges.count - 1, "the index ends at the last range")
        let shift = max(indexBits - NetworkRanges.maximumGroupBits, 0)
        for group in 0...(1 << indexBits) >> shift { writer.append(before[group << shift]) }
        for chunk in 0...1 << indexBits { writer.append(UInt16(before[chunk] - before[(chunk >> shift) << shift])) }
    }

    /// Appends ranges, samples and lengths.
    func appendEntries(to writer: inout ImageWriter) {
        for range in ranges { writer.append(range.start << UInt32(indexBits) | range.number) }
        writer.append(contentsOf: samples)
        writer.append(contentsOf: lengths)
    }
}

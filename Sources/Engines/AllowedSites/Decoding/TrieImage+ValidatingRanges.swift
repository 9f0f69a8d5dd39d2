extension TrieImage {
    /// Checks that ranges, samples and lengths are the flattened form of a list of networks, and that the index is
    /// right.
    func validate(_ ranges: NetworkRanges) throws(TrieImageError) {
        var flattened = FlattenedNetworks()
        var range = 0
        for chunk in 0..<1 << ranges.indexBits {
            let end = ranges.last(before: chunk + 1)
            // The first range begins at address 0 and is not counted.
            guard ranges.last(before: chunk) == max(range - 1, 0), end < ranges.rangeCount,
                chunk & (1 << ranges.groupShift &- 1) != 0 || ranges.begun(before: chunk) == 0
            else { throw .network(number: flattened.count) }
            while range <= end {
                let start = ranges.address(range, in: chunk)
                guard flattened.add(ranges, range, start) else { throw .network(number: flattened.count) }
                range += 1
            }
        }
        guard range == ranges.rangeCount, ranges.last(before: 1 << ranges.indexBits) == range - 1,
            flattened.count == ranges.count, flattened.reachesEnd
        else { throw .network(number: flattened.count) }
    }
}

/// The networks that the ranges read so far describe.
private struct FlattenedNetworks {
    private struct Network {
        let number: Int
        /// Its last address plus one.
        let end: UInt64
        let length: Int
    }

    private(set) var count = 0
    /// The networks around the last range, widest first.
    private var around: [Network] = []
    private var last: UInt32?

    /// Reads the next range; returns whether it is the one that must follow.
    mutating func add(_ ranges: NetworkRanges, _ range: Int, _ start: UInt32) -> Bool {
        guard last.map({ $0 < start }) ?? (start == 0) else { return false }
        let known = around.count
        // A network that ended before `start` would have begun a range at its end.
        guard around.last.map({ $0.end >= start }) ?? true else { return false }
        while let inner = around.last, inner.end == start { around.removeLast() }
        let number = ranges.number(range)
        guard number <= ranges.count else { return false }
        let isNew = number > count
        while count < number {
            guard begin(ranges, range, start) else { return false }
        }
        let isNeeded = isNew || around.count < known || last == nil
        last = start
        return isNeeded && number == (around.last?.number ?? -1) + 1
    }

    /// Reads the next network, which begins at the start of a range, inside the networks around it.
    private mutating func begin(_ ranges: NetworkRanges, _ range: Int, _ start: UInt32) -> Bool {
        let length = ranges.length(count)
        let sample = count / NetworkRanges.networksPerSample
        // The bits behind the prefix length are zero, and the network is narrower than the one around it.
        guard length <= 32, length == 32 || start << UInt32(length) == 0, length > around.last?.length ?? -1,
            count % NetworkRanges.networksPerSample != 0 || ranges.sample(sample) == range,
            ranges.sharesStart(count)
                == (around.last.map { $0.end - 1 << UInt64(32 - $0.length) == UInt64(start) } ?? false)
        else { return false }
        around.append(Network(number: count, end: UInt64(start) + 1 << UInt64(32 - length), length: length))
        count += 1
        return true
    }

    /// Whether the last range reaches the last address.
    var reachesEnd: Bool { around.last.map { $0.end == 1 << 32 } ?? true }
}

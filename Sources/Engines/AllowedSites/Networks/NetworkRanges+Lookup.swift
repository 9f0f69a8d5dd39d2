extension NetworkRanges {
    /// The narrowest network around an address.
    ///
    /// - Complexity: O(log *n*) in the ranges of the chunk; one or two if networks are spread evenly.
    @inline(__always)
    func narrowest(around address: UInt32) -> Int? {
        let bits = UInt32(truncatingIfNeeded: indexBits)
        let chunk = Int(address &>> (32 &- bits))
        let first = min(last(before: chunk), rangeCount &- 1)
        let left = last(before: chunk &+ 1) &- first
        // The largest entry that a range at or before the address can have.
        let wanted = address &<< bits | numberMask
        // An image that was not validated may make `left` negative. As an unsigned number it is then larger than a
        // window.
        let range =
            UInt(bitPattern: left) <= UInt(Self.windowLength)
            ? first &+ min(begun(behind: first, wanted), left)
            : lastBegun(from: first, min(left, rangeCount &- 1 &- first), wanted)
        let number = number(range) &- 1
        // An image that was not validated may contain any number here.
        return number >= 0 && number < count ? number : nil
    }
}

extension NetworkRanges {
    /// The next wider network around network `number`, which lies around `address`.
    ///
    /// - Complexity: at most one lookup for each 1 bit of the network's address; one lookup if no other network
    ///   precedes it inside the wider one.
    func wider(than number: Int, around address: UInt32) -> Int? {
        assert(number >= 0 && number < count)
        let address = address & Self.mask(length(number))
        if sharesStart(number), number > 0 { return number - 1 }
        // A wider network begins at the address with some of its last 1 bits cleared. The narrowest network there is
        // the wider network or lies inside it.
        var start = address
        while start != 0 {
            start &= start &- 1
            guard var inner = narrowest(around: start) else { continue }
            // At most 33 networks begin at one address, one for each prefix length.
            for _ in 0...32 {
                if (start ^ address) & Self.mask(length(inner)) == 0 { return inner }
                guard sharesStart(inner), inner > 0 else { break }
                inner -= 1
            }
        }
        return nil
    }

    /// The address of network `number`.
    func address(_ number: Int) -> UInt32 {
        assert(number >= 0 && number < count)
        // Behind the sample's range follow at most 16 beginnings, 16 ends and the ends of 32 networks around the
        // sample.
        let sample = sample(number / Self.networksPerSample)
        let most = 2 * Self.networksPerSample + 32
        var range = min(sample, rangeCount - 1)
        let end = min(range + most, rangeCount - 1)
        // The first range that names it, or names a narrower network that begins at its address.
        while range < end, self.number(range) <= number { range += 1 }
        var (chunk, left) = (0, 1 << indexBits)
        while left > 1 {
            let half = left / 2
            if last(before: chunk + half) < range { chunk += half }
            left -= half
        }
        return address(range, in: chunk)
    }

    /// The first address of `range`, which lies in `chunk`.
    func address(_ range: Int, in chunk: Int) -> UInt32 {
        assert(chunk >= 0 && chunk < 1 << indexBits)
        return UInt32(truncatingIfNeeded: chunk) << UInt32(32 - indexBits) | entry(range) >> UInt32(indexBits)
    }

    /// The mask of a network of `length` bits.
    private static func mask(_ length: Int) -> UInt32 { UInt32.max << (32 - length) }
}

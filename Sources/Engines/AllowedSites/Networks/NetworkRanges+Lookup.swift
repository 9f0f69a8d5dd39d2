extension NetworkRanges {
    /// Ranges that are looked at together.
    private typealias Window = SIMD8<UInt32>

    /// The narrowest network around an address.
    ///
    /// - Complexity: O(log *n*) in the ranges that share the address's first bits; one or two in a list of any size whose
    ///   networks are spread.
    @inline(__always)
    func narrowest(around address: UInt32) -> Int? {
        let bits = UInt32(truncatingIfNeeded: indexBits)
        let chunk = Int(address &>> (32 &- bits))
        let first = min(last(before: chunk), rangeCount &- 1)
        let left = last(before: chunk &+ 1) &- first
        // No entry of a range that begins no later is greater.
        let wanted = address &<< bits | numberMask
        // In a broken image there may be fewer than none left, which is more than any window has.
        let range =
            UInt(bitPattern: left) <= UInt(Window.scalarCount)
            ? first &+ min(begun(behind: first, wanted), left)
            : unsafe Self.crowded(ranges, first, min(left, rangeCount &- 1 &- first), wanted)
        let number = number(range) &- 1
        // In a broken image anything may stand there.
        return number >= 0 && number < count ? number : nil
    }

    /// How many of the ranges behind `first` begin no later than `wanted` says, before the first one that begins later.
    @inline(__always)
    private func begun(behind first: Int, _ wanted: UInt32) -> Int {
        assert(first >= 0 && first < rangeCount)
        // In bounds: `first` is, and as many bytes as a window has follow the last range.
        var window = unsafe ranges.loadUnaligned(fromByteOffset: first &* 4 &+ 4, as: Window.self)
        #if _endian(big)
            for lane in window.indices { window[lane] = window[lane].byteSwapped }
        #endif
        // All at once and without branches: every instruction that waits for the ranges keeps the next lookup from starting.
        let isLater = window .> Window(repeating: wanted)
        let bytes = SIMD8<UInt8>(truncatingIfNeeded: Window(repeating: 0).replacing(with: .max, where: isLater))
        return unsafe unsafeBitCast(bytes, to: UInt64.self).littleEndian.trailingZeroBitCount / 8
    }

    /// The last of the range `first` and the `left` ones behind it that begins no later than `wanted` says.
    // Without self, which would have to be written to memory before each lookup.
    @inline(never)
    private static func crowded(_ ranges: UnsafeRawPointer, _ first: Int, _ left: Int, _ wanted: UInt32) -> Int {
        assert(first >= 0)
        var (range, left) = (first, left &+ 1)
        while left > 1 {
            let half = left &>> 1
            // In bounds: the caller's ranges are.
            let entry = unsafe ranges.loadUnaligned(fromByteOffset: (range &+ half) &* 4, as: UInt32.self)
            range = UInt32(littleEndian: entry) <= wanted ? range &+ half : range
            left &-= half
        }
        return range
    }
}

extension NetworkRanges {
    /// The next wider network around network `number`, which lies around `address`.
    ///
    /// - Complexity: a lookup for each bit of the network's address at most, and for all networks around one together; one
    ///   where no other networks stand before it in the wider one.
    func wider(than number: Int, around address: UInt32) -> Int? {
        assert(number >= 0 && number < count)
        let address = address & Self.mask(length(number))
        if sharesStart(number), number > 0 { return number - 1 }
        // A wider network begins where some of the last bits are not set, and the narrowest one there is it, or lies in it.
        var start = address
        while start != 0 {
            start &= start &- 1
            guard var inner = narrowest(around: start) else { continue }
            // Networks that begin at one address are no more than an address has bits and one more.
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
        // Between the beginnings of networks others end: those since the sample, and what was around that.
        let sample = sample(number / Self.networksPerSample)
        let most = 2 * Self.networksPerSample + 32
        var range = min(sample, rangeCount - 1)
        let end = min(range + most, rangeCount - 1)
        // The first range that names it, or one that begins where it does.
        while range < end, self.number(range) <= number { range += 1 }
        var (chunk, left) = (0, 1 << indexBits)
        while left > 1 {
            let half = left / 2
            if last(before: chunk + half) < range { chunk += half }
            left -= half
        }
        return address(range, in: chunk)
    }

    /// The first address of `range`, which begins with the bits `chunk`.
    func address(_ range: Int, in chunk: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: chunk) << UInt32(32 - indexBits) | entry(range) >> UInt32(indexBits)
    }

    /// The bits of an address that a network of `length` bits has.
    private static func mask(_ length: Int) -> UInt32 { UInt32.max << (32 - length) }
}

extension MD4 {
    /// The digests of many texts.
    package struct TextDigests {
        /// One for each text, in order; zeros for a text that has none.
        package private(set) var digests: [Digest16]
        /// The numbers of the texts with more than ``textUnits`` units, in order.
        package private(set) var refused: [Int] = []

        /// Overwrites all of them, and empties the array; another copy of it stays as it is.
        package mutating func erase() { digests.erase() }

        fileprivate init(count: Int) { digests = .init(repeating: Digest16(words: .zero), count: count) }

        fileprivate mutating func store(_ tile: borrowing DigestTile, at first: Int, lanes: Int) {
            tile.store(into: &digests, at: first, lanes: lanes)
        }

        fileprivate mutating func set(_ digest: Digest16?, at number: Int) {
            digests[number] = digest ?? Digest16(words: .zero)
            if digest == nil { refused.append(number) }
        }
    }

    /// Returns the digest of the UTF-16LE form of each text.
    ///
    /// - Complexity: O(*n*); a fixed number of allocations. Erases what was held of the texts.
    /// - Precondition: this machine runs `kernel`.
    package static func hashes(utf16 texts: ArraySlice<String>, kernel: LaneKernel = .best) -> TextDigests {
        let tile = DigestTile(.md4, kernel: kernel)
        var result = TextDigests(count: texts.count)
        var blocks = TextBlocks()
        for first in stride(from: 0, to: texts.count, by: DigestTile.capacity) {
            let lanes = min(DigestTile.capacity, texts.count - first)
            let start = texts.startIndex + first
            tile.start()
            // What is no ASCII, or too long for one block, is hashed by itself; its lane holds whatever was there.
            var misfits: UInt64 = 0
            for lane in 0..<lanes where !blocks.put(texts[start + lane], lane: lane) { misfits |= 1 << UInt64(lane) }
            blocks.withBytes { tile.compressBlocks($0, lanes: lanes) }
            result.store(tile, at: first, lanes: lanes)
            while misfits != 0 {
                let lane = misfits.trailingZeroBitCount
                misfits &= misfits - 1
                result.set(hash(utf16: texts[start + lane]), at: first + lane)
            }
        }
        return result
    }
}

extension MD4 {
    /// Returns the digest of the UTF-16LE form of each text; `nil` for one of more than ``textUnits`` units.
    ///
    /// - Complexity: O(*n*); a fixed number of allocations. Erases what was held of the texts.
    /// - Precondition: this machine runs `kernel`.
    package static func hashes(utf16 texts: ArraySlice<String>, kernel: LaneKernel = .best) -> [Digest16?] {
        let tile = DigestTile(.md4, kernel: kernel)
        var digests: [Digest16?] = []
        digests.reserveCapacity(texts.count)
        var blocks = TextBlocks()
        var hashed = [Digest16](repeating: Digest16(words: .zero), count: DigestTile.capacity)
        for first in stride(from: texts.startIndex, to: texts.endIndex, by: DigestTile.capacity) {
            let group = texts[first..<min(first + DigestTile.capacity, texts.endIndex)]
            tile.start()
            // What is no ASCII, or too long for one block, is hashed by itself; its lane holds whatever was there.
            var fits: UInt64 = 0
            for (lane, text) in group.enumerated() where blocks.put(text, lane: lane) { fits |= 1 << UInt64(lane) }
            blocks.withBytes { tile.compressBlocks($0, lanes: group.count) }
            tile.store(0..<group.count, into: &hashed)
            for (lane, text) in group.enumerated() {
                digests.append(fits >> UInt64(lane) & 1 == 1 ? hashed[lane] : hash(utf16: text))
            }
        }
        hashed.erase()
        return digests
    }
}

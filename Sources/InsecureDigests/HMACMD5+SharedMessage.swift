internal import CDigestLanes

extension HMACMD5 {
    /// One message that is authenticated under many keys: its padded blocks, laid out for all lanes once.
    package struct SharedMessage: Sendable {
        /// 64 lanes of every word, block after block.
        fileprivate let columns: [UInt32]
        fileprivate let blocks: Int

        /// Pads `message` behind one block of key.
        ///
        /// - Complexity: O(*n*); 4 KiB for each block of the message.
        package init(_ message: Span<UInt8>) {
            let whole = message.count / Compression.blockSize
            var end = MessageEnd(of: message, from: whole * Compression.blockSize)
            end.close(byteCount: Compression.blockSize + message.count)
            blocks = whole + end.blocks
            var columns: [UInt32] = []
            columns.reserveCapacity(blocks * DigestTile.blockWords)
            for word in 0..<(whole * 16) {
                let value = SIMD4(littleEndianWordsIn: message, at: word / 4 * 16)[word % 4]
                columns.append(contentsOf: repeatElement(value, count: DigestTile.capacity))
            }
            for word in 0..<(end.blocks * 16) {
                let value = UInt32(truncatingIfNeeded: end.words[word / 2].littleEndian >> UInt64(32 * (word % 2)))
                columns.append(contentsOf: repeatElement(value, count: DigestTile.capacity))
            }
            self.columns = columns
            eraseDigestState(&end.words)
        }
    }

    /// Returns the code of one message under each key.
    ///
    /// - Complexity: O(*n*) in the size of the message and the number of keys; two allocations.
    /// - Precondition: this machine runs `kernel`.
    package static func authenticate(
        _ message: SharedMessage,
        keys: KeyBatch,
        kernel: LaneKernel = .best
    ) -> [Digest16] {
        let tile = DigestTile(.md5, kernel: kernel)
        var codes = [Digest16](repeating: Digest16(words: .zero), count: keys.count)
        for first in stride(from: 0, to: keys.count, by: DigestTile.capacity) {
            let lanes = min(DigestTile.capacity, keys.count - first)
            tile.start(from: keys.midstates, at: 2 * first, lanes: lanes)
            for block in 0..<message.blocks {
                tile.compress(columns: message.columns, from: block * DigestTile.blockWords, lanes: lanes)
            }
            tile.digestOfDigests(from: keys.midstates, at: 2 * first + 1, lanes: lanes, blocksBefore: 1)
            tile.store(into: &codes, at: first, lanes: lanes)
        }
        return codes
    }
}

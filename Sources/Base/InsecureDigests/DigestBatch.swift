extension MD4 {
    /// Returns the digest of each of `count` messages of equal length, which lie end to end in `messages`.
    ///
    /// - Complexity: O(*n*); two allocations, whatever the count. Erases what was held of the messages.
    /// - Precondition: `messages.count` is a multiple of `count`, and this machine runs `kernel`.
    package static func hashes(of messages: Span<UInt8>, count: Int, kernel: LaneKernel = .best) -> [Digest16] {
        batch(.md4, messages, count: count, kernel: kernel)
    }
}

extension MD4 {
    /// Returns the digest of each message; messages may differ in length.
    ///
    /// - Parameters:
    ///   - messages: the range of each message in `bytes`.
    ///   - bytes: the memory of all messages.
    ///   - kernel: the instructions to use.
    /// - Complexity: O(*n*); a fixed number of allocations. Erases its copies of the messages.
    /// - Precondition: each message lies within `bytes`, and this machine runs `kernel`.
    package static func hashes(
        of messages: [Range<Int>],
        in bytes: Span<UInt8>,
        kernel: LaneKernel = .best
    ) -> [Digest16] {
        let order = MessageRows(messages, within: bytes.count)
        let tile = DigestTile(.md4, kernel: kernel)
        var ends = RowEnds()
        var digests = [Digest16](repeating: Digest16(words: .zero), count: messages.count)
        order.forEachTile { rows in
            tile.start()
            tile.digest(rows, of: bytes, blocksBefore: 0, ends: &ends)
            for (lane, row) in rows.enumerated() { digests[row.index] = ends.digests[lane] }
        }
        return digests
    }
}

extension MD5 {
    /// Returns the digest of each of `count` messages of equal length, which lie end to end in `messages`.
    ///
    /// - Complexity: O(*n*); two allocations, whatever the count. Erases what was held of the messages.
    /// - Precondition: `messages.count` is a multiple of `count`, and this machine runs `kernel`.
    package static func hashes(of messages: Span<UInt8>, count: Int, kernel: LaneKernel = .best) -> [Digest16] {
        batch(.md5, messages, count: count, kernel: kernel)
    }
}

/// The length of one part if `bytes` bytes are divided into `count` equal parts.
func lengthOfEach(of count: Int, in bytes: Int) -> Int {
    guard count != 0 else {
        precondition(bytes == 0, "bytes without a message to belong to")
        return 0
    }
    precondition(count > 0 && bytes % count == 0, "messages of unequal lengths")
    return bytes / count
}

private func batch(
    _ compression: Compression,
    _ messages: Span<UInt8>,
    count: Int,
    kernel: LaneKernel
) -> [Digest16] {
    let length = lengthOfEach(of: count, in: messages.count)
    let tile = DigestTile(compression, kernel: kernel)
    var digests = [Digest16](repeating: Digest16(words: .zero), count: count)
    for first in stride(from: 0, to: count, by: DigestTile.capacity) {
        let lanes = min(DigestTile.capacity, count - first)
        tile.start()
        tile.digest(messages, from: first * length, lanes: lanes, length: length, blocksBefore: 0)
        tile.store(into: &digests, at: first, lanes: lanes)
    }
    return digests
}

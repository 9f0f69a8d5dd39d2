internal import WireFormat

/// A constant that MD5 reads behind a key of 16 bytes, as NTLM derives the keys of a session.
///
/// ```
/// 0          16                        128
/// ┌──────────┬──────────┬──────────────┐
/// │ key or 0 │ constant │ MD5's padding│   two blocks
/// └──────────┴──────────┴──────────────┘
/// ```
package struct KeyConstant: Sendable {
    fileprivate let first: PaddedKey
    fileprivate let second: PaddedKey

    /// Prepares the blocks.
    ///
    /// - Parameter constant: 40 to 103 bytes, which fill two blocks with key and padding.
    package init(_ constant: [UInt8]) {
        precondition((40...103).contains(constant.count), "the constant fills two blocks")
        let count = Digest16.count + constant.count
        var blocks = [UInt8](repeating: 0, count: Digest16.count) + constant
        blocks.append(0x80)
        blocks += [UInt8](repeating: 0, count: 2 * Compression.blockSize - blocks.count - 8)
        blocks.append(littleEndian: UInt64(8 * count))
        first = PaddedKey(blocks.span.extracting(0..<Compression.blockSize))
        second = PaddedKey(blocks.span.extracting(Compression.blockSize..<blocks.count))
    }

    fileprivate func firstBlock(_ key: Digest16) -> PaddedKey {
        var block = first
        block.words[0] = key.low.littleEndian
        block.words[1] = key.high.littleEndian
        return block
    }
}

extension MD5 {
    /// Returns the digests of `key` followed by each of two constants. Both are computed at the same time.
    ///
    /// - Complexity: two pairs of compressions; no allocation.
    package static func hash(_ key: Digest16, then one: KeyConstant, _ other: KeyConstant) -> (Digest16, Digest16) {
        var states = (BlockHash.initialState, BlockHash.initialState)
        defer {
            eraseDigestState(&states.0)
            eraseDigestState(&states.1)
        }
        MessagePair.compress(&states.0, one.firstBlock(key), &states.1, other.firstBlock(key))
        MessagePair.compress(&states.0, one.second, &states.1, other.second)
        return (Digest16(words: states.0), Digest16(words: states.1))
    }
}

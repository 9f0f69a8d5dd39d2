internal import CDigestLanes

extension Compression {
    /// The digest of a message that is there as a whole: no block waits for more, so only its end is copied.
    func digest(of bytes: Span<UInt8>) -> Digest16 {
        var state = BlockHash.initialState
        finish(&state, bytes, blocksBefore: 0)
        defer { eraseDigestState(&state) }
        return Digest16(words: state)
    }

    /// Compresses all of `bytes`, then pads as RFC 1320 and RFC 1321 section 3.1 and 3.2 say and compresses the last
    /// block or two, which are erased; `blocksBefore` blocks led to `state`.
    func finish(_ state: inout SIMD4<UInt32>, _ bytes: Span<UInt8>, blocksBefore: Int) {
        let whole = bytes.count / Self.blockSize
        self(&state, bytes, from: 0, blocks: whole)
        var end = MessageEnd(of: bytes, from: whole * Self.blockSize)
        end.close(byteCount: blocksBefore * Self.blockSize + bytes.count)
        self(&state, end: &end)
        eraseDigestState(&end.words)
    }
}

/// The end of a message, padded: one block, or two where the length finds no room in the first.
struct MessageEnd {
    var words = SIMD16<UInt64>()
    /// One or two.
    let blocks: Int

    /// Copies what stands from `offset` on, less than a block, and appends the bit that ends a message.
    init(of bytes: Span<UInt8>, from offset: Int) {
        let count = bytes.count - offset
        precondition(count >= 0 && count < Compression.blockSize)
        blocks = count < Compression.blockSize - 8 ? 1 : 2
        // In bounds: less than a block goes into the first half of the two, and one byte behind it.
        unsafe withUnsafeMutableBytes(of: &words) { words in
            unsafe bytes.withUnsafeBytes { source in
                unsafe words.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[offset...]))
            }
            unsafe words[count] = 0x80
        }
    }

    /// Writes the length in bits into the last eight bytes.
    mutating func close(byteCount: Int) {
        words[8 * blocks - 1] = (UInt64(byteCount) &* 8).littleEndian
    }
}

extension SIMD4<UInt32> {
    /// Four words that stand in `bytes` at `offset`.
    init(littleEndianWordsIn bytes: Span<UInt8>, at offset: Int) {
        precondition(offset >= 0 && bytes.count - offset >= 16)
        // In bounds: checked above.
        let words = unsafe bytes.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self)
        }
        self = SIMD4(words[0].littleEndian, words[1].littleEndian, words[2].littleEndian, words[3].littleEndian)
    }
}

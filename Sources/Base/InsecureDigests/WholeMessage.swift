internal import CDigestLanes

extension Compression {
    /// The digest of a message in one span. Only its end is copied.
    func digest(of bytes: Span<UInt8>) -> Digest16 {
        var state = BlockHash.initialState
        finish(&state, bytes, blocksBefore: 0)
        defer { eraseDigestState(&state) }
        return Digest16(words: state)
    }

    /// Compresses `bytes`, then the padding of RFC 1320 and RFC 1321 section 3.1 and 3.2. The padded blocks are erased.
    /// `blocksBefore` blocks were compressed into `state` before.
    func finish(_ state: inout SIMD4<UInt32>, _ bytes: Span<UInt8>, blocksBefore: Int) {
        let whole = bytes.count / Self.blockSize
        self(&state, bytes, from: 0, blocks: whole)
        var end = MessageEnd(of: bytes, from: whole * Self.blockSize)
        end.close(byteCount: blocksBefore * Self.blockSize + bytes.count)
        self(&state, end: &end)
        eraseDigestState(&end.words)
    }
}

/// The padded end of a message: one block, or two if the length does not fit into the first.
struct MessageEnd {
    var words = SIMD16<UInt64>()
    /// The number of blocks, one or two.
    let blocks: Int

    /// Copies the bytes from `offset` on, fewer than a block, and appends the end bit.
    init(of bytes: Span<UInt8>, from offset: Int) {
        let count = bytes.count - offset
        precondition(count >= 0 && count < Compression.blockSize)
        blocks = count < Compression.blockSize - 8 ? 1 : 2
        // In bounds: fewer bytes than a block and one byte fit into the first of two blocks.
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
    /// The four words at `offset` of `bytes`.
    init(littleEndianWordsIn bytes: Span<UInt8>, at offset: Int) {
        precondition(offset >= 0 && bytes.count - offset >= 16)
        // In bounds: checked above.
        let words = unsafe bytes.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self)
        }
        self = SIMD4(words[0].littleEndian, words[1].littleEndian, words[2].littleEndian, words[3].littleEndian)
    }
}

internal import CDigestLanes

/// Two MD5 messages, interleaved, because the steps of one message wait for each other.
enum MessagePair {
    /// Compresses one block into each state.
    static func compress(
        _ first: inout SIMD4<UInt32>,
        _ firstBlock: PaddedKey,
        _ second: inout SIMD4<UInt32>,
        _ secondBlock: PaddedKey
    ) {
        var (firstBlock, secondBlock) = (firstBlock, secondBlock)
        unsafe withUnsafeBytes(of: &firstBlock.words) { firstBytes in
            unsafe withUnsafeBytes(of: &secondBlock.words) { secondBytes in
                // In bounds: both are one block.
                unsafe compress(
                    &first,
                    firstBytes.bindMemory(to: UInt8.self).baseAddress,
                    &second,
                    secondBytes.bindMemory(to: UInt8.self).baseAddress,
                    blocks: 1
                )
            }
        }
        firstBlock.erase()
        secondBlock.erase()
    }

    /// Compresses `blocks` whole blocks of each message, from its `offset` on.
    static func compress(
        _ first: inout SIMD4<UInt32>,
        _ firstBytes: Span<UInt8>,
        from firstOffset: Int,
        _ second: inout SIMD4<UInt32>,
        _ secondBytes: Span<UInt8>,
        from secondOffset: Int,
        blocks: Int
    ) {
        precondition(firstOffset >= 0 && secondOffset >= 0 && blocks >= 0)
        precondition(blocks <= (firstBytes.count - firstOffset) / Compression.blockSize)
        precondition(blocks <= (secondBytes.count - secondOffset) / Compression.blockSize)
        unsafe firstBytes.withUnsafeBufferPointer { firstBytes in
            unsafe secondBytes.withUnsafeBufferPointer { secondBytes in
                // In bounds: checked above.
                unsafe compress(
                    &first,
                    firstBytes.baseAddress.map { unsafe $0 + firstOffset },
                    &second,
                    secondBytes.baseAddress.map { unsafe $0 + secondOffset },
                    blocks: blocks
                )
            }
        }
    }

    /// Compresses one block that is a value, and the block of `bytes` at `offset`.
    static func compress(
        _ first: inout SIMD4<UInt32>,
        _ block: inout some BitwiseCopyable,
        _ second: inout SIMD4<UInt32>,
        _ bytes: Span<UInt8>,
        from offset: Int
    ) {
        precondition(offset >= 0 && bytes.count - offset >= Compression.blockSize)
        unsafe withUnsafeBytes(of: &block) { block in
            precondition(block.count == Compression.blockSize)
            unsafe bytes.withUnsafeBufferPointer { bytes in
                // In bounds: both were checked above.
                unsafe compress(
                    &first,
                    block.bindMemory(to: UInt8.self).baseAddress,
                    &second,
                    bytes.baseAddress.map { unsafe $0 + offset },
                    blocks: 1
                )
            }
        }
    }

    private static func compress(
        _ first: inout SIMD4<UInt32>,
        _ firstStart: UnsafePointer<UInt8>?,
        _ second: inout SIMD4<UInt32>,
        _ secondStart: UnsafePointer<UInt8>?,
        blocks: Int
    ) {
        guard blocks > 0 else { return }
        // A SIMD4<UInt32> is four words in a row with at least their alignment.
        unsafe withUnsafeMutableBytes(of: &first) { first in
            unsafe withUnsafeMutableBytes(of: &second) { second in
                unsafe sallyport_md5_compress_pair(
                    first.bindMemory(to: UInt32.self).baseAddress,
                    firstStart,
                    second.bindMemory(to: UInt32.self).baseAddress,
                    secondStart,
                    blocks
                )
            }
        }
    }
}

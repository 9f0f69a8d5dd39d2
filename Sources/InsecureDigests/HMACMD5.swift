internal import Secrets
internal import WireFormat

/// HMAC-MD5 (RFC 2104), the one keyed function of NTLMv2.
///
/// A value is for one message; after `finalize()` it is of no further use.
package struct HMACMD5: Sendable {
    private var inner: MD5
    private var outerState: SIMD4<UInt32>

    /// A key, turned once into the two chaining values that follow its padded blocks.
    ///
    /// Every message under it then costs two blocks less. The chaining values are as good as the key to a thief, so they
    /// live in an erasable block.
    package struct Key: ~Copyable, Sendable {
        // Four little-endian words after the inner pad, then four after the outer pad.
        private let midstates: SecretBytes

        /// Derives the chaining values from a key of any length.
        ///
        /// - Complexity: two compressions, and those of the key's own digest when it is longer than a block; two
        ///   allocations, of which one is gone on return.
        package init(_ key: Span<UInt8>) {
            // RFC 2104 section 2: a key longer than a block is replaced by its digest.
            var block: [UInt8] = []
            block.reserveCapacity(2 * Compression.blockSize)
            if key.count > Compression.blockSize {
                MD5.hash(key).withBytes { block.append(copying: $0) }
            } else {
                block.append(copying: key)
            }
            block.append(contentsOf: repeatElement(0, count: Compression.blockSize - block.count))
            var inner = BlockHash.initialState
            var outer = BlockHash.initialState
            for index in block.indices { block[index] ^= 0x36 }
            Compression.md5(&inner, block.span, from: 0, blocks: 1)
            // Turns the inner pad into the outer one: 0x36 is taken off, 0x5c put on.
            for index in block.indices { block[index] ^= 0x36 ^ 0x5c }
            Compression.md5(&outer, block.span, from: 0, blocks: 1)
            erase(&block)

            var words: [UInt8] = []
            words.reserveCapacity(2 * Digest16.count)
            for index in 0..<4 { words.append(littleEndian: inner[index]) }
            for index in 0..<4 { words.append(littleEndian: outer[index]) }
            midstates = SecretBytes(consuming: &words)
            eraseDigestState(&inner)
            eraseDigestState(&outer)
        }

        /// The chaining value after the inner pad.
        var innerState: SIMD4<UInt32> { state(at: 0) }
        /// The chaining value after the outer pad.
        var outerState: SIMD4<UInt32> { state(at: Digest16.count) }

        private borrowing func state(at offset: Int) -> SIMD4<UInt32> {
            midstates.withBytes { bytes in
                var words = SIMD4<UInt32>()
                for index in 0..<4 { words[index] = littleEndianUInt32(in: bytes, at: offset + 4 * index) ?? 0 }
                return words
            }
        }
    }

    /// Starts a message under `key`.
    package init(_ key: borrowing Key) {
        inner = MD5(afterOneBlock: key.innerState)
        outerState = key.outerState
    }

    /// Appends `bytes` to the message.
    ///
    /// - Complexity: O(*n*); no allocation.
    package mutating func update(_ bytes: Span<UInt8>) {
        inner.update(bytes)
    }

    /// Ends the message, erases what is left of it here, and returns its code.
    package mutating func finalize() -> Digest16 {
        var outer = MD5(afterOneBlock: outerState)
        eraseDigestState(&outerState)
        inner.finalize().withBytes { outer.update($0) }
        return outer.finalize()
    }

    /// Returns the code of `bytes` alone under `key`.
    package static func authenticate(_ bytes: Span<UInt8>, key: borrowing Key) -> Digest16 {
        var code = Self(key)
        code.update(bytes)
        return code.finalize()
    }
}

extension HMACMD5: CustomStringConvertible, CustomReflectable {
    /// Says that something is there, and nothing more.
    package var description: String { "<HMAC-MD5>" }

    /// No children: the chaining values stand for the key.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

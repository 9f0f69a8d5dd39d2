internal import Secrets
internal import WireFormat

/// HMAC-MD5 (RFC 2104), the keyed function of NTLMv2.
///
/// Use a value for one message, and do not use it after `finalize()`.
package struct HMACMD5: Sendable {
    private var inner: MD5
    private var outerState: SIMD4<UInt32>

    /// A prepared key: the two chaining values after its padded blocks.
    ///
    /// Each message under it then takes two blocks less. The chaining values are as secret as the key, so they are in a
    /// block that is erased.
    package struct Key: ~Copyable, Sendable {
        // Four little-endian words after the inner pad, then four after the outer pad.
        private let midstates: SecretBytes

        /// Derives the chaining values from a key of any length.
        ///
        /// - Complexity: two compressions, plus the digest of a key that is longer than a block; two allocations, one
        ///   of them temporary.
        package init(_ key: Span<UInt8>) {
            var (inner, outer) = HMACMD5.midstates(of: key)
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
            midstates.withBytes { SIMD4(littleEndianWordsIn: $0, at: offset) }
        }
    }

    /// Starts a message under `key`.
    package init(_ key: borrowing Key) {
        inner = MD5(afterOneBlock: key.innerState)
        outerState = key.outerState
    }

    /// Starts a message under a key that is used once and not stored.
    ///
    /// - Complexity: two compressions, plus the digest of a key that is longer than a block; no allocation.
    package init(key: Span<UInt8>) {
        let states = Self.midstates(of: key)
        inner = MD5(afterOneBlock: states.inner)
        outerState = states.outer
    }

    /// The chaining values after the two padded blocks of a key.
    static func midstates(of key: Span<UInt8>) -> (inner: SIMD4<UInt32>, outer: SIMD4<UInt32>) {
        // RFC 2104 section 2: a key longer than a block is replaced by its digest.
        guard key.count <= Compression.blockSize else {
            return MD5.hash(key).withBytes { midstates(of: $0) }
        }
        var block = PaddedKey(key)
        defer { block.erase() }
        var inner = BlockHash.initialState
        var outer = BlockHash.initialState
        MessagePair.compress(&inner, block.padded(0x36), &outer, block.padded(0x5c))
        return (inner, outer)
    }

    /// Appends `bytes` to the message.
    ///
    /// - Complexity: O(*n*); no allocation.
    package mutating func update(_ bytes: Span<UInt8>) {
        inner.update(bytes)
    }

    /// Appends the bytes of `word`, least significant first.
    package mutating func update(littleEndian word: UInt64) {
        Digest16(low: word, high: 0).withBytes { update($0.extracting(0..<8)) }
    }

    /// Appends 16 zeros, the size of a digest.
    package mutating func updateWithEmptyDigest() {
        Digest16(low: 0, high: 0).withBytes { update($0) }
    }

    /// Ends the message, erases the state and returns the code.
    package mutating func finalize() -> Digest16 {
        defer { eraseDigestState(&outerState) }
        return Self.outerDigest(of: inner.finish(), outerState: outerState)
    }

    /// Erases a value that is not finalized, such as a template of copies.
    package mutating func erase() {
        inner.erase()
        eraseDigestState(&outerState)
    }

    /// Returns the code of `bytes` under `key`.
    package static func authenticate(_ bytes: Span<UInt8>, key: borrowing Key) -> Digest16 {
        var state = key.innerState
        defer { eraseDigestState(&state) }
        Compression.md5.finish(&state, bytes, blocksBefore: 1)
        return outerDigest(of: state, outerState: key.outerState)
    }

    /// The code for an inner digest.
    static func outerDigest(of inner: SIMD4<UInt32>, outerState: SIMD4<UInt32>) -> Digest16 {
        var block = digestBlock(inner)
        var state = outerState
        Compression.md5(&state, block: &block)
        eraseDigestState(&block)
        defer { eraseDigestState(&state) }
        return Digest16(words: state)
    }

    /// The block of 16 bytes after the block of the key: the bytes, the end bit, and the total length in bits.
    static func digestBlock(_ digest: SIMD4<UInt32>) -> SIMD16<UInt32> {
        var block = SIMD16<UInt32>()
        for index in 0..<4 { block[index] = digest[index].littleEndian }
        block[4] = UInt32(0x80).littleEndian
        block[14] = UInt32(8 * (Compression.blockSize + Digest16.count)).littleEndian
        return block
    }
}

extension HMACMD5: CustomStringConvertible, CustomReflectable {
    /// A fixed text, without the contents.
    package var description: String { "<HMAC-MD5>" }

    /// Has no children, because the chaining values are as secret as the key.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

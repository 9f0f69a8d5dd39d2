/// The HMAC-MD5 of a message that is still being written, computed beside other work.
///
/// The steps of a digest wait for each other. Interleaved with other work that waits too, the finished blocks of this
/// message cost almost nothing; the rest is computed at the end. Use a value for one message, and do not use it after
/// ``finalize(_:)``.
package struct CompanionCode: Sendable {
    private var state: SIMD4<UInt32>
    private var outerState: SIMD4<UInt32>
    /// The number of compressed bytes of the message; a multiple of the block size.
    private var done = 0

    /// Starts a message under a key that is used once.
    ///
    /// - Complexity: two compressions, interleaved; no allocation.
    package init(key: Digest16) {
        (state, outerState) = key.withBytes { HMACMD5.midstates(of: $0) }
    }

    /// The number of written whole blocks that are not compressed yet.
    private func blocks(in message: Span<UInt8>) -> Int { max(0, message.count - done) / Compression.blockSize }

    /// Ends the message, erases the state and returns the code.
    ///
    /// - Parameter message: the whole message; it begins with the bytes of earlier calls.
    /// - Complexity: O(*n*) in the bytes that are not compressed yet; no allocation.
    package mutating func finalize(_ message: Span<UInt8>) -> Digest16 {
        precondition(done <= message.count, "less of the message than was taken")
        defer {
            eraseDigestState(&state)
            eraseDigestState(&outerState)
        }
        Compression.md5.finish(
            &state,
            message.extracting(done...),
            blocksBefore: 1 + done / Compression.blockSize
        )
        return HMACMD5.outerDigest(of: state, outerState: outerState)
    }

    /// Compresses `blocks` whole blocks of `bytes` into `other`, interleaved with finished blocks of this message.
    fileprivate mutating func proceed(
        _ message: Span<UInt8>,
        beside other: inout SIMD4<UInt32>,
        _ bytes: Span<UInt8>,
        blocks: Int
    ) {
        let paired = min(blocks, self.blocks(in: message))
        MessagePair.compress(&other, bytes, from: 0, &state, message, from: done, blocks: paired)
        done += paired * Compression.blockSize
        Compression.md5(&other, bytes, from: paired * Compression.blockSize, blocks: blocks - paired)
    }

    /// The same for 16 bytes after one block of key, which fill one padded block.
    fileprivate mutating func proceed(
        _ message: Span<UInt8>,
        beside other: inout SIMD4<UInt32>,
        digest: SIMD4<UInt32>
    ) {
        var block = HMACMD5.digestBlock(digest)
        if blocks(in: message) > 0 {
            MessagePair.compress(&other, &block, &state, message, from: done)
            done += Compression.blockSize
        } else {
            Compression.md5(&other, block: &block)
        }
        eraseDigestState(&block)
    }

    /// The same for the padded end of a message.
    fileprivate mutating func proceed(
        _ message: Span<UInt8>,
        beside other: inout SIMD4<UInt32>,
        end: inout MessageEnd
    ) {
        if end.blocks < 2, blocks(in: message) > 0 {
            MessagePair.compress(&other, &end.words.lowHalf, &state, message, from: done)
            done += Compression.blockSize
        } else {
            Compression.md5(&other, end: &end)
        }
        eraseDigestState(&end.words)
    }
}

extension HMACMD5 {
    /// Returns the code of `bytes` under `key`, and advances another code at the same time.
    ///
    /// - Parameters:
    ///   - bytes: the message.
    ///   - key: its key.
    ///   - companion: the other code.
    ///   - standing: the other message from its beginning, as far as it is written.
    /// - Complexity: O(*n*) in the size of `bytes`; no allocation.
    package static func authenticate(
        _ bytes: Span<UInt8>,
        key: borrowing Key,
        beside companion: inout CompanionCode,
        of standing: Span<UInt8>
    ) -> Digest16 {
        var state = key.innerState
        let whole = bytes.count / Compression.blockSize
        companion.proceed(standing, beside: &state, bytes, blocks: whole)
        var end = MessageEnd(of: bytes, from: whole * Compression.blockSize)
        end.close(byteCount: Compression.blockSize + bytes.count)
        companion.proceed(standing, beside: &state, end: &end)
        var outer = key.outerState
        companion.proceed(standing, beside: &outer, digest: state)
        defer {
            eraseDigestState(&state)
            eraseDigestState(&outer)
        }
        return Digest16(words: outer)
    }

    /// The same for the 16 bytes of a digest.
    ///
    /// - Complexity: two compressions; no allocation.
    package static func authenticate(
        _ digest: Digest16,
        key: borrowing Key,
        beside companion: inout CompanionCode,
        of standing: Span<UInt8>
    ) -> Digest16 {
        var state = key.innerState
        companion.proceed(standing, beside: &state, digest: digest.words)
        var outer = key.outerState
        companion.proceed(standing, beside: &outer, digest: state)
        defer {
            eraseDigestState(&state)
            eraseDigestState(&outer)
        }
        return Digest16(words: outer)
    }
}

extension RC4 {
    /// Encrypts or decrypts 16 bytes like ``exchange(_:key:)``, and advances a code at the same time.
    ///
    /// - Complexity: no allocation; the permutation is erased.
    package static func exchange(
        _ text: Digest16,
        key: Digest16,
        beside companion: inout CompanionCode,
        of standing: Span<UInt8>
    ) -> Digest16 {
        companion.exchange(text, key: key, beside: standing)
    }
}

extension CompanionCode {
    fileprivate mutating func exchange(_ text: Digest16, key: Digest16, beside message: Span<UInt8>) -> Digest16 {
        guard blocks(in: message) >= RC4.blocksBeside else { return RC4.exchange(text, key: key) }
        defer { done += RC4.blocksBeside * Compression.blockSize }
        return RC4.exchange(text, key: key, beside: &state, message, from: done)
    }
}

extension CompanionCode: CustomStringConvertible, CustomReflectable {
    /// A fixed text, without the contents.
    package var description: String { "<HMAC-MD5>" }

    /// Has no children, because the chaining values are as secret as the key.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

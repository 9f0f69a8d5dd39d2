internal import CDigestLanes

/// The compression function of a hash.
///
/// The page of the target lists the other files with unsafe code.
enum Compression: Sendable {
    case md4
    case md5

    /// The size of a block in bytes.
    static let blockSize = 64

    /// Compresses `blocks` whole blocks of `bytes`, from `offset` on, into `state`.
    func callAsFunction(_ state: inout SIMD4<UInt32>, _ bytes: Span<UInt8>, from offset: Int, blocks: Int) {
        precondition(offset >= 0 && blocks >= 0 && blocks <= (bytes.count - offset) / Self.blockSize)
        guard blocks > 0 else { return }
        // In bounds: the precondition above leaves `blocks` whole blocks after `offset`.
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe compress(&state, start + offset, blocks)
        }
    }

    /// Compresses one block that is a value.
    func callAsFunction(_ state: inout SIMD4<UInt32>, block: inout some BitwiseCopyable) {
        unsafe withUnsafeBytes(of: &block) { bytes in
            precondition(bytes.count == Self.blockSize)
            guard let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            // In bounds: the value is one block.
            unsafe compress(&state, start, 1)
        }
    }

    /// Compresses the end of a message.
    func callAsFunction(_ state: inout SIMD4<UInt32>, end: inout MessageEnd) {
        let blocks = end.blocks
        unsafe withUnsafeBytes(of: &end.words) { bytes in
            guard let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            // In bounds: `end` has two blocks, of which one or two are used.
            unsafe compress(&state, start, blocks)
        }
    }

    private func compress(_ state: inout SIMD4<UInt32>, _ start: UnsafePointer<UInt8>, _ blocks: Int) {
        // A SIMD4<UInt32> is four words in a row with at least their alignment.
        unsafe withUnsafeMutableBytes(of: &state) { words in
            guard let words = unsafe words.bindMemory(to: UInt32.self).baseAddress else { return }
            switch self {
            case .md4: unsafe sallyport_md4_compress(words, start, blocks)
            case .md5: unsafe sallyport_md5_compress(words, start, blocks)
            }
        }
    }
}

/// The pending block: the bytes of a message that do not fill a block yet.
@safe
struct PendingBlock: Sendable {
    private var storage = SIMD64<UInt8>()
    /// The number of pending bytes; less than a block between calls.
    private(set) var count = 0

    /// Copies bytes from `offset` on until the block is full; returns their number.
    mutating func fill(from bytes: Span<UInt8>, at offset: Int) -> Int {
        let taken = min(Compression.blockSize - count, bytes.count - offset)
        guard offset >= 0, taken > 0 else { return 0 }
        // In bounds: `taken` fits behind `count` in the block and behind `offset` in the span.
        unsafe bytes.withUnsafeBytes { source in
            unsafe withUnsafeMutableBytes(of: &storage) { block in
                unsafe UnsafeMutableRawBufferPointer(rebasing: block[count..<(count + taken)])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[offset..<(offset + taken)]))
            }
        }
        count += taken
        return taken
    }

    /// Compresses the block into `state` and empties it if it is full; returns whether it was full.
    mutating func flush(into state: inout SIMD4<UInt32>, with compression: Compression) -> Bool {
        guard count == Compression.blockSize else { return false }
        compress(into: &state, with: compression)
        return true
    }

    /// Pads as in RFC 1320 and RFC 1321 section 3.1 and 3.2, compresses the last one or two blocks, and erases them.
    mutating func close(bitCount: UInt64, into state: inout SIMD4<UInt32>, with compression: Compression) {
        append(0x80)
        if count > Compression.blockSize - 8 {
            clear(from: count)
            compress(into: &state, with: compression)
        }
        clear(from: count)
        // In bounds: the length is in the last eight of 64 bytes.
        unsafe withUnsafeMutableBytes(of: &storage) {
            unsafe $0.storeBytes(of: bitCount.littleEndian, toByteOffset: Compression.blockSize - 8, as: UInt64.self)
        }
        compress(into: &state, with: compression)
        eraseDigestState(&storage)
    }

    /// Erases the pending bytes.
    mutating func erase() {
        eraseDigestState(&storage)
        count = 0
    }

    private mutating func append(_ byte: UInt8) {
        storage[count] = byte
        count += 1
    }

    private mutating func clear(from start: Int) {
        // In bounds: start is at most a block.
        unsafe withUnsafeMutableBytes(of: &storage) {
            _ = unsafe UnsafeMutableRawBufferPointer(rebasing: $0[start...]).initializeMemory(
                as: UInt8.self,
                repeating: 0
            )
        }
    }

    private mutating func compress(into state: inout SIMD4<UInt32>, with compression: Compression) {
        compression(&state, block: &storage)
        count = 0
    }
}

/// The key of an HMAC, extended to a block with zeros, and its pads (RFC 2104 section 2).
struct PaddedKey {
    var words = SIMD8<UInt64>()

    /// Makes the block of a key of at most one block.
    init(_ key: Span<UInt8>) {
        precondition(key.count <= Compression.blockSize)
        guard key.count > 0 else { return }
        // In bounds: checked above.
        unsafe withUnsafeMutableBytes(of: &words) { words in
            unsafe key.withUnsafeBytes { unsafe words.copyMemory(from: $0) }
        }
    }

    /// The block with each byte XORed with `pad`.
    func padded(_ pad: UInt8) -> PaddedKey {
        var padded = self
        let pads = UInt64(pad) &* 0x0101_0101_0101_0101
        for index in 0..<8 { padded.words[index] ^= pads }
        return padded
    }

    mutating func erase() { eraseDigestState(&words) }
}

/// Overwrites a value on the stack with zeros, which the optimiser does not remove.
func eraseDigestState(_ value: inout some BitwiseCopyable) {
    // All zeros is a valid value of the vector and integer types of this target.
    unsafe withUnsafeMutableBytes(of: &value) { unsafe sallyport_digest_erase($0.baseAddress, $0.count) }
}

extension [Digest16] {
    /// Calls `body` with the bytes of all digests, end to end.
    package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        unsafe withUnsafeBytes { bytes in
            // On the little-endian machines of the kernels, a Digest16 has its 16 bytes in memory order.
            let span = unsafe Span<UInt8>(_unsafeElements: bytes.bindMemory(to: UInt8.self))
            return body(span)
        }
    }
}

extension Digest16 {
    /// Calls `body` with the 16 bytes in wire order.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var wire = (low.littleEndian, high.littleEndian)
        defer {
            eraseDigestState(&wire.0)
            eraseDigestState(&wire.1)
        }
        return try unsafe withUnsafeBytes(of: &wire) { bytes throws(Failure) in
            // Valid: `wire` outlives the closure and has 16 bytes.
            let span = unsafe Span<UInt8>(_unsafeElements: bytes.bindMemory(to: UInt8.self))
            return try body(span)
        }
    }
}

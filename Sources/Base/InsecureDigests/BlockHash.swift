/// The construction that MD4 and MD5 share: a chaining value, a pending block, and the length at the end.
struct BlockHash: Sendable {
    private let compression: Compression
    var state: SIMD4<UInt32>
    private var pending = PendingBlock()
    private var byteCount: UInt64

    /// The chaining value that both algorithms start from (RFC 1320 and RFC 1321 section 3.3).
    static let initialState = SIMD4<UInt32>(0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476)

    /// Starts a message, or continues from the chaining value after whole blocks.
    init(_ compression: Compression, state: SIMD4<UInt32> = initialState, blocksBefore: UInt64 = 0) {
        self.compression = compression
        self.state = state
        byteCount = blocksBefore * UInt64(Compression.blockSize)
    }

    mutating func update(_ bytes: Span<UInt8>) {
        proceed(bytes, from: begin(bytes))
    }

    /// Counts the bytes and fills the pending block; returns the number of bytes used for it.
    mutating func begin(_ bytes: Span<UInt8>) -> Int {
        // RFC 1320 section 3.2: only the low 64 bits of the length are used.
        byteCount &+= UInt64(bytes.count)
        guard pending.count > 0 else { return 0 }
        let taken = pending.fill(from: bytes, at: 0)
        _ = pending.flush(into: &state, with: compression)
        return taken
    }

    /// Compresses whole blocks from `offset` on, and stores the rest as the pending block.
    mutating func proceed(_ bytes: Span<UInt8>, from offset: Int) {
        let blocks = (bytes.count - offset) / Compression.blockSize
        compression(&state, bytes, from: offset, blocks: blocks)
        _ = pending.fill(from: bytes, at: offset + blocks * Compression.blockSize)
    }

    /// Erases the chaining value and the pending block.
    mutating func erase() {
        eraseDigestState(&state)
        pending.erase()
    }

    /// Ends the message, erases the state and returns the digest.
    mutating func finalize() -> Digest16 { Digest16(words: finish()) }

    /// Ends the message, erases the state and returns the last chaining value.
    mutating func finish() -> SIMD4<UInt32> {
        pending.close(bitCount: byteCount &* 8, into: &state, with: compression)
        defer { eraseDigestState(&state) }
        return state
    }
}

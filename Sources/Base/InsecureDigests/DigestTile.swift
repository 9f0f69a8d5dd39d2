internal import CDigestLanes

/// The chaining values and current blocks of up to 64 messages, in the lanes of vectors.
///
/// `CDigestLanes.h` shows the layout. Both parts are erased in `deinit`, because blocks may contain passwords.
@safe
struct DigestTile: ~Copyable {
    /// The number of lanes.
    static let capacity = Int(SALLYPORT_LANES)

    private static let stateWords = 4 * capacity
    /// The number of words in one block of all lanes.
    static let blockWords = 16 * capacity
    private static let byteCount = (2 * stateWords + blockWords) * MemoryLayout<UInt32>.stride
    /// The alignment in bytes: a cache line, and the widest vector.
    private static let alignment = 64

    private let compression: Compression
    let kernel: sallyport_kernel
    private let memory: UnsafeMutableRawPointer
    let state: UnsafeMutablePointer<UInt32>
    let words: UnsafeMutablePointer<UInt32>
    /// The outer chaining values of HMAC until they are needed; before that, the rows of short texts.
    let aside: UnsafeMutablePointer<UInt32>

    /// Allocates a tile, which a batch reuses for all its groups.
    ///
    /// - Precondition: this machine runs `kernel`.
    init(_ compression: Compression, kernel: LaneKernel) {
        precondition(kernel.runsHere, "this machine cannot run the kernel \(kernel)")
        self.compression = compression
        self.kernel = kernel.code
        // Aligned here, because aligned allocation takes longer than hashing a dozen passwords.
        unsafe memory = UnsafeMutableRawPointer.allocate(
            byteCount: Self.byteCount + Self.alignment,
            alignment: MemoryLayout<UInt32>.alignment
        )
        // Not initialised: unused columns contain arbitrary values, and their results are never stored.
        unsafe state = unsafe memory.alignedUp(toMultipleOf: Self.alignment)
            .bindMemory(to: UInt32.self, capacity: 2 * Self.stateWords + Self.blockWords)
        // In bounds: one allocation holds chaining values, blocks and waiting values, in this order.
        unsafe words = unsafe state + Self.stateWords
        unsafe aside = unsafe words + Self.blockWords
    }

    deinit {
        unsafe sallyport_digest_erase(state, Self.byteCount)
        unsafe memory.deallocate()
    }

    /// Starts `capacity` messages.
    func start() {
        for word in 0..<4 {
            // In bounds: four rows of `capacity` words are the chaining values.
            unsafe (state + word * Self.capacity).update(repeating: BlockHash.initialState[word], count: Self.capacity)
        }
    }

    /// The two sets of chaining values.
    enum Place {
        /// The values into which blocks are compressed.
        case state
        /// The values after the outer pads of HMAC.
        case aside
    }

    private func words(of place: Place) -> UnsafeMutablePointer<UInt32> {
        switch place {
        case .state: unsafe state
        case .aside: unsafe aside
        }
    }

    /// Loads the chaining values at `index`, `index + 2`, `index + 4` and so on.
    func load(_ place: Place = .state, from midstates: [SIMD4<UInt32>], at index: Int, lanes: Int) {
        precondition(index >= 0 && lanes >= 1 && lanes <= Self.capacity)
        precondition(midstates.count - index > 2 * (lanes - 1))
        unsafe midstates.withUnsafeBytes { bytes in
            guard let rows = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            let offset = index * Digest16.count
            // In bounds: the last lane's value is number index + 2 · (lanes - 1), which exists.
            unsafe sallyport_lanes_load(
                kernel,
                words(of: place),
                rows + offset,
                2 * Digest16.count,
                bytes.count - offset,
                lanes,
                Digest16.count
            )
        }
    }

    /// Loads the digests that lie end to end in `rows` as chaining values.
    func load(digests rows: Span<UInt8>, from offset: Int, lanes: Int) {
        unsafe load(rows, into: state, from: offset, stride: Digest16.count, lanes: lanes, length: Digest16.count)
    }

    /// Compresses whole messages of `length` bytes that lie end to end in `messages` from `offset` on; `blocksBefore`
    /// blocks were compressed before them.
    func digest(_ messages: Span<UInt8>, from offset: Int, lanes: Int, length: Int, blocksBefore: Int) {
        let whole = length / Compression.blockSize
        let rest = length % Compression.blockSize
        for block in 0..<whole {
            let start = offset + block * Compression.blockSize
            load(messages, from: start, stride: length, lanes: lanes, length: Compression.blockSize)
            compress(lanes)
        }
        load(messages, from: offset + whole * Compression.blockSize, stride: length, lanes: lanes, length: rest)
        close(after: rest, of: blocksBefore * Compression.blockSize + length, lanes: lanes)
    }

    /// Uses the chaining values as keys of 16 bytes and starts an HMAC-MD5 message under each; the chaining values
    /// after the outer pads are stored aside.
    func startHMAC(lanes: Int) {
        precondition(compression == .md5 && lanes <= Self.capacity)
        unsafe sallyport_md5_start_hmac_lanes(kernel, state, aside, lanes)
    }

    /// Ends HMAC-MD5 messages: replaces the inner digests by the codes.
    func endHMAC(lanes: Int) {
        precondition(compression == .md5 && lanes <= Self.capacity)
        unsafe sallyport_md5_end_hmac_lanes(kernel, state, aside, lanes)
    }

    /// Makes `digest` the chaining value of one lane.
    func replace(lane: Int, with digest: Digest16) {
        precondition(lane >= 0 && lane < Self.capacity)
        for word in 0..<4 {
            let pair = word < 2 ? digest.low : digest.high
            // In bounds: four rows of `capacity` words are the chaining values.
            unsafe state[word * Self.capacity + lane] = UInt32(truncatingIfNeeded: pair >> UInt64(32 * (word % 2)))
        }
    }

    /// Writes the chaining values of the first lanes as digests, from number `first` on.
    func store(into digests: inout [Digest16], at first: Int, lanes: Int) {
        precondition(first >= 0 && lanes >= 0 && lanes <= Self.capacity && digests.count - first >= lanes)
        unsafe digests.withUnsafeMutableBytes { bytes in
            // On the little-endian machines of the kernels, a Digest16 has its 16 bytes in memory order.
            guard let rows = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            // In bounds: `lanes` digests of 16 bytes exist from `first` on.
            unsafe sallyport_lanes_store(kernel, rows + first * Digest16.count, Digest16.count, state, lanes)
        }
    }

    /// Writes the chaining values of the first lanes to `index`, `index + 2`, `index + 4` and so on.
    func store(_ place: Place, into midstates: inout [SIMD4<UInt32>], at index: Int, lanes: Int) {
        precondition(index >= 0 && lanes >= 1 && lanes <= Self.capacity)
        precondition(midstates.count - index > 2 * (lanes - 1))
        unsafe midstates.withUnsafeMutableBytes { bytes in
            guard let rows = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            // In bounds: the last lane's value is number index + 2 · (lanes - 1), which exists.
            unsafe sallyport_lanes_store(
                kernel,
                rows + index * Digest16.count,
                2 * Digest16.count,
                words(of: place),
                lanes
            )
        }
    }

    /// Writes the chaining values of some lanes as the digests with the same indexes.
    func store(_ lanes: Range<Int>, into digests: inout [Digest16]) {
        precondition(lanes.lowerBound >= 0 && lanes.upperBound <= min(Self.capacity, digests.count))
        unsafe digests.withUnsafeMutableBytes { bytes in
            guard let rows = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            // In bounds: the lanes and the digests with these indexes exist.
            unsafe sallyport_lanes_store(
                kernel,
                rows + lanes.lowerBound * Digest16.count,
                Digest16.count,
                state + lanes.lowerBound,
                lanes.count
            )
        }
    }

    /// Compresses one block of each lane; they lie end to end.
    func compressBlocks(_ blocks: Span<UInt8>, lanes: Int, with compression: Compression) {
        load(blocks, from: 0, stride: Compression.blockSize, lanes: lanes, length: Compression.blockSize)
        unsafe compress(lanes, words: words, with: compression)
    }

    /// Transposes blocks at any addresses into columns.
    func gather(_ blocks: UnsafePointer<UnsafePointer<UInt8>?>?, lanes: Int) {
        precondition(lanes >= 0 && lanes <= Self.capacity)
        unsafe sallyport_lanes_gather(kernel, words, blocks, lanes)
    }

    private func load(_ rows: Span<UInt8>, from offset: Int, stride: Int, lanes: Int, length: Int) {
        unsafe load(rows, into: words, from: offset, stride: stride, lanes: lanes, length: length)
    }

    private func load(
        _ rows: Span<UInt8>,
        into words: UnsafeMutablePointer<UInt32>,
        from offset: Int,
        stride: Int,
        lanes: Int,
        length: Int
    ) {
        precondition(offset >= 0 && stride >= 0 && length >= 0 && length <= Compression.blockSize)
        precondition(lanes >= 1 && lanes <= Self.capacity && rows.count - offset - length >= (lanes - 1) * stride)
        unsafe rows.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            // In bounds: the precondition leaves `length` bytes from the start of the last row on.
            unsafe sallyport_lanes_load(kernel, words, start + offset, stride, buffer.count - offset, lanes, length)
        }
    }

    /// Pads as in RFC 1320 and RFC 1321 section 3.1 and 3.2, and compresses the last one or two blocks.
    private func close(after rest: Int, of length: Int, lanes: Int) {
        precondition(rest >= 0 && rest < Compression.blockSize)
        // In bounds: less than a block precedes the end bit.
        unsafe sallyport_lanes_pad(words, rest)
        if rest >= Compression.blockSize - 8 {
            compress(lanes)
            clear()
        }
        unsafe sallyport_lanes_close(words, UInt64(length) &* 8)
        compress(lanes)
    }

    private func clear() {
        // In bounds: these are all words of the blocks.
        unsafe sallyport_digest_erase(words, Self.blockWords * MemoryLayout<UInt32>.stride)
    }

    /// Compresses the blocks of a message that is the same in all lanes.
    func compress(_ message: HMACMD5.SharedMessage, lanes: Int) {
        precondition(compression == .md5 && lanes <= Self.capacity)
        unsafe message.sums.withUnsafeBufferPointer { sums in
            guard let start = sums.baseAddress else { return }
            for block in 0..<message.blocks {
                // In bounds: each block has its sums.
                let sums = unsafe start + block * HMACMD5.SharedMessage.sumsOfBlock
                unsafe sallyport_md5_compress_shared_lanes(kernel, state, sums, lanes)
            }
        }
    }

    func compress(_ lanes: Int) { unsafe compress(lanes, words: words, with: compression) }

    private func compress(_ lanes: Int, words: UnsafePointer<UInt32>, with compression: Compression) {
        switch compression {
        case .md4: unsafe sallyport_md4_compress_lanes(kernel, state, words, lanes)
        case .md5: unsafe sallyport_md5_compress_lanes(kernel, state, words, lanes)
        }
    }
}

/// Overwrites chaining values with zeros, which the optimiser does not remove.
func eraseDigestStates(_ states: inout [SIMD4<UInt32>]) {
    unsafe states.withUnsafeMutableBytes { unsafe sallyport_digest_erase($0.baseAddress, $0.count) }
    states = []
}

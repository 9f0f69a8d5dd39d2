internal import CDigestLanes

/// Up to 64 messages of equal length, side by side: their chaining values and their current blocks.
///
/// `CDigestLanes.h` draws the layout. Both parts are erased when the tile goes, since blocks may hold passwords.
@safe
struct DigestTile: ~Copyable {
    /// How many messages fit.
    static let capacity = Int(SALLYPORT_LANES)

    private static let stateWords = 4 * capacity
    /// Words in a block of all lanes.
    static let blockWords = 16 * capacity
    private static let byteCount = (2 * stateWords + blockWords) * MemoryLayout<UInt32>.stride
    /// Cache lines and the widest vectors.
    private static let alignment = 64

    private let compression: Compression
    let kernel: sallyport_kernel
    private let memory: UnsafeMutableRawPointer
    let state: UnsafeMutablePointer<UInt32>
    let words: UnsafeMutablePointer<UInt32>
    /// Chaining values that wait for their turn; short texts before there are any.
    let aside: UnsafeMutablePointer<UInt32>

    /// Makes room for one tile, to be used over and over in one batch.
    ///
    /// - Precondition: this machine runs `kernel`.
    init(_ compression: Compression, kernel: LaneKernel) {
        precondition(kernel.runsHere, "this machine cannot run the kernel \(kernel)")
        self.compression = compression
        self.kernel = kernel.code
        // Aligned here: asking the system for it takes longer than to hash a dozen passwords.
        unsafe memory = UnsafeMutableRawPointer.allocate(
            byteCount: Self.byteCount + Self.alignment,
            alignment: MemoryLayout<UInt32>.alignment
        )
        // Not set to zero: columns that no message uses hold nonsense, and what comes of it is never stored.
        unsafe state = unsafe memory.alignedUp(toMultipleOf: Self.alignment)
            .bindMemory(to: UInt32.self, capacity: 2 * Self.stateWords + Self.blockWords)
        // In bounds: blocks and waiting values follow the chaining values in the memory allocated for all.
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

    /// Two places for chaining values.
    enum Place {
        /// Where blocks are compressed into.
        case state
        /// Where those after the outer pads of HMAC wait.
        case aside
    }

    private func words(of place: Place) -> UnsafeMutablePointer<UInt32> {
        switch place {
        case .state: unsafe state
        case .aside: unsafe aside
        }
    }

    /// Takes the chaining values at `index`, `index + 2`, `index + 4` and so on.
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

    /// Takes digests, which lie end to end in `rows`, as chaining values.
    func load(digests rows: Span<UInt8>, from offset: Int, lanes: Int) {
        unsafe load(rows, into: state, from: offset, stride: Digest16.count, lanes: lanes, length: Digest16.count)
    }

    /// Takes in whole messages of `length` bytes, which lie end to end in `messages`, the first of them at `offset`;
    /// `blocksBefore` blocks led to the chaining values.
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

    /// Takes the chaining values as keys of 16 bytes and starts a message of HMAC-MD5 under each: what follows their outer
    /// pads waits aside.
    func startHMAC(lanes: Int) {
        precondition(compression == .md5 && lanes <= Self.capacity)
        unsafe sallyport_md5_start_hmac_lanes(kernel, state, aside, lanes)
    }

    /// Ends messages of HMAC-MD5 after their inner digests, and leaves the codes.
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
            // On the little-endian machines that the kernels are for, a Digest16 is its 16 bytes in their order.
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

    /// Writes the chaining values of some lanes as the digests of the same numbers.
    func store(_ lanes: Range<Int>, into digests: inout [Digest16]) {
        precondition(lanes.lowerBound >= 0 && lanes.upperBound <= min(Self.capacity, digests.count))
        unsafe digests.withUnsafeMutableBytes { bytes in
            guard let rows = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            // In bounds: both the lanes and the digests of these numbers exist.
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

    /// Turns blocks into columns, wherever they stand.
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
            // In bounds: the precondition leaves `length` bytes behind the start of the last lane's row.
            unsafe sallyport_lanes_load(kernel, words, start + offset, stride, buffer.count - offset, lanes, length)
        }
    }

    /// Pads as RFC 1320 and RFC 1321 section 3.1 and 3.2 say, and compresses the last block or two.
    private func close(after rest: Int, of length: Int, lanes: Int) {
        precondition(rest >= 0 && rest < Compression.blockSize)
        // In bounds: the mark goes behind less than a block.
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

    /// Compresses the blocks of a message that all lanes share.
    func compress(_ message: HMACMD5.SharedMessage, lanes: Int) {
        precondition(compression == .md5 && lanes <= Self.capacity)
        unsafe message.sums.withUnsafeBufferPointer { sums in
            guard let start = sums.baseAddress else { return }
            for block in 0..<message.blocks {
                // In bounds: there are sums for each of the blocks.
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

/// Overwrites chaining values with zeros in a way that the optimiser keeps.
func eraseDigestStates(_ states: inout [SIMD4<UInt32>]) {
    unsafe states.withUnsafeMutableBytes { unsafe sallyport_digest_erase($0.baseAddress, $0.count) }
    states = []
}

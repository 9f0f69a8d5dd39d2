internal import CDigestLanes

/// The padded ends of up to 64 messages, two blocks of room for each, and the digests that they lead to.
///
/// Erased when it goes: a message may end with a password.
@safe
struct RowEnds: ~Copyable {
    private static let room = 2 * Compression.blockSize
    private static let byteCount = DigestTile.capacity * room

    private let memory: UnsafeMutablePointer<UInt8>
    /// The chaining values that lanes ended with.
    var digests = [Digest16](repeating: Digest16(low: 0, high: 0), count: DigestTile.capacity)

    init() { unsafe memory = .allocate(capacity: Self.byteCount) }

    deinit {
        unsafe sallyport_digest_erase(memory, Self.byteCount)
        unsafe memory.deallocate()
    }

    /// Copies what a message has beyond its whole blocks, and pads it; `blocksBefore` blocks led to its lane's state.
    func take(_ row: MessageRows.Row, of message: Span<UInt8>, lane: Int, blocksBefore: Int) {
        precondition(lane >= 0 && lane < DigestTile.capacity)
        var end = MessageEnd(of: message, from: message.count / Compression.blockSize * Compression.blockSize)
        end.close(byteCount: blocksBefore * Compression.blockSize + message.count)
        // In bounds: every lane has room for two blocks.
        unsafe withUnsafeBytes(of: &end.words) { words in
            guard let start = unsafe words.bindMemory(to: UInt8.self).baseAddress else { return }
            unsafe (memory + lane * Self.room).update(from: start, count: Self.room)
        }
        eraseDigestState(&end.words)
    }

    /// Where a lane's block stands, counted from its first padded one.
    func block(_ index: Int, of lane: Int) -> UnsafePointer<UInt8> {
        precondition(lane >= 0 && lane < DigestTile.capacity && (index == 0 || index == 1))
        // In bounds: checked above.
        return unsafe UnsafePointer(memory + lane * Self.room + index * Compression.blockSize)
    }
}

extension DigestTile {
    /// Takes in whole messages of any lengths, longest first, and leaves each lane's last chaining value in `ends`.
    ///
    /// Lanes whose message is over are put away before the next block, which would leave nonsense in them.
    func digest(_ rows: ArraySlice<MessageRows.Row>, of bytes: Span<UInt8>, blocksBefore: Int, ends: inout RowEnds) {
        for (lane, row) in rows.enumerated() {
            ends.take(row, of: bytes.extracting(row.bytes), lane: lane, blocksBefore: blocksBefore)
        }
        var active = rows.count
        for block in 0..<(rows.first?.blocks ?? 0) {
            let going = rows.prefix(active).partitionPoint { $0.blocks > block }
            putAway(going..<active, into: &ends)
            active = going
            gather(rows.prefix(active), block: block, of: bytes, ends: ends)
            compress(active)
        }
        putAway(0..<active, into: &ends)
    }

    private func putAway(_ lanes: Range<Int>, into ends: inout RowEnds) {
        guard !lanes.isEmpty else { return }
        store(lanes, into: &ends.digests)
    }

    private func gather(
        _ rows: ArraySlice<MessageRows.Row>,
        block: Int,
        of bytes: Span<UInt8>,
        ends: borrowing RowEnds
    ) {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<UInt8>?.self, capacity: Self.capacity) { blocks in
                for (lane, row) in rows.enumerated() {
                    let whole = row.bytes.count / Compression.blockSize
                    // In bounds: a whole block of a message that lies within the bytes, or a padded one.
                    unsafe blocks.initializeElement(
                        at: lane,
                        to: block < whole
                            ? buffer.baseAddress.map {
                                unsafe $0 + row.bytes.lowerBound + block * Compression.blockSize
                            }
                            : ends.block(block - whole, of: lane)
                    )
                }
                unsafe gather(blocks.baseAddress, lanes: rows.count)
            }
        }
    }
}

extension ArraySlice {
    /// How many elements at the front meet a condition that none behind them meets.
    fileprivate func partitionPoint(_ condition: (Element) -> Bool) -> Int {
        var count = 0
        while count < self.count, condition(self[startIndex + count]) { count += 1 }
        return count
    }
}

internal import CDigestLanes

/// The padded ends of up to 64 messages, two blocks of space for each, and their final chaining values.
///
/// Erased in `deinit`, because a message may end with a password.
@safe
struct RowEnds: ~Copyable {
    private static let room = 2 * Compression.blockSize
    private static let byteCount = DigestTile.capacity * room

    private let memory: UnsafeMutablePointer<UInt8>
    /// The final chaining values of the lanes.
    var digests = [Digest16](repeating: Digest16(low: 0, high: 0), count: DigestTile.capacity)

    init() { unsafe memory = .allocate(capacity: Self.byteCount) }

    deinit {
        unsafe sallyport_digest_erase(memory, Self.byteCount)
        unsafe memory.deallocate()
    }

    /// Copies the bytes of a message after its whole blocks, and pads them; `blocksBefore` blocks were compressed
    /// before the message.
    func pad(_ row: MessageRows.Row, of message: Span<UInt8>, lane: Int, blocksBefore: Int) {
        precondition(lane >= 0 && lane < DigestTile.capacity)
        var end = MessageEnd(of: message, from: message.count / Compression.blockSize * Compression.blockSize)
        end.close(byteCount: blocksBefore * Compression.blockSize + message.count)
        // In bounds: each lane has space for two blocks.
        unsafe withUnsafeBytes(of: &end.words) { words in
            guard let start = unsafe words.bindMemory(to: UInt8.self).baseAddress else { return }
            unsafe (memory + lane * Self.room).update(from: start, count: Self.room)
        }
        eraseDigestState(&end.words)
    }

    /// The address of a padded block of a lane.
    func block(_ index: Int, of lane: Int) -> UnsafePointer<UInt8> {
        precondition(lane >= 0 && lane < DigestTile.capacity && (index == 0 || index == 1))
        // In bounds: checked above.
        return unsafe UnsafePointer(memory + lane * Self.room + index * Compression.blockSize)
    }
}

extension DigestTile {
    /// Compresses whole messages of any lengths, longest first, and stores the final chaining value of each lane in
    /// `ends`.
    ///
    /// A finished lane is stored before the next block, because the kernel also computes unused lanes.
    func digest(_ rows: ArraySlice<MessageRows.Row>, of bytes: Span<UInt8>, blocksBefore: Int, ends: inout RowEnds) {
        for (lane, row) in rows.enumerated() {
            ends.pad(row, of: bytes.extracting(row.bytes), lane: lane, blocksBefore: blocksBefore)
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
                    // In bounds: a whole block of a message within `bytes`, or a padded block.
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
    /// The number of leading elements that meet a condition.
    fileprivate func partitionPoint(_ condition: (Element) -> Bool) -> Int {
        var count = 0
        while count < self.count, condition(self[startIndex + count]) { count += 1 }
        return count
    }
}

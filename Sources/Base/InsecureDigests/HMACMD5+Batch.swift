extension HMACMD5 {
    /// Many prepared keys, for messages that are authenticated in parallel.
    ///
    /// A class, because its chaining values must be erased in `deinit` and must not be copied.
    package final class KeyBatch {
        // Inner, then outer chaining value of each key.
        private(set) var midstates: [SIMD4<UInt32>] = []
        /// The capacity. Growing the array is not allowed, because it would leave a copy that is not erased.
        private let capacity: Int

        /// The number of keys.
        package var count: Int { midstates.count / 2 }

        /// Reserves space for `capacity` keys.
        package init(capacity: Int) {
            self.capacity = capacity
            midstates.reserveCapacity(2 * capacity)
        }

        /// Prepares the keys of 16 bytes that lie end to end in `keys`.
        ///
        /// - Complexity: two compressions a key, in parallel.
        /// - Precondition: `keys.count` is a multiple of 16, and this machine runs `kernel`.
        package convenience init(_ keys: Span<UInt8>, kernel: LaneKernel = .best) {
            precondition(keys.count.isMultiple(of: Digest16.count), "keys of other lengths are prepared one by one")
            let count = keys.count / Digest16.count
            self.init(capacity: count)
            midstates.append(contentsOf: repeatElement(.zero, count: 2 * count))
            let tile = DigestTile(.md5, kernel: kernel)
            for first in stride(from: 0, to: count, by: DigestTile.capacity) {
                let lanes = min(DigestTile.capacity, count - first)
                tile.load(digests: keys, from: first * Digest16.count, lanes: lanes)
                tile.startHMAC(lanes: lanes)
                tile.store(.state, into: &midstates, at: 2 * first, lanes: lanes)
                tile.store(.aside, into: &midstates, at: 2 * first + 1, lanes: lanes)
            }
        }

        deinit { eraseDigestStates(&midstates) }

        /// Appends a prepared key.
        ///
        /// - Precondition: `count` is less than the capacity.
        package func append(_ key: borrowing Key) {
            precondition(count < capacity, "no room for another key")
            midstates.append(key.innerState)
            midstates.append(key.outerState)
        }
    }

    /// Returns the code of each message under the key with the same index.
    ///
    /// - Parameters:
    ///   - messages: one message for each key, all of equal length, end to end.
    ///   - keys: the prepared keys.
    ///   - kernel: the instructions to use.
    /// - Complexity: O(*n*); two allocations for any count. Erases its copies of the messages.
    /// - Precondition: `messages.count` is a multiple of `keys.count`, and this machine runs `kernel`.
    package static func authenticate(
        each messages: Span<UInt8>,
        keys: KeyBatch,
        kernel: LaneKernel = .best
    ) -> [Digest16] {
        let count = keys.count
        let length = lengthOfEach(of: count, in: messages.count)
        let tile = DigestTile(.md5, kernel: kernel)
        var codes = [Digest16](repeating: Digest16(words: .zero), count: count)
        for first in stride(from: 0, to: count, by: DigestTile.capacity) {
            let lanes = min(DigestTile.capacity, count - first)
            tile.load(from: keys.midstates, at: 2 * first, lanes: lanes)
            tile.load(.aside, from: keys.midstates, at: 2 * first + 1, lanes: lanes)
            tile.digest(messages, from: first * length, lanes: lanes, length: length, blocksBefore: 1)
            tile.endHMAC(lanes: lanes)
            tile.store(into: &codes, at: first, lanes: lanes)
        }
        return codes
    }
}

extension HMACMD5 {
    /// Returns the code of each message under the key with the same index; messages may differ in length.
    ///
    /// - Parameters:
    ///   - messages: the range of each message in `bytes`, one for each key.
    ///   - bytes: the memory of all messages.
    ///   - keys: the prepared keys.
    ///   - kernel: the instructions to use.
    /// - Complexity: O(*n*); a fixed number of allocations. Erases its copies of the messages.
    /// - Precondition: each message lies within `bytes`, and this machine runs `kernel`.
    package static func authenticate(
        _ messages: [Range<Int>],
        in bytes: Span<UInt8>,
        keys: KeyBatch,
        kernel: LaneKernel = .best
    ) -> [Digest16] {
        precondition(messages.count == keys.count, "as many messages as keys")
        let order = MessageRows(messages, within: bytes.count)
        let tile = DigestTile(.md5, kernel: kernel)
        var ends = RowEnds()
        var codes = [Digest16](repeating: Digest16(words: .zero), count: messages.count)
        // The keys of one tile, in the order of its lanes.
        var midstates = [SIMD4<UInt32>](repeating: .zero, count: 2 * DigestTile.capacity)
        defer { eraseDigestStates(&midstates) }
        order.forEachTile { rows in
            for (lane, row) in rows.enumerated() {
                midstates[2 * lane] = keys.midstates[2 * row.index]
                midstates[2 * lane + 1] = keys.midstates[2 * row.index + 1]
            }
            tile.load(from: midstates, at: 0, lanes: rows.count)
            tile.load(.aside, from: midstates, at: 1, lanes: rows.count)
            tile.digest(rows, of: bytes, blocksBefore: 1, ends: &ends)
            ends.digests.withBytes { tile.load(digests: $0, from: 0, lanes: rows.count) }
            tile.endHMAC(lanes: rows.count)
            tile.store(0..<rows.count, into: &ends.digests)
            for (lane, row) in rows.enumerated() { codes[row.index] = ends.digests[lane] }
        }
        return codes
    }
}

extension HMACMD5.KeyBatch: CustomStringConvertible, CustomReflectable {
    /// A fixed text, without the contents.
    package var description: String { "<HMAC-MD5 keys>" }

    /// Has no children, because the chaining values are as secret as the keys.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

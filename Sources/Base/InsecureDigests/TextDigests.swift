/// The digests of many texts, and the texts that are too long.
package struct TextDigests {
    /// One digest for each text, in order; undefined for a refused text.
    package private(set) var digests: [Digest16]
    /// The indexes of the refused texts, which have more than ``MD4/textUnits`` units, in order.
    package private(set) var refused: [Int] = []

    init(count: Int) { digests = .init(repeating: Digest16(words: .zero), count: count) }

    /// Appends the chaining values of a tile, and the lanes that were refused.
    mutating func store(_ tile: borrowing DigestTile, at first: Int, lanes: Int, refused marks: UInt64) {
        tile.store(into: &digests, at: first, lanes: lanes)
        for lane in 0..<lanes where marks >> UInt64(lane) & 1 == 1 { refused.append(first + lane) }
    }

    /// Erases all digests and empties the array; other copies of the array are not erased.
    package mutating func erase() { digests.erase() }
}

extension MD4 {
    /// Returns the digest of the UTF-16LE form of each text.
    ///
    /// - Complexity: O(*n*); a fixed number of allocations. Erases its copies of the texts.
    /// - Precondition: this machine runs `kernel`.
    package static func hashes(utf16 texts: ArraySlice<String>, kernel: LaneKernel = .best) -> TextDigests {
        let tile = DigestTile(.md4, kernel: kernel)
        var result = TextDigests(count: texts.count)
        for group in Tiles(of: texts) {
            let refused = tile.hash(group.texts)
            result.store(tile, at: group.first, lanes: group.texts.count, refused: refused)
        }
        return result
    }
}

extension HMACMD5 {
    /// Authenticates a chain of messages: the first under the MD4 of each text in UTF-16LE, each other message under
    /// the code of the message before.
    ///
    /// Codes stay in their lanes between messages, because writing them out as keys costs more.
    ///
    /// - Returns: the code of the last message for each text.
    /// - Complexity: O(*n*) in the number of texts and the size of the messages; a fixed number of allocations. Erases
    ///   its copies of the texts.
    /// - Precondition: this machine runs `kernel`.
    package static func codes(
        underTexts texts: ArraySlice<String>,
        through messages: [SharedMessage],
        kernel: LaneKernel = .best
    ) -> TextDigests {
        let tile = DigestTile(.md5, kernel: kernel)
        var result = TextDigests(count: texts.count)
        for group in Tiles(of: texts) {
            let lanes = group.texts.count
            let refused = tile.hash(group.texts)
            for message in messages { tile.authenticate(message, lanes: lanes) }
            result.store(tile, at: group.first, lanes: lanes, refused: refused)
        }
        return result
    }
}

extension DigestTile {
    /// Replaces each chaining value by the code of `message` under it.
    fileprivate func authenticate(_ message: HMACMD5.SharedMessage, lanes: Int) {
        startHMAC(lanes: lanes)
        compress(message, lanes: lanes)
        endHMAC(lanes: lanes)
    }
}

/// The texts in groups of a tile's size, each with the index of its first text.
private struct Tiles: Sequence, IteratorProtocol {
    private var rest: ArraySlice<String>
    private var first = 0

    init(of texts: ArraySlice<String>) { rest = texts }

    mutating func next() -> (first: Int, texts: ArraySlice<String>)? {
        guard !rest.isEmpty else { return nil }
        let group = rest.prefix(DigestTile.capacity)
        rest = rest.dropFirst(group.count)
        defer { first += group.count }
        return (first, group)
    }
}

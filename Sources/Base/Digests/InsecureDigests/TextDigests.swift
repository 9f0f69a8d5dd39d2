/// What came of many texts, for those that are not too long.
package struct TextDigests {
    /// One for each text, in order; without meaning for a text that was refused.
    package private(set) var digests: [Digest16]
    /// The numbers of the texts with more than ``MD4/textUnits`` units, in order.
    package private(set) var refused: [Int] = []

    init(count: Int) { digests = .init(repeating: Digest16(words: .zero), count: count) }

    /// Takes the chaining values of a tile, and the marks of the lanes that were refused.
    mutating func store(_ tile: borrowing DigestTile, at first: Int, lanes: Int, refused marks: UInt64) {
        tile.store(into: &digests, at: first, lanes: lanes)
        for lane in 0..<lanes where marks >> UInt64(lane) & 1 == 1 { refused.append(first + lane) }
    }

    /// Overwrites all digests, and empties their array; another copy of it stays as it is.
    package mutating func erase() { digests.erase() }
}

extension MD4 {
    /// Returns the digest of the UTF-16LE form of each text.
    ///
    /// - Complexity: O(*n*); a fixed number of allocations. Erases what was held of the texts.
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
    /// Authenticates messages one after the other: the first under the MD4 of each text in UTF-16LE, every other one under
    /// the code of the one before.
    ///
    /// Codes stay in their lanes from one message to the next, which costs less than to write them out as keys.
    ///
    /// - Returns: the code of the last message for each text.
    /// - Complexity: O(*n*) in the number of texts and the size of the messages; a fixed number of allocations. Erases what
    ///   was held of the texts.
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
    /// Leaves the code of `message` under each chaining value as the next chaining value.
    fileprivate func authenticate(_ message: HMACMD5.SharedMessage, lanes: Int) {
        startHMAC(lanes: lanes)
        compress(message, lanes: lanes)
        endHMAC(lanes: lanes)
    }
}

/// Texts in groups that fit a tile, each with the number of its first.
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

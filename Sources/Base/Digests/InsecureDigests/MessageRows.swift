/// Messages of any lengths that stand in one piece of memory, longest first, so that those which still go on are always
/// the first lanes of a tile.
struct MessageRows {
    /// One message.
    struct Row {
        /// Which of the messages it is.
        let index: Int
        let bytes: Range<Int>
        /// Blocks with their padding.
        let blocks: Int
    }

    let rows: [Row]

    /// - Precondition: the ranges lie within `count` bytes.
    init(_ messages: [Range<Int>], within count: Int) {
        rows = messages.enumerated()
            .map { index, bytes in
                precondition(bytes.lowerBound >= 0 && bytes.upperBound <= count, "a message outside of the memory")
                // The bit that ends a message and its length take nine bytes at least.
                let blocks = (bytes.count + 9 + Compression.blockSize - 1) / Compression.blockSize
                return Row(index: index, bytes: bytes, blocks: blocks)
            }
            .sorted { $0.blocks > $1.blocks }
    }

    /// Calls `body` with as many rows as a tile takes, until all were taken.
    func forEachTile(_ body: (ArraySlice<Row>) -> Void) {
        for first in stride(from: 0, to: rows.count, by: DigestTile.capacity) {
            body(rows[first..<min(first + DigestTile.capacity, rows.count)])
        }
    }
}

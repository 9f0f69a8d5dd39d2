/// Messages of any lengths in one span, sorted longest first, so that unfinished messages are always in the first lanes
/// of a tile.
struct MessageRows {
    /// One message.
    struct Row {
        /// The index of the message.
        let index: Int
        let bytes: Range<Int>
        /// The number of blocks including padding.
        let blocks: Int
    }

    let rows: [Row]

    /// - Precondition: the ranges lie within `count` bytes.
    init(_ messages: [Range<Int>], within count: Int) {
        rows = messages.enumerated()
            .map { index, bytes in
                precondition(bytes.lowerBound >= 0 && bytes.upperBound <= count, "a message outside of the memory")
                // End bit and length take at least nine bytes.
                let blocks = (bytes.count + 9 + Compression.blockSize - 1) / Compression.blockSize
                return Row(index: index, bytes: bytes, blocks: blocks)
            }
            .sorted { $0.blocks > $1.blocks }
    }

    /// Calls `body` with groups of rows, each at most the size of a tile.
    func forEachTile(_ body: (ArraySlice<Row>) -> Void) {
        for first in stride(from: 0, to: rows.count, by: DigestTile.capacity) {
            body(rows[first..<min(first + DigestTile.capacity, rows.count)])
        }
    }
}

/// Items in one file, as peers in every language can read them: four bytes of length, the lowest first, then the item.
package struct ItemFile {
    package let bytes: [UInt8]
    /// Where each item stands.
    package let places: [Range<Int>]

    /// - Precondition: the file ends where its last item does.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var places: [Range<Int>] = []
        var offset = 0
        while offset < bytes.count {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
            places.append(offset + 4..<offset + 4 + length)
            offset += 4 + length
        }
        precondition(offset == bytes.count, "the file is cut short")
        self.places = places
    }

    package var items: [[UInt8]] { places.map { Array(bytes[$0]) } }
}

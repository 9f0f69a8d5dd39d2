/// Items in one file, in a form that is easy to read in every language: four bytes of length, the lowest first, then the item.
package struct ItemFile {
    package let bytes: [UInt8]
    /// The place of each item.
    package let places: [Range<Int>]

    /// - Precondition: the file ends with its last item.
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

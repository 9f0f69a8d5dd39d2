internal import Secrets

/// Writes elements of DER.
enum DERElements {
    /// An element of `contents`, which is erased.
    static func element(_ tag: UInt8, _ contents: consuming [UInt8]) -> [UInt8] {
        var contents = contents
        defer { erase(&contents) }
        var length: [UInt8] = []
        var rest = contents.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        let header = contents.count < 0x80 ? [tag, UInt8(contents.count)] : [tag, 0x80 | UInt8(length.count)] + length
        var element: [UInt8] = []
        // Once, so that no copy of a secret is left behind.
        element.reserveCapacity(header.count + contents.count)
        element += header
        element += contents
        return element
    }

    /// An element with these parts, which are erased.
    static func element(_ tag: UInt8, of parts: consuming [[UInt8]]) -> [UInt8] {
        var parts = parts
        var contents: [UInt8] = []
        contents.reserveCapacity(parts.reduce(0) { $0 + $1.count })
        for index in parts.indices {
            contents += parts[index]
            erase(&parts[index])
        }
        return element(tag, contents)
    }
}

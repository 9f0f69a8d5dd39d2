internal import NIOCore

/// Finds the end of a head as bytes come, without looking at a byte twice.
struct HeadEnd {
    /// The bytes after the reader index that were searched.
    private(set) var searched = 0
    /// The bytes of the line that is being searched.
    private var line = 0

    /// The length of the head at the beginning of `buffer`; `nil` if it has not ended yet.
    ///
    /// A line feed without a carriage return before it is refused here, so that nothing after it can be taken for a head.
    ///
    /// - Parameter isResponse: whether a line feed alone ends a line, as a recipient of responses may take it.
    mutating func find(in buffer: ByteBuffer, isResponse: Bool = false) throws(HeadDefect) -> Int? {
        let bytes = buffer.readableBytesUInt8Span
        let end = min(bytes.count, HeadLimits.head)
        var index = searched
        var line = line
        while index < end {
            let byte = bytes[index]
            index &+= 1
            line &+= 1
            guard byte == 0x0A else { continue }
            let hasReturn = index >= 2 && bytes[index &- 2] == 0x0D
            guard hasReturn || isResponse else { throw .lineEnd }
            if line == (hasReturn ? 2 : 1) {
                self = HeadEnd()
                return index
            }
            line = 0
        }
        guard bytes.count < HeadLimits.head else { throw .headTooLong }
        (searched, self.line) = (index, line)
        return nil
    }
}

package import NIOCore

/// Finds the end of a head as bytes come, without looking at a byte twice.
package struct HeadEnd {
    /// The bytes after the reader index that were searched.
    package private(set) var searched = 0
    /// The bytes of the line that is being searched.
    private var line = 0
    private let bound: Int
    private let isResponse: Bool

    /// - Parameters:
    ///   - isResponse: whether a line feed alone ends a line, as a recipient of responses may take it.
    ///   - bound: the most bytes of the head.
    package init(isResponse: Bool = false, bound: Int = HeadLimits.head) {
        (self.isResponse, self.bound) = (isResponse, bound)
    }

    /// The length of the head at the beginning of `buffer`; `nil` if it has not ended yet.
    ///
    /// In a request, a line feed without a carriage return before it is refused here, so that nothing after it can be taken for a head. In a
    /// response, so is what does not begin like HTTP, because its end may never come.
    package mutating func find(in buffer: ByteBuffer) throws(HeadDefect) -> Int? {
        let bytes = buffer.readableBytesUInt8Span
        if isResponse, searched < Self.beginning.utf8CodeUnitCount, !bytes.begins(like: Self.beginning) {
            throw .statusLine
        }
        let end = min(bytes.count, bound)
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
                self = HeadEnd(isResponse: isResponse, bound: bound)
                return index
            }
            line = 0
        }
        guard bytes.count < bound else { throw .headTooLong }
        (searched, self.line) = (index, line)
        return nil
    }

    private static let beginning: StaticString = "HTTP/"
}

extension Span<UInt8> {
    /// Whether the bytes, or as many of them as there are, are the beginning of `text`.
    fileprivate func begins(like text: StaticString) -> Bool {
        for index in 0..<Swift.min(count, text.utf8CodeUnitCount) {
            // In bounds: the index is below the length of the text.
            guard self[index] == (unsafe text.utf8Start[index]) else { return false }
        }
        return true
    }
}

package import NIOCore
internal import WireFormat

/// Finds the end of a head as bytes come, without looking at a byte twice.
package struct HeadEnd {
    /// The bytes after the reader index that were searched.
    package private(set) var searched = 0
    /// Where the line begins that is being searched, counted from the reader index.
    private var lineStart = 0
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
        if isResponse, searched < Self.beginningBytes, !Self.mayBegin(bytes) { throw .statusLine }
        let end = min(bytes.count, bound)
        var index = searched
        var start = lineStart
        while let lineFeed = bytes.firstIndex(of: UInt8(ascii: "\n"), from: index, to: end) {
            index = lineFeed &+ 1
            let hasReturn = index >= 2 && bytes[index &- 2] == 0x0D
            guard hasReturn || isResponse else { throw .lineEnd }
            if index &- start == (hasReturn ? 2 : 1) {
                self = HeadEnd(isResponse: isResponse, bound: bound)
                return index
            }
            start = index
        }
        guard bytes.count < bound else { throw .headTooLong }
        (searched, lineStart) = (end, start)
        return nil
    }

    /// The length of `HTTP/`.
    private static let beginningBytes = 5

    /// Whether the bytes, or as many of them as there are, are `HTTP/`.
    private static func mayBegin(_ bytes: Span<UInt8>) -> Bool {
        if bytes.count >= beginningBytes {
            return bytes[0] == UInt8(ascii: "H") && bytes[1] == UInt8(ascii: "T") && bytes[2] == UInt8(ascii: "T")
                && bytes[3] == UInt8(ascii: "P") && bytes[4] == UInt8(ascii: "/")
        }
        let beginning = Array("HTTP/".utf8)
        return bytes.indices.allSatisfy { bytes[$0] == beginning[$0] }
    }
}

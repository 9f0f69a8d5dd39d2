internal import NIOCore

/// Finds the end of a response's head, within a bound, as bytes come.
struct ResponseHeadReader {
    private static let start = Array("HTTP/".utf8)

    private let bound: Int
    /// The bytes after the reader index that were searched.
    private var searched = 0
    private var line = 1
    /// The bytes of the line that is being searched.
    private var lineLength = 0

    init(bound: Int) { self.bound = bound }

    /// The head at the beginning of `buffer`, which it leaves; `nil` if it has not ended yet.
    mutating func read(_ buffer: inout ByteBuffer) throws(ResponseDefect) -> ResponseHead? {
        guard let length = try length(of: buffer) else { return nil }
        self = ResponseHeadReader(bound: bound)
        return try ResponseHead(parsing: buffer.readBytes(length: length) ?? [])
    }

    private mutating func length(of buffer: ByteBuffer) throws(ResponseDefect) -> Int? {
        var last: UInt8? = searched > 0 ? buffer.getInteger(at: buffer.readerIndex + searched - 1) : nil
        for byte in buffer.readableBytesView.dropFirst(searched) {
            searched += 1
            guard searched <= bound else { throw .headTooLong(bound: bound) }
            // Whatever does not begin like HTTP would otherwise be collected up to the bound.
            if searched <= Self.start.count, byte != Self.start[searched - 1] { throw .statusLine }
            lineLength += 1
            if byte == .lineFeed {
                guard last == .carriageReturn else { throw .bareLineFeed(line: line) }
                if lineLength == 2 { return searched }
                (line, lineLength) = (line + 1, 0)
            }
            last = byte
        }
        return nil
    }
}

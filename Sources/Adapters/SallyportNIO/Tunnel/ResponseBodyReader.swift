internal import NIOCore

/// Reads a body to its end and drops it, within a bound.
struct ResponseBodyReader {
    private enum State {
        case length(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailers
        case ended
    }

    private var state: State
    /// How many more bytes may come.
    private var bytesLeft: Int
    private let bound: Int

    /// - Parameter bound: the most bytes, with the lines of chunks.
    init(_ framing: ResponseHead.Framing, bound: Int) throws(ResponseDefect) {
        self.bound = bound
        bytesLeft = bound
        switch framing {
        case .length(let length):
            guard length <= bound else { throw .bodyTooLong(bound: bound) }
            state = length == 0 ? .ended : .length(length)
        case .chunked: state = .chunkSize
        case .close: state = .ended
        }
    }

    /// Takes bytes from `buffer`; true at the end of the body, whose following bytes stay in `buffer`.
    mutating func drain(_ buffer: inout ByteBuffer) throws(ResponseDefect) -> Bool {
        while true {
            switch state {
            case .ended: return true
            case .length(let left), .chunk(let left):
                let count = min(left, buffer.readableBytes)
                buffer.moveReaderIndex(forwardBy: count)
                try spend(count)
                let isChunk = if case .chunk = state { true } else { false }
                guard count == left else {
                    state = isChunk ? .chunk(left - count) : .length(left - count)
                    return false
                }
                state = isChunk ? .chunkEnd : .ended
            case .chunkSize:
                guard let line = try line(&buffer) else { return false }
                let size = try Self.size(line)
                state = size == 0 ? .trailers : .chunk(size)
            case .chunkEnd:
                guard let line = try line(&buffer) else { return false }
                guard line.isEmpty else { throw .chunk }
                state = .chunkSize
            case .trailers:
                guard let line = try line(&buffer) else { return false }
                if line.isEmpty { state = .ended }
            }
        }
    }

    private mutating func spend(_ count: Int) throws(ResponseDefect) {
        bytesLeft -= count
        guard bytesLeft >= 0 else { throw .bodyTooLong(bound: bound) }
    }

    /// The next line without its CRLF; `nil` if it has not come.
    private mutating func line(_ buffer: inout ByteBuffer) throws(ResponseDefect) -> [UInt8]? {
        guard let end = buffer.readableBytesView.firstIndex(of: .lineFeed) else {
            guard buffer.readableBytes <= bytesLeft else { throw .bodyTooLong(bound: bound) }
            return nil
        }
        guard let line = buffer.readBytes(length: end + 1 - buffer.readerIndex) else { return nil }
        try spend(line.count)
        guard line.count >= 2, line[line.count - 2] == .carriageReturn else { throw .chunk }
        let content = Array(line.dropLast(2))
        guard content.allSatisfy(\.isFieldByte) else { throw .chunk }
        return content
    }

    /// The size of a chunk, in at most 8 hexadecimal digits; extensions are ignored.
    private static func size(_ line: [UInt8]) throws(ResponseDefect) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != .space && $0 != .tab }
        guard (1...8).contains(digits.count), digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .chunk }
        let rest = line.dropFirst(digits.count).drop { $0 == .space || $0 == .tab }
        guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { throw .chunk }
        return size
    }
}

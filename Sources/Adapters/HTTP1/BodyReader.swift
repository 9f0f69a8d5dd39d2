/// Finds the end of a body as its bytes pass, which it does not keep.
package struct BodyReader {
    package enum State {
        case left(Int)
        case endless
        case chunked(ChunkReader)
    }

    package private(set) var state: State
    package private(set) var isAtEnd: Bool

    /// - Parameter isResponse: whether the chunks may have forms that a recipient of responses may accept.
    package init(_ framing: BodyFraming, isResponse: Bool = false) {
        switch framing {
        case .length(let length):
            state = .left(length)
            isAtEnd = length == 0
        case .chunked:
            state = .chunked(ChunkReader(isLenient: isResponse))
            isAtEnd = false
        case .untilClose:
            state = .endless
            isAtEnd = false
        }
    }

    /// Whether the end of the connection ends the body.
    package var endsWithConnection: Bool { if case .endless = state { true } else { false } }

    /// How many bytes at the beginning of `bytes` belong to the body.
    package mutating func advance(over bytes: Span<UInt8>) throws(HeadDefect) -> Int {
        let (count, defect) = advanceInOrder(over: bytes)
        if let defect { throw defect }
        return count
    }

    /// The same with how many bytes are in order before a defect: those up to the line that has it.
    package mutating func advanceInOrder(over bytes: Span<UInt8>) -> (count: Int, defect: HeadDefect?) {
        switch state {
        case .left(let left):
            let count = min(left, bytes.count)
            state = .left(left - count)
            isAtEnd = count == left
            return (count, nil)
        case .endless: return (bytes.count, nil)
        case .chunked(var reader):
            let found = reader.advanceInOrder(over: bytes) { _ in }
            state = .chunked(reader)
            isAtEnd = reader.isAtEnd
            return found
        }
    }

    /// What was mended in the bytes of the last call of ``advance(over:)``, in their order.
    package var mendings: [ChunkReader.Mending] { if case .chunked(let reader) = state { reader.mendings } else { [] } }

    /// Whether something was mended in the bytes of the last call.
    package var isMended: Bool {
        // First the case alone: to read ``mendings`` copies the reader of chunks, which most bodies do not have.
        guard case .chunked = state else { return false }
        return !mendings.isEmpty
    }

    /// The same for a recipient that knows no chunks; calls `data` with each range of their data.
    package mutating func advance(over bytes: Span<UInt8>, data: (Range<Int>) -> Void) throws(HeadDefect) -> Int {
        guard case .chunked(var reader) = state else {
            let count = try advance(over: bytes)
            data(0..<count)
            return count
        }
        let count = try reader.advance(over: bytes, data: data)
        state = .chunked(reader)
        isAtEnd = reader.isAtEnd
        return count
    }
}

package import NIOCore

/// Reads the responses of one connection, one request at a time, as their bytes come.
package struct ResponseReader {
    package enum Part {
        /// 1xx, but not 101.
        case interim(status: Int)
        /// The head and its bytes.
        case head(ResponseHead, ByteBuffer)
        /// Data of the body, without the lines of chunks.
        case data(ByteBuffer)
        case end
    }

    private enum State {
        /// No request waits for a response.
        case idle
        case head(HeadEnd, interimResponses: Int)
        case body(BodyReader)
        /// The rest of the body cannot be read; what came before it was returned.
        case malformed(HeadDefect)
    }

    private var state = State.idle
    private var method = RequestHead.Method.other
    private let headBound: Int
    private let interimBound: Int
    /// What has come and is not read yet.
    private var received = ByteBuffer()
    /// The status of the head that could not be read.
    private var defectiveStatus: Int?
    /// How many bytes of the last body were read, with the lines of chunks.
    package private(set) var bodyBytes = 0

    package init(headBound: Int = HeadLimits.head, interimBound: Int = HeadLimits.interimResponses) {
        (self.headBound, self.interimBound) = (headBound, interimBound)
    }

    /// Expects the response to a request that is sent now.
    package mutating func begin(_ method: RequestHead.Method) {
        self.method = method
        state = .head(HeadEnd(isResponse: true, bound: headBound), interimResponses: 0)
        defectiveStatus = nil
    }

    /// Takes bytes, which ``next()`` reads.
    package mutating func append(_ bytes: ByteBuffer) {
        if received.readableBytes == 0 { received = bytes } else { received.writeImmutableBuffer(bytes) }
    }

    /// The bytes that belong to no response that was expected, for example those of a tunnel.
    package var rest: ByteBuffer { received }

    /// The final status of a response whose head cannot be read, or whose end has not come; `nil` without one.
    package var unreadStatus: Int? {
        guard case .head = state else { return nil }
        let status = defectiveStatus ?? ResponseHead.status(in: received.readableBytesUInt8Span)
        return status.flatMap { $0 >= 200 ? $0 : nil }
    }

    /// Whether any byte of the expected response has come.
    package var hasBegun: Bool {
        switch state {
        case .idle: false
        case .head(_, let interimResponses): interimResponses > 0 || received.readableBytes > 0
        case .body, .malformed: true
        }
    }

    /// The next part of the response; `nil` while more bytes must come.
    package mutating func next() throws(HeadDefect) -> Part? {
        switch state {
        case .idle:
            guard received.readableBytes == 0 else { throw .unaskedBytes }
            return nil
        case .head(var end, let interimResponses):
            let found = try end.find(in: received)
            guard let found, var bytes = received.readSlice(length: found) else {
                state = .head(end, interimResponses: interimResponses)
                return nil
            }
            defectiveStatus = ResponseHead.status(in: bytes.readableBytesUInt8Span)
            let head = try ResponseHead.read(&bytes, to: method)
            defectiveStatus = nil
            if head.isInterim {
                guard interimResponses < interimBound else { throw .tooManyInterimResponses }
                state = .head(end, interimResponses: interimResponses + 1)
                return .interim(status: head.status)
            }
            state = .body(BodyReader(head.framing, isResponse: true))
            bodyBytes = 0
            return .head(head, bytes)
        case .body(var reader):
            if reader.isAtEnd {
                state = .idle
                return .end
            }
            guard received.readableBytes > 0 else { return nil }
            let data = try readData(&reader)
            if case .malformed = state { return .data(data) }
            state = .body(reader)
            if data.readableBytes > 0 { return .data(data) }
            return try next()
        case .malformed(let defect): throw defect
        }
    }

    /// The end that the end of the connection is; `nil` if it comes in the middle of a response, or no response is expected.
    package mutating func connectionEnded() -> Part? {
        guard case .body(let reader) = state, reader.endsWithConnection else { return nil }
        state = .idle
        return .end
    }

    /// The data in all that has come. Before a defect it is returned, too, and the next call throws: otherwise it would depend on the reads
    /// what of a response is delivered.
    private mutating func readData(_ reader: inout BodyReader) throws(HeadDefect) -> ByteBuffer {
        let all = received
        var data = ByteBuffer()
        let count: Int
        do throws(HeadDefect) {
            count = try reader.advance(over: all.readableBytesUInt8Span) { range in
                guard let part = all.getSlice(at: all.readerIndex + range.lowerBound, length: range.count) else {
                    return
                }
                if data.readableBytes == 0 { data = part } else { data.writeImmutableBuffer(part) }
            }
        } catch {
            guard data.readableBytes > 0 else { throw error }
            state = .malformed(error)
            return data
        }
        received.moveReaderIndex(forwardBy: count)
        bodyBytes += count
        if received.readableBytes == 0 { received = ByteBuffer() }
        return data
    }
}

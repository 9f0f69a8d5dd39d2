package import HTTP1

/// Why the response of a proxy or a server is refused.
public enum ResponseDefect: Error, Equatable, Sendable {
    /// The head is longer.
    case headTooLong(bound: Int)
    /// More interim responses came.
    case tooManyInterimResponses(bound: Int)
    /// The status line has another form than `HTTP/1.1 200 text`.
    case statusLine
    /// The head has more fields.
    case tooManyFields(bound: Int)
    /// A field line is empty before its colon, has a name that is not a token, or has no colon.
    case fieldName
    /// A field value has a zero byte.
    case fieldValue
    /// The first field is the rest of another (RFC 9112 section 5.2).
    case folded
    /// `Content-Length` has different values, or one that is not a number.
    case framing
    /// The body has another coding than `chunked`.
    case coding
    /// A field line does not end with a line feed, or with a carriage return and a line feed.
    case lineEnd
    /// A chunk or a trailer has another form.
    case chunk
    /// The size of a chunk is 2^63 or more.
    case chunkTooLarge
    /// More bytes stand beside the size of a chunk.
    case chunkLineTooLong(bound: Int)
    /// The trailers are longer.
    case trailersTooLong(bound: Int)
    /// There are more trailers.
    case tooManyTrailers(bound: Int)
    /// Bytes came behind a complete response, before another request was sent.
    case unaskedBytes
}

extension ResponseDefect {
    /// - Parameters:
    ///   - headBound: the most bytes of a head.
    ///   - interimBound: the most interim responses.
    package init(
        _ defect: HeadDefect,
        _ headBound: Int = ResponseLimits.headBytes,
        _ interimBound: Int = ResponseLimits.interimResponses
    ) {
        switch defect {
        case .headTooLong: self = .headTooLong(bound: headBound)
        case .tooManyInterimResponses: self = .tooManyInterimResponses(bound: interimBound)
        case .tooManyFields: self = .tooManyFields(bound: HeadLimits.responseFields)
        case .fieldName: self = .fieldName
        case .fieldValue: self = .fieldValue
        case .folded: self = .folded
        case .length, .lengthAndCoding: self = .framing
        case .coding: self = .coding
        case .lineEnd: self = .lineEnd
        case .chunk, .trailer: self = .chunk
        case .chunkTooLarge: self = .chunkTooLarge
        case .chunkLineTooLong: self = .chunkLineTooLong(bound: HeadLimits.chunkExtensions)
        case .trailersTooLong: self = .trailersTooLong(bound: HeadLimits.trailers)
        case .tooManyTrailers: self = .tooManyTrailers(bound: HeadLimits.responseFields)
        case .unaskedBytes: self = .unaskedBytes
        case .statusLine: self = .statusLine
        // No response has them.
        case .requestLine, .targetTooLong, .version, .method, .host, .framingNominated, .expectation:
            self = .statusLine
        }
    }
}

extension ResponseDefect: CustomStringConvertible {
    /// The problem without the remedy.
    package var problem: String { String(description.prefix { $0 != ":" }) }

    /// One line: what, why, and what to do.
    public var description: String {
        switch self {
        case .headTooLong(let bound):
            "the head of the response has more than \(bound) bytes: \(Self.shorten)"
        case .tooManyInterimResponses(let bound):
            "more than \(bound) interim responses came: \(Self.correct)"
        case .statusLine: "the response does not begin with an HTTP/1 status line: check that the port is an HTTP proxy"
        case .tooManyFields(let bound):
            "the head of the response has more than \(bound) fields: \(Self.shorten)"
        case .fieldName: "a field of the response has no valid name: \(Self.correct)"
        case .fieldValue: "a field of the response has a zero byte: \(Self.correct)"
        case .folded: "the head of the response begins with the rest of a field: \(Self.correct)"
        case .framing:
            "the response has lengths that contradict each other, are no numbers or are 2^63 or more: \(Self.correct)"
        case .coding: "the response has another coding than 'chunked': \(Self.correct)"
        case .lineEnd: "a field line of the response has a carriage return without a line feed: \(Self.correct)"
        case .chunk: "the response has a malformed or too long line with a chunk's size or trailer: \(Self.correct)"
        case .chunkTooLarge: "the size of a chunk of the response is 2^63 bytes or more: \(Self.correct)"
        case .chunkLineTooLong(let bound):
            "more than \(bound) bytes stand beside the size of a chunk of the response: \(Self.shorten)"
        case .trailersTooLong(let bound): "the trailers of the response have more than \(bound) bytes: \(Self.shorten)"
        case .tooManyTrailers(let bound): "the response has more than \(bound) trailers: \(Self.shorten)"
        case .unaskedBytes: "bytes follow a response before the next request: \(Self.correct)"
        }
    }

    // The reader uses the server or proxy, and somebody else runs it.
    private static let correct = "ask who runs the server or proxy to correct it"
    private static let shorten = "ask who runs the server or proxy to send fewer or shorter fields"
}

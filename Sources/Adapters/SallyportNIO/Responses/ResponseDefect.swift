internal import HTTP1

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
    /// A chunk or a trailer has another form.
    case chunk
    /// Bytes came behind a complete response, before another request was sent.
    case unaskedBytes
}

extension ResponseDefect {
    /// - Parameters:
    ///   - headBound: the most bytes of a head.
    ///   - interimBound: the most interim responses.
    init(
        _ defect: HeadDefect,
        _ headBound: Int = ResponseLimits.headBytes,
        _ interimBound: Int = ResponseLimits.interimResponses
    ) {
        switch defect {
        case .headTooLong: self = .headTooLong(bound: headBound)
        case .tooManyInterimResponses: self = .tooManyInterimResponses(bound: interimBound)
        case .tooManyFields: self = .tooManyFields(bound: HeadLimits.fields)
        case .fieldName: self = .fieldName
        case .fieldValue: self = .fieldValue
        case .folded: self = .folded
        case .length, .lengthAndCoding: self = .framing
        case .coding: self = .coding
        case .chunk, .trailer: self = .chunk
        case .unaskedBytes: self = .unaskedBytes
        // The others are about requests.
        default: self = .statusLine
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
            "the head of the response has more than \(bound) bytes: correct the server or proxy"
        case .tooManyInterimResponses(let bound):
            "more than \(bound) interim responses came: correct the server or proxy"
        case .statusLine: "the response does not begin with an HTTP/1 status line: check that the port is an HTTP proxy"
        case .tooManyFields(let bound):
            "the head of the response has more than \(bound) fields: correct the server or proxy"
        case .fieldName: "a field of the response has no valid name: correct the server or proxy"
        case .fieldValue: "a field of the response has a zero byte: correct the server or proxy"
        case .folded: "the head of the response begins with the rest of a field: correct the server or proxy"
        case .framing:
            "the response has lengths that contradict each other or are no numbers: correct the server or proxy"
        case .coding: "the response has another coding than 'chunked': correct the server or proxy"
        case .chunk: "the response has a malformed or too long chunk size or trailer: correct the server or proxy"
        case .unaskedBytes: "bytes follow a response before the next request: correct the server or proxy"
        }
    }
}

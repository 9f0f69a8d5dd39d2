/// Why the head or the body of a request or a response is refused.
package enum HeadDefect: Error, Equatable, Sendable {
    // Request lines (RFC 9112 section 3).
    case requestLine
    case targetTooLong
    case version
    case method
    // Fields (RFC 9112 section 5).
    case headTooLong
    case tooManyFields
    case lineEnd
    case folded
    case fieldName
    case fieldValue
    // Host (RFC 9112 section 3.2).
    case host
    // Framing (RFC 9112 section 6).
    case length
    case coding
    case lengthAndCoding
    case framingNominated
    case expectation
    case chunk
    case chunkTooLarge
    case chunkLineTooLong
    case trailer
    case trailersTooLong
    case tooManyTrailers
    // Responses.
    case statusLine
    case unaskedBytes
    case tooManyInterimResponses

    /// The status code for a client that sent it.
    package var status: Int {
        switch self {
        case .targetTooLong: 414
        case .headTooLong, .tooManyFields, .trailersTooLong, .tooManyTrailers: 431
        case .version: 505
        case .coding: 501
        case .expectation: 417
        default: 400
        }
    }
}

extension HeadDefect: CustomStringConvertible {
    /// One line: the problem and the remedy.
    package var description: String {
        switch self {
        case .requestLine: "the request line has another form than METHOD TARGET HTTP/1.1: correct the client"
        case .targetTooLong: "the target has more than \(HeadLimits.target) bytes: shorten it"
        case .version: "the version of HTTP is not 1.0 or 1.1: use HTTP/1.1"
        case .method: "the method may not have a body or a field that it has: correct the client"
        case .headTooLong: "the head has more than \(HeadLimits.head) bytes: shorten it"
        case .tooManyFields: "the head has more than \(HeadLimits.fields) fields: remove some"
        case .lineEnd: "a line does not end with CR LF: correct the sender"
        case .folded: "a field goes on in the next line, which is obsolete: correct the sender"
        case .fieldName: "a field has no valid name: correct the sender"
        case .fieldValue: "a field has a control character: correct the sender"
        case .host: "the Host field is absent, doubled or not a host: correct the client"
        case .length: "Content-Length is doubled or not a number: correct the sender"
        case .coding: "Transfer-Encoding is not 'chunked': use no other coding"
        case .lengthAndCoding: "Content-Length and Transfer-Encoding contradict each other: send one"
        case .framingNominated: "Connection names a field that every recipient needs: correct the sender"
        case .expectation: "Expect is not '100-continue': remove it"
        case .chunk: "a chunk is malformed: correct the sender"
        case .chunkTooLarge: "the size of a chunk is 2^63 bytes or more, or has too many digits: send smaller chunks"
        case .chunkLineTooLong:
            "more than \(HeadLimits.chunkExtensions) bytes stand beside the size of a chunk: leave out its extensions"
        case .trailersTooLong: "the trailers have more than \(HeadLimits.trailers) bytes: shorten them"
        case .tooManyTrailers: "there are more than \(HeadLimits.fields) trailers: remove some"
        case .trailer: "a trailer is malformed or may not be one: correct the sender"
        case .statusLine: "the response does not begin with an HTTP/1 status line: check that the port is an HTTP proxy"
        case .unaskedBytes: "bytes follow a response before the next request: correct the server"
        case .tooManyInterimResponses:
            "more than \(HeadLimits.interimResponses) interim responses came: correct the server"
        }
    }
}

/// Why the response of a proxy or a server is refused.
public enum ResponseDefect: Error, Equatable, Sendable {
    /// The head is longer.
    case headTooLong(bound: Int)
    /// More interim responses came.
    case tooManyInterimResponses(bound: Int)
    /// The status line has another form than `HTTP/1.1 200 text`.
    case statusLine
    /// A field line is empty before its colon, has a name that is not a token, or has no colon.
    case fieldName(line: Int)
    /// A field value has a control character, or a CR without LF.
    case fieldValue(line: Int)
    /// A field goes on in the next line (RFC 9112 section 5.2).
    case folded(line: Int)
    /// A line ends with LF alone.
    case bareLineFeed(line: Int)
    /// `Content-Length` and `Transfer-Encoding` contradict each other, or have values that no recipient may guess at.
    case framing
    /// A chunk has another form.
    case chunk
    /// Bytes came behind a complete response, before another request was sent.
    case unaskedBytes
    /// The body of a refused response is longer.
    case bodyTooLong(bound: Int)
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
        case .fieldName(let line): "line \(line) of the response has no valid field name: correct the proxy"
        case .fieldValue(let line): "line \(line) of the response has a control character: correct the proxy"
        case .folded(let line): "line \(line) of the response continues a field, which is obsolete: correct the proxy"
        case .bareLineFeed(let line): "line \(line) of the response ends without CR: correct the proxy"
        case .framing: "the response has contradictory lengths: correct the proxy"
        case .chunk: "the response has a malformed or too long chunk size or trailer: correct the server or proxy"
        case .unaskedBytes: "bytes follow a refused response before the next request: correct the proxy"
        case .bodyTooLong(let bound): "the refused response has a body of more than \(bound) bytes: correct the proxy"
        }
    }
}

public import HTTPAuthentication
public import Sallyport

/// Why an ``AuthenticationClientHandler`` cannot go on. It closes the channel after each of these errors.
public enum AuthenticationError: Error, Sendable {
    /// The request needs a new connection. Open one, and give its handler this request: it goes on without another write, and so do the
    /// requests behind it.
    case connectionNeeded(ContinuedRequest)
    /// The connection closed in the middle of a handshake for the second time.
    case handshakeLost(RequestOutcome)
    /// The request names another host than the handler's origin.
    case otherOrigin(named: String, expected: Origin)
    /// The target is in a form that the route cannot carry.
    case unsupportedTarget(String)
    /// The answer has bytes that NIO cannot send.
    case unsendable(UnsendableField)
    /// The server or proxy did not prove itself as the account demands, so its response may be that of an impostor.
    case notProven(Refusal, by: ChallengedParty)
    /// The server changes the protocol, and the request does not ask for it.
    case unaskedUpgrade
    /// The authenticator found no credential, because its source or store failed, or somebody cancelled.
    case noCredential(any Error)
    /// A scheme needs something that this handler cannot fetch.
    case needNotMet(SystemMessageNeed)
    /// The body is longer than its fields say, and was refused after it was sent.
    case bodyNotKept(bound: Int)
    /// Too many requests, or too many bytes of them, wait behind the one at work or behind a handshake.
    case tooMuchWaits(requests: Int, bytes: Int)
    /// A refused response does not end within the bounds, and what comes next belongs on its connection.
    case responseTooLong(bound: Int)
    /// The server answered before the body was sent.
    case answeredBeforeBody
    /// A body part or an end was written without a head.
    case partWithoutHead
    /// The connection closed before this part was sent.
    case connectionClosed
    /// The handler was removed in the middle of a request.
    case handlerRemoved
}

extension AuthenticationError: CustomStringConvertible {
    /// One line: what, why, and what to do.
    public var description: String {
        switch self {
        case .connectionNeeded:
            "request: its connection cannot carry it to the end: open a new connection, and give its handler the request"
        case .handshakeLost(.withheld(let refusal, by: let party)):
            "request: \(party == .proxy ? "the proxy" : "the server"): \(refusal)"
        case .handshakeLost:
            "request: the server closed the connection in the middle of a handshake: correct the server"
        case .otherOrigin(let named, let expected):
            "request: it names \(named.debugDescription) on a connection to \(expected): use a connection to that host"
        case .unsupportedTarget(let target):
            "request: the target \(target.debugDescription) does not fit the route: use a path, or the origin's own URL "
                + "through a proxy; for CONNECT use ProxyTunnelHandler"
        case .unsendable(let field): "request: \(field)"
        case .notProven(let refusal, by: let party):
            "response of the \(party == .proxy ? "proxy" : "server"): it is not used: \(refusal)"
        case .noCredential(let error): "request: no credential: \(error)"
        case .unaskedUpgrade:
            "response: the server changes the protocol, which the request did not ask for: correct the server"
        case .needNotMet(let need):
            "request: a scheme needs a ticket for \(need.service), which this handler cannot fetch: use another scheme"
        case .bodyNotKept(let bound):
            "request: the server asked for authentication after a body of more than \(bound) bytes: "
                + "send a Content-Length, or raise mostRepeatableBytes"
        case .tooMuchWaits(let requests, let bytes):
            "request: \(requests) requests with \(bytes) bytes wait: wait for write promises, "
                + "or raise mostQueuedRequests or mostRepeatableBytes"
        case .responseTooLong(let bound):
            "response: a challenge's body does not end within \(bound) bytes, or not in time: correct the server, "
                + "or raise mostDrainedBytes or drainTime"
        case .answeredBeforeBody:
            "request: the server answered before the body was sent, so the body was not sent: read the response"
        case .partWithoutHead: "request: a body part or an end came without a head: write the head first"
        case .connectionClosed: "request: the connection closed before this part was sent: open a new connection"
        case .handlerRemoved: "request: the handler was removed before its end: remove it between requests"
        }
    }
}

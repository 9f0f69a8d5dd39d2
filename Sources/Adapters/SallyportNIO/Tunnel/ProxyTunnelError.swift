internal import HTTPAuthentication
public import HTTPTypes
public import Sallyport

/// Why a tunnel is not open. The channel is closed, except before ``ProxyTunnelHandler`` was in a pipeline.
public enum ProxyTunnelError: Error, Sendable {
    /// The proxy refused the tunnel: its status, its reason phrase in printable ASCII, its fields, and how the authentication ended.
    case refused(status: Int, reason: String, fields: HTTPFields, outcome: RequestOutcome)
    /// The tunnel needs a new connection to the proxy. Open one, and give its handler this tunnel.
    case connectionNeeded(ContinuedTunnel)
    /// The proxy closed the connection on a message of a handshake: on its first one for the second time, or on a later one.
    case handshakeLost(RequestOutcome)
    /// The proxy closed the connection before it opened the tunnel.
    case connectionClosed
    /// The tunnel was not open after this time.
    case deadlineExceeded(milliseconds: Int64)
    /// The response is not HTTP/1.
    case malformed(ResponseDefect)
    /// Another field of the request has this name, or the name or value cannot be sent.
    case unsendableField(name: String)
    /// A scheme needs something that this handler cannot fetch.
    case needNotMet(SystemMessageNeed)
    /// More bytes than this were written before the tunnel was open.
    case tooMuchWaits(bound: Int)
    /// The handler was removed before the tunnel was open.
    case handlerRemoved
}

extension ProxyTunnelError: CustomStringConvertible {
    /// One line: where, why, and what to do.
    public var description: String {
        switch self {
        case .refused(let status, _, _, .withheld(let refusal, _)): "CONNECT: the proxy answered \(status): \(refusal)"
        case .refused(let status, let reason, _, _):
            "CONNECT: the proxy answered \(Self.text(status, reason)): allow the tunnel at the proxy, or use another proxy"
        case .connectionNeeded:
            "CONNECT: the connection cannot carry the handshake on: open a new one, and give its handler the tunnel"
        case .handshakeLost(.withheld(let refusal, _)): "CONNECT: the proxy: \(refusal)"
        case .handshakeLost: "CONNECT: the proxy closed the connection in the middle of a handshake: correct the proxy"
        case .connectionClosed: "CONNECT: the proxy closed the connection before it opened the tunnel: try again"
        case .deadlineExceeded(let milliseconds):
            "CONNECT: the tunnel was not open after \(milliseconds) ms: check the proxy, or raise the deadline"
        case .malformed(let defect): "CONNECT: \(defect)"
        case .unsendableField(let name):
            "CONNECT: the field \(name.debugDescription) cannot be sent: correct its name or value, and leave out "
                + "Host, Content-Length and Transfer-Encoding"
        case .needNotMet(let need):
            "CONNECT: a scheme needs a ticket for \(need.service), which this handler cannot fetch: use another scheme"
        case .tooMuchWaits(let bound):
            "CONNECT: more than \(bound) bytes were written before the tunnel was open: wait for the tunnel, "
                + "or raise mostHeldBytes"
        case .handlerRemoved: "CONNECT: the handler was removed before the tunnel was open: wait for the tunnel"
        }
    }

    /// A status with its reason phrase, if it has one.
    package static func text(_ status: Int, _ reason: String) -> String {
        reason.isEmpty ? "\(status)" : "\(status) \(reason)"
    }
}

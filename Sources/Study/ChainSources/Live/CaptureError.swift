/// Why no chain was captured.
package enum CaptureError: Error, Equatable, Sendable {
    /// No connection, or none any more.
    case notConnected(String)
    /// TLS was not agreed on before a chain came.
    case handshakeFailed(String)
    /// The whole took longer than it may.
    case timedOut(milliseconds: Int64)
    /// The server sent more certificates than a recording takes.
    case tooManyCertificates(count: Int, limit: Int)
}

extension CaptureError: CustomStringConvertible {
    /// One line: what happened, and what to do.
    package var description: String {
        switch self {
        case .notConnected(let reason): "no connection: \(reason)"
        case .handshakeFailed(let reason): "no TLS handshake: \(reason)"
        case .timedOut(let milliseconds): "no chain within \(milliseconds) ms: the host is silent; see --timeout"
        case .tooManyCertificates(let count, let limit):
            "\(count) certificates in its chain: \(limit) are recorded at most"
        }
    }
}

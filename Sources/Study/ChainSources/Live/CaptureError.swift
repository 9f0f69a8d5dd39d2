/// Why no chain was captured.
package enum CaptureError: Error, Equatable, Sendable {
    /// No connection, or none any more.
    case notConnected(String)
    /// TLS was not agreed on before a chain came.
    case handshakeFailed(String)
    /// The server has no key of a type that the TLS library knows.
    case unknownKeyType
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
        case .unknownKeyType:
            "not recorded: key type or cipher unknown here: the server and this program have none in common. Keys of RSA, P-256, P-384, P-521 "
                + "and Ed25519 are known; for another one, such as Ed448, give the output of 'openssl s_client -showcerts' to "
                + "'sallyport study import openssl'"
        case .timedOut(let milliseconds): "no chain within \(milliseconds) ms: the host is silent; see --timeout"
        case .tooManyCertificates(let count, let limit):
            "\(count) certificates in its chain: \(limit) are recorded at most"
        }
    }
}

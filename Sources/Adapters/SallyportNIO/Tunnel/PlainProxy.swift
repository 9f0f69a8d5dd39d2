package import Hostnames

/// A proxy that is reached without TLS.
package enum PlainProxy {
    /// What to do if such a proxy gives no response: it may expect TLS, and then it closes the connection or sends an alert.
    ///
    /// - Returns: `nil` if the proxy is reached over TLS.
    package static func remedy(_ proxy: Origin) -> String? {
        proxy.scheme == .http ? "if the proxy speaks TLS, write https://\(proxy.host):\(proxy.port)" : nil
    }

    /// `error` of a connection over which `proxy` has never answered, with what to do then.
    static func advised(_ error: any Error, of proxy: Origin) -> any Error {
        guard let remedy = remedy(proxy) else { return error }
        switch error {
        case ClientError.connectionLost(proxy):
            return ClientError.notConnected(
                proxy,
                reason: "it closed the connection before it answered: try again; \(remedy)"
            )
        case ClientError.malformedResponse(proxy, reason: ResponseDefect.statusLine.problem):
            return ClientError.notConnected(proxy, reason: "\(ResponseDefect.statusLine); \(remedy)")
        default: return error
        }
    }
}

package import Hostnames

/// A proxy that is reached without TLS.
package enum PlainProxy {
    /// What to do if such a proxy gives no response: it may expect TLS, and then it closes the connection or sends an alert.
    ///
    /// - Returns: `nil` if the proxy is reached over TLS.
    package static func remedy(_ proxy: Origin) -> String? {
        proxy.scheme == .http ? "if the proxy speaks TLS, write https://\(proxy.host):\(proxy.port)" : nil
    }
}

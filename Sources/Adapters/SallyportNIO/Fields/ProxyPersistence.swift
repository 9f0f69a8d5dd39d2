package import HTTPTypes

/// Whether the next request on a connection asks the proxy to keep it: with `Proxy-Connection: keep-alive`, the words of HTTP/1.0.
///
/// Proxies of HTTP/1.0 offer NTLM only to a client that asks, because it authenticates the connection. RFC 9112 appendix C.2.2 warns
/// that a proxy which does not know the field passes it on, and the server may wait for a request that never comes. curl, Chromium
/// and cntlm send it with every request. Here it goes out until the proxy has answered in HTTP/1.1, whose connections stay open
/// by themselves.
package struct ProxyPersistence: Sendable {
    private var asks = true

    package init() {}

    /// The field of the next request; `nil` if it needs none.
    package var due: HTTPField? { asks ? Self.field : nil }

    private static let field: HTTPField? = HTTPField.Name("Proxy-Connection").map {
        HTTPField(name: $0, value: "keep-alive")
    }

    /// Records the version of a final response of the proxy.
    package mutating func answered(inHTTP10: Bool) { asks = inHTTP10 }
}

public import NIOHTTP1

extension HTTPHeaders {
    /// The fields that a proxy or gateway passes on: those of the message, without those of one connection (RFC 9110 section 7.6.1).
    ///
    /// Also without what a proxy and its client say to each other about authentication. `Content-Length` stays if it frames the body, so that
    /// body must be passed on as it came; `Host` stays as well.
    public var endToEnd: HTTPHeaders {
        var left = self
        // RFC 9112 section 6.3: it does not count beside the other one, and would count without it.
        if contains(name: "Transfer-Encoding") { left.remove(name: "Content-Length") }
        for name in self[canonicalForm: "Connection"] { left.remove(name: String(name)) }
        for name in Self.ofConnection { left.remove(name: name) }
        return left
    }

    private static let ofConnection = [
        "Connection", "HTTP2-Settings", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info",
        "Proxy-Authorization",
        "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
    ]
}

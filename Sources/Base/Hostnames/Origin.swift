internal import WireFormat

/// The schemes of HTTP.
public enum Scheme: String, Hashable, Sendable, CaseIterable {
    /// Plain HTTP; the traffic is readable on the network.
    case http
    /// HTTP over TLS.
    case https

    /// The port of a URL of this scheme without a port (RFC 9110 4.2).
    public var defaultPort: UInt16 {
        switch self {
        case .http: 80
        case .https: 443
        }
    }
}

/// Scheme, host and port (RFC 6454).
public struct Origin: Hashable, Sendable {
    /// `http` or `https`: one host has two origins.
    public let scheme: Scheme
    /// The host in its canonical form.
    public let host: Hostname
    /// The port; the default port of the scheme if the text has none.
    public let port: UInt16

    /// Makes an origin from its parts.
    ///
    /// - Parameters:
    ///   - scheme: `http` or `https`.
    ///   - host: the host in its canonical form.
    ///   - port: the port, or `nil` for the default port of `scheme`.
    public init(scheme: Scheme, host: Hostname, port: UInt16? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? scheme.defaultPort
    }

    /// Parses `https://host` or `https://host:port`; a path, a user or white space is an error.
    ///
    /// - Parameters:
    ///   - text: the serialised origin; the scheme may be upper or lower case.
    ///   - hosts: how its host is read.
    /// - Complexity: O(*n*) in the length of `text`.
    /// - Throws: ``OriginError``, whose offsets count UTF-8 bytes of `text`.
    public init(parsing text: some StringProtocol, hosts: HostReader = .ascii) throws(OriginError) {
        let text = String(text)
        let bytes = text.utf8.span
        let (origin, end) = try Self.parse(prefixOf: bytes, hosts: hosts)
        guard end == bytes.count else { throw .unexpectedPath(offset: end) }
        self = origin
    }
}

extension Origin: CustomStringConvertible {
    /// The serialisation of RFC 6454 6.2; the default port is omitted.
    public var description: String { text(before: "") }

    /// The serialisation with `rest` behind it, such as the target of a request.
    ///
    /// - Complexity: one allocation for a host that is a name. Each request through a proxy that is not a tunnel needs it.
    package func text(before rest: String) -> String {
        let start: StaticString = scheme == .http ? "http://" : "https://"
        let port = port == scheme.defaultPort ? "" : ":\(port)"
        guard case .name(let host) = host.form else { return "\(start)\(host)\(port)\(rest)" }
        let (name, end, rest) = (host.span, port.utf8.span, rest.utf8.span)
        return ByteWriter.text(count: start.utf8CodeUnitCount + name.count + end.count + rest.count) { text in
            text.put(start)
            text.put(name)
            text.put(end)
            text.put(rest)
        }
    }

    /// The same, and `text` itself where that is what is written, so that nothing is copied.
    package func text(before rest: String, reusing text: String) -> String {
        isWritten(in: text, before: rest) ? text : self.text(before: rest)
    }

    private func isWritten(in text: String, before rest: String) -> Bool {
        let bytes = text.utf8.span
        var offset = 0
        func has(_ part: Span<UInt8>) -> Bool {
            guard part.count <= bytes.count - offset else { return false }
            for index in part.indices where bytes[offset + index] != part[index] { return false }
            offset += part.count
            return true
        }
        let start = scheme == .http ? "http://" : "https://"
        guard has(start.utf8.span) else { return false }
        if case .name(let name) = host.form {
            guard has(name.span) else { return false }
        } else {
            let address = "\(host)"
            guard has(address.utf8.span) else { return false }
        }
        let port = port == scheme.defaultPort ? "" : ":\(port)"
        return has(port.utf8.span) && has(rest.utf8.span) && offset == bytes.count
    }
}

extension Origin {
    /// The origin of a request with a scheme and an authority, such as the `Host` field: `wiki.example:8443`.
    ///
    /// - Throws: ``OriginError``, whose offsets count UTF-8 bytes of `authority`, after the scheme.
    public init(scheme: Scheme, authority: some StringProtocol) throws(OriginError) {
        try self.init(parsing: "\(scheme.rawValue)://\(authority)")
    }
}

/// The two schemes over which HTTP authentication happens.
public enum Scheme: String, Hashable, Sendable, CaseIterable {
    /// Plain HTTP; whatever is sent can be read on the way.
    case http
    /// HTTP over TLS.
    case https

    /// The port that is meant when a URL of this scheme names none (RFC 9110 4.2).
    public var defaultPort: UInt16 {
        switch self {
        case .http: 80
        case .https: 443
        }
    }
}

/// Who is at the other end: scheme, host and port (RFC 6454).
public struct Origin: Hashable, Sendable {
    /// The scheme that is spoken.
    public let scheme: Scheme
    /// The host in its canonical form.
    public let host: Hostname
    /// The port, filled in from the scheme where the text had none.
    public let port: UInt16

    /// Makes an origin of its parts.
    ///
    /// - Parameter port: the port, or `nil` for the one that belongs to `scheme`.
    public init(scheme: Scheme, host: Hostname, port: UInt16? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? scheme.defaultPort
    }

    /// Parses `https://host` or `https://host:port`; a path, a user or white space is an error.
    ///
    /// - Parameters:
    ///   - text: the serialised origin; the scheme may stand in either case.
    ///   - hosts: how its host is read.
    /// - Complexity: O(*n*) in the length of `text`.
    /// - Throws: ``OriginError``, whose offsets count UTF-8 bytes of `text`.
    public init(parsing text: some StringProtocol, hosts: HostReader = .ascii) throws(OriginError) {
        let bytes = [UInt8](text.utf8)
        let (origin, end) = try Self.parse(prefixOf: bytes.span, hosts: hosts)
        guard end == bytes.count else { throw .unexpectedPath(offset: end) }
        self = origin
    }
}

extension Origin: CustomStringConvertible {
    /// The serialisation of RFC 6454 6.2: the port stands there only when it is not the scheme's own.
    public var description: String {
        port == scheme.defaultPort ? "\(scheme.rawValue)://\(host)" : "\(scheme.rawValue)://\(host):\(port)"
    }
}

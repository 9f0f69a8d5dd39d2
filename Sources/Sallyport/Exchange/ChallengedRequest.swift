public import HTTPAuthentication
public import Hostnames

/// One request and the party that may challenge it.
public struct ChallengedRequest: Sendable {
    /// Who may ask.
    public let party: ChallengedParty
    /// Scheme, host and port of that party: the origin server's, or the proxy's own.
    public let origin: Origin
    /// The path at the origin, without query; `/` for a proxy.
    public let path: String
    /// The request method.
    public let method: String
    /// The request target as it is sent (RFC 9112 section 3.2).
    public let target: String
    /// The leaf certificate (DER) of the TLS connection to the party, for channel binding; `nil` without TLS.
    public let serverCertificate: [UInt8]?

    /// A request to an origin server.
    public init(origin: Origin, method: String, target: String, serverCertificate: [UInt8]? = nil) {
        party = .origin
        self.origin = origin
        self.method = method
        self.target = target
        path = Self.path(of: target)
        self.serverCertificate = serverCertificate
    }

    /// The path of a target in origin form, or in the absolute form that plain proxies are sent (RFC 9112 section 3.2).
    ///
    /// Another form stays as it is: a path that does not begin with `/` fits no rule that names a path.
    private static func path(of target: String) -> String {
        if !target.hasPrefix("/"), let location = try? URLLocation(parsing: target) { return location.path }
        return String(target.prefix { $0 != "?" })
    }

    /// A request that goes through `proxy`, which may ask for itself.
    public init(proxy: Origin, method: String, target: String, serverCertificate: [UInt8]? = nil) {
        party = .proxy
        origin = proxy
        self.method = method
        self.target = target
        path = "/"
        self.serverCertificate = serverCertificate
    }
}

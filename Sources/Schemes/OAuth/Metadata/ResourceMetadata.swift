internal import Hostnames

/// What a resource says of the servers whose tokens it takes (RFC 9728).
public struct ResourceMetadata: Sendable {
    /// The resource's own name.
    public let resource: ServiceURL
    /// The servers whose tokens it takes, in its order.
    public let servers: [ServiceURL]
    /// The scopes that it knows; empty if it does not say.
    public let scopes: [String]

    /// The request for the document that a challenge names.
    public static func request(_ url: ServiceURL) -> TokenRequest { TokenRequest(getting: url) }

    /// The request for the document of a resource that has sent no challenge: the well-known part goes between host and path (RFC 9728
    /// section 3.1).
    public static func request(for resource: ServiceURL) -> TokenRequest {
        let target = resource.target == "/" ? "" : resource.target
        return TokenRequest(getting: resource.at("/.well-known/oauth-protected-resource" + target))
    }

    /// Reads the document.
    ///
    /// - Parameters:
    ///   - response: the response to ``request(_:)``.
    ///   - requested: the URL of the request that was challenged. A document of another origin, or of another path of it, is
    ///   refused, because a false resource could collect tokens for the true one (RFC 9728 section 3.3).
    public init(_ response: TokenResponse, for requested: ServiceURL) throws(TokenServiceError) {
        let members = try OAuthClient.members(of: response)
        guard let text = members.string("resource") else { throw .missing("resource") }
        let named: ServiceURL
        do throws(ServiceURLError) { named = try ServiceURL(text) } catch { throw .unusable("resource", "\(error)") }
        guard named.origin == requested.origin, Self.covers(named.path, requested.path) else {
            throw .unusable("resource", "the document is that of another resource: report it to the service")
        }
        resource = named
        // A resource behind TLS does not lead to programs that listen on this machine.
        servers = (members.strings("authorization_servers") ?? []).compactMap { try? ServiceURL($0) }
            .filter { named.origin.scheme == .http || $0.origin.scheme == .https }
        scopes = members.strings("scopes_supported") ?? []
    }

    /// Whether `path` is `prefix` or lies below it.
    private static func covers(_ prefix: String, _ path: String) -> Bool {
        let folder = prefix.hasSuffix("/") ? prefix : prefix + "/"
        return path == prefix || path.utf8.starts(with: folder.utf8)
    }
}

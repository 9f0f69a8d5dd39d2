internal import Hostnames

/// What an authorization server says of itself (RFC 8414).
public struct ServerMetadata: Sendable {
    /// The name of the server, which is a URL.
    public let issuer: String
    /// Where tokens come from.
    public let tokenEndpoint: ServiceURL
    /// Where users sign in.
    public let authorizationEndpoint: ServiceURL?
    /// Where a sign-in on another device begins (RFC 8628).
    public let deviceEndpoint: ServiceURL?
    /// Where tokens are taken back (RFC 7009).
    public let revocationEndpoint: ServiceURL?
    /// Whether the server takes PKCE with S256. `nil` if it does not say.
    public let takesS256: Bool?
    /// Whether responses name the issuer (RFC 9207).
    public let namesIssuer: Bool

    /// The request for the document of `issuer`: the well-known part goes between host and path (RFC 8414 section 3.1).
    public static func request(for issuer: ServiceURL) -> TokenRequest {
        let path = issuer.path == "/" ? "" : issuer.path
        return TokenRequest(getting: issuer.at("/.well-known/oauth-authorization-server" + path))
    }

    /// The request for the document in the place of OpenID Connect Discovery, which older servers use alone.
    public static func openIDRequest(for issuer: ServiceURL) -> TokenRequest {
        var path = issuer.path
        if path.hasSuffix("/") { path.removeLast() }
        return TokenRequest(getting: issuer.at(path + "/.well-known/openid-configuration"))
    }

    /// Reads the document.
    ///
    /// - Parameters:
    ///   - response: the response to ``request(for:)`` or ``openIDRequest(for:)``.
    ///   - issuer: the name that was asked for. A document with another name is refused, because it could lead a client to an
    ///   attacker's endpoints (RFC 8414 section 3.3).
    public init(_ response: TokenResponse, for issuer: ServiceURL) throws(TokenServiceError) {
        let members = try OAuthClient.members(of: response)
        guard let name = members.string("issuer") else { throw .missing("issuer") }
        let expected = "\(issuer.origin)\(issuer.target)"
        // The only freedom is the slash of an empty path.
        guard name == expected || name + "/" == expected && issuer.path == "/" else {
            throw .unusable("issuer", "the document is that of another server: check the URL of the issuer")
        }
        self.issuer = name
        // A service behind TLS could otherwise lead requests to programs that listen on this machine.
        let needsTLS = issuer.origin.scheme == .https
        guard let token = try Self.endpoint("token_endpoint", members, needsTLS) else {
            throw .missing("token_endpoint")
        }
        tokenEndpoint = token
        authorizationEndpoint = try Self.endpoint("authorization_endpoint", members, needsTLS)
        deviceEndpoint = try Self.endpoint("device_authorization_endpoint", members, needsTLS)
        revocationEndpoint = try Self.endpoint("revocation_endpoint", members, needsTLS)
        takesS256 = members.strings("code_challenge_methods_supported")?.contains("S256")
        namesIssuer = members.boolean("authorization_response_iss_parameter_supported") ?? false
    }

    private static func endpoint(
        _ name: String,
        _ members: JSONMembers,
        _ needsTLS: Bool
    ) throws(TokenServiceError) -> ServiceURL? {
        guard let text = members.string(name) else { return nil }
        let url: ServiceURL
        do throws(ServiceURLError) { url = try ServiceURL(text) } catch { throw .unusable(name, "\(error)") }
        guard !needsTLS || url.origin.scheme == .https else {
            throw .unusable(name, "it is http, and the issuer is https: report it to the service")
        }
        return url
    }
}

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
    /// Why endpoints that the server names cannot be used. They are left out, and the others can be used.
    public let unusable: [TokenServiceError]
    /// Whether the server takes PKCE with S256. `nil` if it does not say.
    public let takesS256: Bool?
    /// Whether responses name the issuer (RFC 9207).
    public let namesIssuer: Bool

    /// The requests for the document of `issuer`, in the order of asking: the well-known part goes between host and path, without a slash
    /// at the end (RFC 8414 section 3.1); OpenID Connect Discovery, which older servers know alone, has it behind the path, and servers
    /// between the two have OpenID's name in the new place (RFC 8414 section 5).
    public static func requests(for issuer: ServiceURL) -> [TokenRequest] {
        var path = issuer.path
        if path.hasSuffix("/") { path.removeLast() }
        let openID = "/.well-known/openid-configuration"
        var places = ["/.well-known/oauth-authorization-server" + path, path + openID]
        if !path.isEmpty { places.append(openID + path) }
        return places.map { TokenRequest(getting: issuer.at($0)) }
    }

    /// Reads the document.
    ///
    /// - Parameters:
    ///   - response: the response to one of ``requests(for:)``.
    ///   - issuer: the name that was asked for. A document with another name is refused, because it could lead a client to an
    ///   attacker's endpoints (RFC 8414 section 3.3).
    public init(_ response: TokenResponse, for issuer: ServiceURL) throws(TokenServiceError) {
        let members = try OAuthClient.members(of: response)
        guard let name = members.string("issuer") else { throw .missing("issuer") }
        let expected = "\(issuer.origin)\(issuer.target)"
        // The only freedom is the slash of an empty path.
        guard name == issuer.spelling || name == expected || name + "/" == expected && issuer.path == "/" else {
            throw .unusable("issuer", "the document is that of another server: check the URL of the issuer")
        }
        self.issuer = name
        // A service behind TLS could otherwise lead requests to programs that listen on this machine.
        let needsTLS = issuer.origin.scheme == .https
        guard let token = try Self.endpoint("token_endpoint", members, needsTLS) else {
            throw .missing("token_endpoint")
        }
        tokenEndpoint = token
        var unusable: [TokenServiceError] = []
        func optional(_ name: String) -> ServiceURL? {
            do throws(TokenServiceError) {
                return try Self.endpoint(name, members, needsTLS)
            } catch {
                unusable.append(error)
                return nil
            }
        }
        authorizationEndpoint = optional("authorization_endpoint")
        deviceEndpoint = optional("device_authorization_endpoint")
        revocationEndpoint = optional("revocation_endpoint")
        self.unusable = unusable
        takesS256 = members.strings("code_challenge_methods_supported")?.contains("S256")
        namesIssuer = members.boolean("authorization_response_iss_parameter_supported") ?? false
    }

    /// Why there is no endpoint `name`: the server names none, or one that cannot be used.
    package func absence(of name: String) -> TokenServiceError {
        unusable.first { if case .unusable(name, _) = $0 { true } else { false } } ?? .missing(name)
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

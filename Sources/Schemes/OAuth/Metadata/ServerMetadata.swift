internal import Hostnames

/// What an authorization server says of itself (RFC 8414).
public struct ServerMetadata: Sendable {
    /// The name of the server, which is a URL.
    public let issuer: String
    /// Where tokens come from.
    public private(set) var tokenEndpoint: ServiceURL
    /// Where users sign in.
    public let authorizationEndpoint: ServiceURL?
    /// Where a sign-in on another device begins (RFC 8628).
    public private(set) var deviceEndpoint: ServiceURL?
    /// Where tokens are taken back (RFC 7009).
    public private(set) var revocationEndpoint: ServiceURL?
    /// Where an authorization is pushed before the browser opens it (RFC 9126).
    public private(set) var pushedRequestEndpoint: ServiceURL?
    /// Whether the server takes no authorization that was not pushed (RFC 9126 section 5).
    public let requiresPushedRequests: Bool
    /// The endpoints for clients with a certificate, by their names (RFC 8705 section 5).
    private let certificateEndpoints: [String: ServiceURL]
    /// Why endpoints that the server names cannot be used. They are left out, and the others can be used.
    public let unusable: [TokenServiceError]
    /// Whether the server takes PKCE with S256. `nil` if it does not say.
    public let takesS256: Bool?
    /// Whether responses name the issuer (RFC 9207).
    public let namesIssuer: Bool
    /// The algorithms of proofs of possession that the server takes (RFC 9449 section 5.1); `nil` if it does not say.
    public let proofAlgorithms: [String]?

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
        func aliases(_ members: JSONMembers) -> [String: ServiceURL] {
            var found: [String: ServiceURL] = [:]
            for name in Self.aliased {
                do throws(TokenServiceError) {
                    found[name] = try Self.endpoint(name, members, needsTLS, prefix: Self.aliasPrefix)
                } catch {
                    unusable.append(error)
                }
            }
            return found
        }
        authorizationEndpoint = optional("authorization_endpoint")
        deviceEndpoint = optional("device_authorization_endpoint")
        revocationEndpoint = optional("revocation_endpoint")
        pushedRequestEndpoint = optional("pushed_authorization_request_endpoint")
        requiresPushedRequests = members.boolean("require_pushed_authorization_requests") ?? false
        certificateEndpoints = members.object("mtls_endpoint_aliases").map(aliases) ?? [:]
        self.unusable = unusable
        takesS256 = members.strings("code_challenge_methods_supported")?.contains("S256")
        namesIssuer = members.boolean("authorization_response_iss_parameter_supported") ?? false
        proofAlgorithms = members.strings("dpop_signing_alg_values_supported")
    }

    /// What an ArcGIS portal would say of itself: it has no document.
    public init(_ portal: ArcGISPortal) {
        issuer = portal.root.spelling
        tokenEndpoint = portal.oauthClient(id: "").tokenEndpoint
        authorizationEndpoint = portal.authorizationEndpoint
        revocationEndpoint = portal.revocationEndpoint
        (deviceEndpoint, pushedRequestEndpoint, takesS256, proofAlgorithms) = (nil, nil, nil, nil)
        (requiresPushedRequests, namesIssuer) = (false, false)
        (certificateEndpoints, unusable) = ([:], [])
    }

    /// Why there is no endpoint `name`: the server names none, or one that cannot be used.
    package func absence(of name: String) -> TokenServiceError {
        unusable.first { if case .unusable(name, _) = $0 { true } else { false } } ?? .missing(name)
    }

    /// The same server for a client that presents a certificate, which must use the aliases of endpoints (RFC 8705 section 5).
    ///
    /// - Throws: ``TokenServiceError/unusable(_:_:)`` for an alias that cannot be used.
    public func forCertificates() throws(TokenServiceError) -> ServerMetadata {
        for error in unusable {
            if case .unusable(let name, _) = error, name.hasPrefix(Self.aliasPrefix) { throw error }
        }
        var server = self
        server.tokenEndpoint = certificateEndpoints["token_endpoint"] ?? tokenEndpoint
        server.deviceEndpoint = certificateEndpoints["device_authorization_endpoint"] ?? deviceEndpoint
        server.revocationEndpoint = certificateEndpoints["revocation_endpoint"] ?? revocationEndpoint
        server.pushedRequestEndpoint =
            certificateEndpoints["pushed_authorization_request_endpoint"] ?? pushedRequestEndpoint
        return server
    }

    /// The endpoints whose requests prove the client.
    private static let aliased = [
        "token_endpoint", "device_authorization_endpoint", "revocation_endpoint",
        "pushed_authorization_request_endpoint",
    ]
    private static let aliasPrefix = "mtls_endpoint_aliases."

    private static func endpoint(
        _ name: String,
        _ members: JSONMembers,
        _ needsTLS: Bool,
        prefix: String = ""
    ) throws(TokenServiceError) -> ServiceURL? {
        guard let text = members.string(name) else { return nil }
        let url: ServiceURL
        do throws(ServiceURLError) { url = try ServiceURL(text) } catch { throw .unusable(prefix + name, "\(error)") }
        guard !needsTLS || url.origin.scheme == .https else {
            throw .unusable(prefix + name, "it is http, and the issuer is https: report it to the service")
        }
        return url
    }
}

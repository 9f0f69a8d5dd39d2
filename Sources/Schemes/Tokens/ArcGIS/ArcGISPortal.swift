public import Secrets

/// The token service of an ArcGIS portal or server, by Esri's REST interface.
public struct ArcGISPortal: Sendable {
    /// The root of the REST interface, such as `https://www.arcgis.com/sharing/rest`.
    public let root: ServiceURL

    /// Takes the root of the REST interface.
    public init(root: ServiceURL) { self.root = root }

    /// Whom a generated token serves.
    public enum Client: Hashable, Sendable {
        /// Requests that carry this `Referer`.
        case referer(String)
        /// Requests from the address that asks.
        case requestAddress
    }

    /// The request for a token by user name and password (`generateToken`). Its lifetime is a wish; the portal may shorten it.
    public func generateToken(
        user: String,
        password: SharedSecret,
        for client: Client,
        minutes: Int = 60
    ) -> TokenRequest {
        var form = FormBody()
        form.append("username", user)
        form.append("password", password)
        switch client {
        case .referer(let referer):
            form.append("client", "referer")
            form.append("referer", referer)
        case .requestAddress: form.append("client", "requestip")
        }
        form.append("expiration", "\(minutes)")
        form.append("f", "json")
        return TokenRequest(posting: form, to: endpoint("generateToken"))
    }

    /// The request for a token that a federated server takes, by a token of the portal.
    public func serverToken(for server: ServiceURL, by token: AccessToken, minutes: Int = 60) -> TokenRequest {
        var form = FormBody()
        form.append("token", token.secret)
        form.append("serverURL", "\(server.origin)\(server.target)")
        form.append("request", "getToken")
        form.append("expiration", "\(minutes)")
        form.append("f", "json")
        return TokenRequest(posting: form, to: endpoint("generateToken"))
    }

    /// The request for what a server says of itself: which portal serves it, and where tokens come from.
    public static func information(of server: ServiceURL) -> TokenRequest {
        let folder = server.path.hasSuffix("/") ? String(server.path.dropLast()) : server.path
        return TokenRequest(getting: server.at(folder + "/info?f=json"))
    }

    /// The client for sign-ins of users and for applications by OAuth 2 at this portal.
    public func oauthClient(id: String, authentication: OAuthClient.Authentication = .none) -> OAuthClient {
        OAuthClient(id: id, authentication: authentication, tokenEndpoint: endpoint("oauth2/token"))
    }

    /// Where users sign in.
    public var authorizationEndpoint: ServiceURL { endpoint("oauth2/authorize") }
    /// Where tokens are taken back.
    public var revocationEndpoint: ServiceURL { endpoint("oauth2/revokeToken") }

    /// Reads the response to ``generateToken(user:password:for:minutes:)`` or ``serverToken(for:by:minutes:)``.
    public func token(from response: TokenResponse, at now: Int64) throws(TokenServiceError) -> AccessToken {
        let members = try JSONMembers(response.body)
        if let problem = ArcGISProblem(members) { throw .refused(problem.refusal) }
        guard (200...299).contains(response.status) else { throw .status(response.status) }
        guard let token = members.secret("token"), token.count > 0 else { throw .missing("token") }
        try OAuthClient.check(token, "token")
        // Milliseconds since 1970.
        guard let expires = members.integer("expires"), expires > 0 else { throw .missing("expires") }
        return AccessToken(
            token,
            expiry: min(expires / 1_000, now + TokenLimits.lifetime),
            requiresTLS: members.boolean("ssl") ?? true
        )
    }

    private func endpoint(_ name: String) -> ServiceURL {
        root.at((root.path.hasSuffix("/") ? root.path : root.path + "/") + name)
    }
}

/// Where the tokens of an ArcGIS server come from (`/rest/info`).
public struct ArcGISServerInformation: Sendable {
    /// The portal that the server is federated with; `nil` for a server that stands alone.
    public let portal: ServiceURL?
    /// The token service of the server or its portal; `nil` if it has none.
    public let tokenService: ServiceURL?

    /// Reads the response to ``ArcGISPortal/information(of:)``.
    public init(_ response: TokenResponse) throws(TokenServiceError) {
        let members = try JSONMembers(response.body)
        if let problem = ArcGISProblem(members) { throw .refused(problem.refusal) }
        guard (200...299).contains(response.status) else { throw .status(response.status) }
        portal = members.string("owningSystemUrl").flatMap { try? ServiceURL($0) }
        tokenService = members.object("authInfo")?.string("tokenServicesUrl").flatMap { try? ServiceURL($0) }
    }
}

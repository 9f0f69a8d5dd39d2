public import Secrets

/// The token service of an ArcGIS portal or server, by Esri's REST interface.
public struct ArcGISPortal: Sendable {
    /// The root of the REST interface, such as `https://www.arcgis.com/sharing/rest`.
    public let root: ServiceURL

    /// Takes the root of the REST interface.
    public init(root: ServiceURL) { self.root = root }

    /// Takes the token service that a server names (``ArcGISServerInformation/tokenService``): its folder is the root.
    public init(tokenService: ServiceURL) {
        let folder = tokenService.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        root = tokenService.at(folder.count > 1 ? folder.joined(separator: "/") : "/")
    }

    /// Whom a generated token serves.
    public enum Client: Hashable, Sendable {
        /// Requests that carry this `Referer`.
        case referer(String)
        /// Requests from the address that asks.
        case requestAddress
        /// Requests from this address.
        case address(String)
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
        case .address(let address):
            form.append("client", "ip")
            form.append("ip", address)
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
        OAuthClient(
            id: id,
            authentication: authentication,
            tokenEndpoint: endpoint("oauth2/token"),
            dialect: .arcGIS
        )
    }

    /// The request for the next refresh token of a user before the old one ends. The old one, and its access tokens, end with it.
    ///
    /// - Parameters:
    ///   - token: the refresh token.
    ///   - client: the application, from ``oauthClient(id:authentication:)``.
    ///   - redirect: the redirect that the user's sign-in had.
    public func exchange(_ token: SharedSecret, of client: OAuthClient, redirect: String) -> TokenRequest {
        client.request(to: client.tokenEndpoint) { form in
            form.append("grant_type", "exchange_refresh_token")
            form.append("refresh_token", token)
            form.append("redirect_uri", redirect)
        }
    }

    /// The request for what the portal says of a token: ``ArcGISTokenInformation``.
    public func information(about token: AccessToken) -> TokenRequest {
        var form = FormBody()
        form.append("token", token.secret)
        form.append("f", "json")
        return TokenRequest(posting: form, to: endpoint("portals/self"))
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
        guard let token = members.secret("token") else { throw .missing("token") }
        try OAuthClient.check(token, "token")
        // Milliseconds since 1970. Older servers name no end.
        guard !members.contains("expires") || members.integer("expires") ?? 0 > 0 else {
            throw .unusable("expires", "not a number of milliseconds: report it to the portal")
        }
        return AccessToken(
            token,
            expiry: members.integer("expires").map { min($0 / 1_000, now + TokenLimits.lifetime) },
            requiresTLS: members.boolean("ssl") ?? true
        )
    }

    private func endpoint(_ name: String) -> ServiceURL {
        root.at((root.path.hasSuffix("/") ? root.path : root.path + "/") + name)
    }
}

/// Whose a token is, as a portal says (`portals/self`).
public struct ArcGISTokenInformation: Hashable, Sendable {
    /// The user who has signed in; `nil` for the token of an application.
    public let user: String?
    /// The application that got the token; `nil` for a token of `generateToken`.
    public let application: String?

    /// Reads the response to ``ArcGISPortal/information(about:)``.
    public init(_ response: TokenResponse) throws(TokenServiceError) {
        let members = try JSONMembers(response.body)
        if let problem = ArcGISProblem(members) { throw .refused(problem.refusal) }
        guard (200...299).contains(response.status) else { throw .status(response.status) }
        user = members.object("user")?.string("username")
        application = members.object("appInfo")?.string("appId")
    }
}

/// Where the tokens of an ArcGIS server come from (`/rest/info`).
public struct ArcGISServerInformation: Sendable {
    /// The portal that the server is federated with; `nil` for a server that stands alone.
    public let portal: ServiceURL?
    /// The token service of the server or its portal; `nil` if it has none.
    public let tokenService: ServiceURL?

    /// Whether the server names `portal` as its own. A server may name any portal: give tokens to servers that you have named
    /// yourself.
    public func isServed(by portal: ArcGISPortal) -> Bool {
        guard let named = self.portal, named.origin == portal.root.origin else { return false }
        let folder = named.path.hasSuffix("/") ? String(named.path.dropLast()) : named.path
        return portal.root.path == folder + "/sharing/rest" || portal.root.path == folder + "/sharing/rest/"
    }

    /// Reads the response to ``ArcGISPortal/information(of:)``.
    public init(_ response: TokenResponse) throws(TokenServiceError) {
        let members = try JSONMembers(response.body)
        if let problem = ArcGISProblem(members) { throw .refused(problem.refusal) }
        guard (200...299).contains(response.status) else { throw .status(response.status) }
        portal = members.string("owningSystemUrl").flatMap { try? ServiceURL($0) }
        tokenService = members.object("authInfo")?.string("tokenServicesUrl").flatMap { try? ServiceURL($0) }
    }
}

public import Secrets
internal import WireFormat

/// An application that is known to an OAuth service, and the service's endpoints.
///
/// ```swift
/// let client = OAuthClient(id: "sallyport", tokenEndpoint: try ServiceURL("https://login.acme.example/token"))
/// let response = try await send(client.clientCredentials(.init(scope: "read")))
/// let grant = try client.grant(from: response, at: unixSeconds)
/// ```
public struct OAuthClient: Sendable {
    /// How the application proves itself at the token endpoint (RFC 6749 section 2.3).
    public enum Authentication: Sendable {
        /// Not at all: an application that cannot keep a secret, such as one on a user's machine. It needs PKCE.
        case none
        /// A secret in `Authorization: Basic` (`client_secret_basic`).
        case basic(SharedSecret)
        /// A secret in the body (`client_secret_post`).
        case post(SharedSecret)
        /// An assertion that the caller has signed (RFC 7523 section 2.2, `private_key_jwt`). It is good for one request.
        case assertion(SharedSecret)
        /// The certificate of the TLS connection (RFC 8705). The caller presents it.
        case certificate
    }

    /// What the messages of the service look like.
    public enum Dialect: Hashable, Sendable {
        /// RFC 6749 and RFC 7009.
        case standard
        /// Esri's portals: an error is an object, a token has no type, a revocation names its token `auth_token`.
        case arcGIS
    }

    /// The identifier of the application at the service.
    public let id: String
    /// How it proves itself.
    public let authentication: Authentication
    /// Where tokens come from.
    public let tokenEndpoint: ServiceURL
    /// What the messages of the service look like.
    public let dialect: Dialect

    /// Makes a client.
    public init(
        id: String,
        authentication: Authentication = .none,
        tokenEndpoint: ServiceURL,
        dialect: Dialect = .standard
    ) {
        self.id = id
        self.authentication = authentication
        self.tokenEndpoint = tokenEndpoint
        self.dialect = dialect
    }

    /// What a request asks for besides its grant.
    public struct Wish: Hashable, Sendable {
        /// Names separated by blanks; `nil` for what the service gives without a wish.
        public var scope: String?
        /// The resources that the token is for (RFC 8707).
        public var resources: [ServiceURL]

        /// Whom the token is for, as a name that the service knows, such as the client of an identity-aware proxy at Google; `nil` for the
        /// service's choice.
        public var audience: String?
        /// Whether the ID token of a grant is used in place of its access token.
        public var wantsIDToken: Bool

        /// Makes a wish.
        public init(
            scope: String? = nil,
            resources: [ServiceURL] = [],
            audience: String? = nil,
            wantsIDToken: Bool = false
        ) {
            (self.scope, self.resources) = (scope, resources)
            (self.audience, self.wantsIDToken) = (audience, wantsIDToken)
        }

        /// Whether the scope has openid, for which a sign-in brings an ID token.
        package var asksForIDToken: Bool { scope?.split(separator: " ").contains("openid") == true }
    }

    /// Whom an assertion of the client is for (RFC 7523 section 3).
    public enum Audience: Hashable, Sendable {
        /// The service, by a name that it knows: its issuer.
        case named(String)
        /// The URL of its token endpoint, whatever the request goes to.
        case tokenEndpoint
        /// The URL that the request goes to, as Okta demands.
        case endpoint
    }

    /// A token for the application itself (RFC 6749 section 4.4).
    public func clientCredentials(_ wish: Wish = Wish()) -> TokenRequest {
        request(to: tokenEndpoint) { form in
            form.append("grant_type", "client_credentials")
            form.append(wish)
        }
    }

    /// The next token (RFC 6749 section 6).
    ///
    /// - Parameters:
    ///   - token: the refresh token.
    ///   - wish: a scope that is not wider than that of the first grant.
    public func refresh(_ token: SharedSecret, _ wish: Wish = Wish()) -> TokenRequest {
        request(to: tokenEndpoint) { form in
            form.append("grant_type", "refresh_token")
            form.append("refresh_token", token)
            form.append(wish)
        }
    }

    /// Takes a token back (RFC 7009). A refresh token takes its access tokens along at some services.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - isRefresh: whether it is a refresh token.
    ///   - endpoint: the revocation endpoint of the service.
    public func revocation(_ token: SharedSecret, isRefresh: Bool, at endpoint: ServiceURL) -> TokenRequest {
        request(to: endpoint) { form in
            // At Esri's portals `token` is the credential of a request.
            form.append(dialect == .arcGIS ? "auth_token" : "token", token)
            form.append("token_type_hint", isRefresh ? "refresh_token" : "access_token")
        }
    }

    /// A form with the proof of the application.
    func request(to url: ServiceURL, _ fill: (inout FormBody) -> Void) -> TokenRequest {
        var form = FormBody()
        fill(&form)
        var authorization: SharedSecret?
        switch authentication {
        case .none, .certificate: form.append("client_id", id)
        case .basic(let secret): authorization = Self.basic(id, secret)
        case .post(let secret):
            form.append("client_id", id)
            form.append("client_secret", secret)
        case .assertion(let assertion):
            form.append("client_id", id)
            form.append("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            form.append("client_assertion", assertion)
        }
        return TokenRequest(posting: form, to: url, authorization: authorization)
    }

    /// RFC 6749 section 2.3.1: both parts are form-encoded before they are joined.
    private static func basic(_ id: String, _ secret: SharedSecret) -> SharedSecret {
        var pair: [UInt8] = []
        pair.reserveCapacity(3 * (id.utf8.count + secret.count) + 1)
        defer { erase(&pair) }
        for byte in id.utf8 { FormBody.escape(byte) { pair.append($0) } }
        pair.append(UInt8(ascii: ":"))
        secret.withBytes { bytes in
            for index in bytes.indices { FormBody.escape(bytes[index]) { pair.append($0) } }
        }
        return SharedSecret(utf8: "Basic " + Base64.encode(pair.span))
    }
}

extension FormBody {
    /// Appends scope and resources.
    mutating func append(_ wish: OAuthClient.Wish) {
        append("scope", wish.scope)
        for resource in wish.resources { append("resource", resource.spelling) }
        append("audience", wish.audience)
    }
}

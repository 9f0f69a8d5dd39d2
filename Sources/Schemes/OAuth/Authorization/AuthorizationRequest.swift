public import Secrets

/// An authorization that a user grants in a browser (RFC 6749 section 4.1), with PKCE.
///
/// ```swift
/// let authorization = AuthorizationRequest(client, settings, redirect: listener.url)
/// open(authorization.url)                                        // the browser
/// let code = try authorization.code(in: listener.target)         // what the browser brought back
/// let request = authorization.tokenRequest(for: code)
/// let grant = try client.grant(from: try await service.send(request), at: now)
/// try authorization.check(grant)
/// ```
public struct AuthorizationRequest: Sendable {
    /// What is known of the service.
    public struct Service: Hashable, Sendable {
        /// Where the user signs in.
        public var authorizationEndpoint: ServiceURL
        /// The name of the service. With it, a response that names another one is refused (RFC 9207).
        public var issuer: String?
        /// Whether the service always names itself in its responses, so that one without a name is refused.
        public var namesIssuer: Bool

        /// Makes a description.
        public init(authorizationEndpoint: ServiceURL, issuer: String? = nil, namesIssuer: Bool = false) {
            self.authorizationEndpoint = authorizationEndpoint
            self.issuer = issuer
            self.namesIssuer = namesIssuer
        }

        /// Takes what a service says of itself.
        ///
        /// - Throws: ``TokenServiceError`` if it has no page for sign-ins, or takes PKCE without S256: without the proof of S256 a stolen
        ///   code is good for anyone (RFC 9700 section 2.1.1).
        public init(_ metadata: ServerMetadata) throws(TokenServiceError) {
            guard let endpoint = metadata.authorizationEndpoint else {
                throw metadata.absence(of: "authorization_endpoint")
            }
            guard metadata.takesS256 != false else {
                throw .unusable(
                    "code_challenge_methods_supported",
                    "the service does not take S256: use another grant, or ask its operator"
                )
            }
            self.init(
                authorizationEndpoint: endpoint,
                issuer: metadata.issuer,
                namesIssuer: metadata.namesIssuer
            )
        }
    }

    /// What the user is asked for.
    public let wish: OAuthClient.Wish
    /// Where the browser brings the code: on a loopback address (RFC 8252 section 7.3) or https.
    public let redirect: ServiceURL
    private let client: OAuthClient
    private let service: Service
    private let proof: ProofKey
    private let state: String
    /// Binds the ID token to this authorization (OpenID Connect Core section 3.1.2.1); `nil` without the scope openid. Some services demand it
    /// with that scope.
    private let nonce: String?

    /// Begins an authorization with random numbers of the system.
    public init(_ client: OAuthClient, _ service: Service, redirect: ServiceURL, wish: OAuthClient.Wish = .init()) {
        let (state, nonce) = (RandomBytes.text(16), RandomBytes.text(16))
        self.init(client, service, redirect: redirect, wish: wish, proof: .random(), state: state, nonce: nonce)
    }

    init(
        _ client: OAuthClient,
        _ service: Service,
        redirect: ServiceURL,
        wish: OAuthClient.Wish,
        proof: ProofKey,
        state: String,
        nonce: String
    ) {
        (self.client, self.service, self.redirect, self.wish) = (client, service, redirect, wish)
        (self.proof, self.state) = (proof, state)
        self.nonce = wish.asksForIDToken ? nonce : nil
    }

    /// The URL for the browser. It holds no secret.
    public var url: String { url(parameters) }

    private var parameters: [(name: StaticString, value: String)] {
        var parameters: [(name: StaticString, value: String)] = [
            ("response_type", "code"), ("client_id", client.id), ("redirect_uri", redirect.spelling), ("state", state),
            ("code_challenge", proof.challenge), ("code_challenge_method", "S256"),
        ]
        if let scope = wish.scope, !scope.isEmpty { parameters.append(("scope", scope)) }
        parameters += wish.resources.map { ("resource", $0.spelling) }
        if let audience = wish.audience { parameters.append(("audience", audience)) }
        if let nonce { parameters.append(("nonce", nonce)) }
        return parameters
    }

    private func url(_ parameters: [(name: StaticString, value: String)]) -> String {
        let query = parameters.map { "\($0.name)=\(FormBody.escaped($0.value))" }.joined(separator: "&")
        let endpoint = service.authorizationEndpoint
        return "\(endpoint.origin)\(endpoint.target)\(endpoint.target.contains("?") ? "&" : "?")\(query)"
    }

    // MARK: - Pushed to the service

    /// The request that gives the authorization to the service before the browser opens it (RFC 9126 section 2.1), so that neither the user
    /// nor a program on the way changes it.
    ///
    /// - Parameters:
    ///   - endpoint: the service's endpoint for such requests.
    ///   - client: the client with a proof for this request; `nil` for the one of the authorization.
    public func pushedRequest(to endpoint: ServiceURL, by client: OAuthClient? = nil) -> TokenRequest {
        let client = client ?? self.client
        var isInProof = true
        if case .basic = client.authentication { isInProof = false }
        return client.request(to: endpoint) { form in
            // Section 2.1: the client is named in any case, and once.
            for parameter in parameters where !isInProof || "\(parameter.name)" != "client_id" {
                form.append(parameter.name, parameter.value)
            }
        }
    }

    /// The URL for the browser after ``pushedRequest(to:by:)``, and for how many seconds it can be opened (RFC 9126 section 2.2).
    public func pushedURL(_ response: TokenResponse) throws(TokenServiceError) -> (url: String, seconds: Int64) {
        let members = try OAuthClient.members(of: response)
        guard let name = members.string("request_uri") else { throw .missing("request_uri") }
        guard name.utf8.count <= TokenLimits.requestNameBytes, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .unusable("request_uri", "too long, or not a URI: report it to the service") }
        guard let seconds = members.integer("expires_in"), seconds > 0 else { throw .missing("expires_in") }
        return (url([("client_id", client.id), ("request_uri", name)]), min(seconds, TokenLimits.lifetime))
    }

    /// The code in a redirect, after its checks: the path, the state, the issuer, and that nothing stands twice.
    ///
    /// - Parameter target: path and query of the request that the browser made.
    /// - Throws: ``AuthorizationError``.
    public func code(in target: String) throws(AuthorizationError) -> SharedSecret {
        let parameters = try RedirectParameters(target, path: redirect.path)
        // First of all: without the right state the response belongs to another authorization, or is forged.
        guard let answered = parameters["state"], constantTimeEqual(answered.span, Array(state.utf8).span) else {
            throw .otherState
        }
        let issuer = parameters["iss"].map { String(decoding: $0, as: UTF8.self) }
        if let expected = service.issuer {
            guard issuer == expected || issuer == nil && !service.namesIssuer else { throw .otherIssuer }
        }
        if let code = parameters["error"] {
            throw .refused(
                OAuthRefusal(
                    code: .init(rawValue: String(decoding: code, as: UTF8.self)),
                    text: parameters["error_description"].map { String(decoding: $0, as: UTF8.self) }
                )
            )
        }
        guard let code = parameters["code"] else { throw .noCode }
        return SharedSecret(SecretBytes(copying: code.span))
    }

    /// The request that exchanges the code for tokens. A code is good for one request.
    ///
    /// - Parameters:
    ///   - code: what the browser has brought.
    ///   - client: the client with a proof for this request; `nil` for the one of the authorization.
    public func tokenRequest(for code: SharedSecret, by client: OAuthClient? = nil) -> TokenRequest {
        (client ?? self.client).request(to: self.client.tokenEndpoint) { form in
            form.append("grant_type", "authorization_code")
            form.append("code", code)
            form.append("redirect_uri", redirect.spelling)
            form.append("code_verifier", proof.verifier)
            for resource in wish.resources { form.append("resource", resource.spelling) }
            form.append("audience", wish.audience)
        }
    }

    /// Checks that an ID token that is to be used belongs to this authorization (OpenID Connect Core section 3.1.3.7, rule 11).
    ///
    /// - Throws: ``TokenServiceError/unusable(_:_:)`` for one without the nonce of this authorization.
    public func check(_ grant: TokenGrant) throws(TokenServiceError) {
        guard wish.wantsIDToken, let nonce, let identity = grant.identity else { return }
        guard let answered = IDToken.nonce(of: identity.secret),
            constantTimeEqual(Array(answered.utf8).span, Array(nonce.utf8).span)
        else { throw .unusable("id_token", "it has not the nonce of this sign-in: begin again") }
    }
}

/// Why a redirect brings no code.
public enum AuthorizationError: Error, Equatable, Sendable {
    /// The target is longer than ``TokenLimits/redirectBytes``.
    case tooLong
    /// The path is another one: the request is not the redirect.
    case otherPath
    /// A parameter is repeated, or cannot be read.
    case malformed(String)
    /// The state is missing or another one: the response belongs to another authorization, or is forged.
    case otherState
    /// Another service answers (RFC 9207): the response is mixed up, or an attack.
    case otherIssuer
    /// The service or the user refused.
    case refused(OAuthRefusal)
    /// There is neither a code nor an error.
    case noCode
}

extension AuthorizationError: CustomStringConvertible {
    /// One line: the problem and the remedy.
    public var description: String {
        switch self {
        case .tooLong: "the redirect has more than \(TokenLimits.redirectBytes) bytes: begin again"
        case .otherPath: "the request has another path than the redirect: it is ignored"
        case .malformed(let name): "the redirect's parameter '\(name)' is repeated or cannot be read: begin again"
        case .otherState: "the redirect belongs to another sign-in: begin again in one browser window"
        case .otherIssuer: "another service has answered: do not go on, and check the addresses of the service"
        case .refused(let refusal): "\(refusal)"
        case .noCode: "the redirect has no code: begin again"
        }
    }
}

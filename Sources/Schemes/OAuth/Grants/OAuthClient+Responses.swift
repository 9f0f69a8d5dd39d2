public import Secrets

extension OAuthClient {
    /// The grant in the response of a token endpoint (RFC 6749 section 5.1).
    ///
    /// - Parameters:
    ///   - response: what came for a request of this client.
    ///   - refresh: the refresh token of the request, which stays in use if the service sends no new one.
    ///   - now: Unix time in seconds, from which the service's `expires_in` counts.
    /// - Throws: ``TokenServiceError``. A refusal has the service's code.
    public func grant(
        from response: TokenResponse,
        replacing refresh: SharedSecret? = nil,
        at now: Int64
    ) throws(TokenServiceError) -> TokenGrant {
        let members: JSONMembers
        do throws(TokenServiceError) {
            members = try Self.members(of: response, dialect)
        } catch .refused(let refusal) {
            throw .refused(refusal.hiding([refresh, secret]))
        }
        guard let token = members.secret("access_token") else { throw .missing("access_token") }
        try Self.check(token, "access_token")
        // Esri's page "Token" names no type; its tokens are bearer tokens.
        guard let type = members.string("token_type") ?? (dialect == .arcGIS ? "bearer" : nil) else {
            throw .missing("token_type")
        }
        let kind: AccessToken.Kind
        // RFC 6749 section 5.1: case does not matter. A token of an unknown type must not be used (section 7.1).
        switch type.lowercased() {
        case "bearer": kind = .bearer
        case "dpop": kind = .dpop
        default: throw .unusable("token_type", "the type is not known: configure the service for bearer tokens")
        }
        let next = members.secret("refresh_token")
        if let next { try Self.check(next, "refresh_token") }
        let expiry = try Self.expiry(members, at: now)
        return TokenGrant(
            access: AccessToken(
                token,
                kind: kind,
                expiry: expiry,
                scope: members.string("scope"),
                requiresTLS: dialect == .standard || members.boolean("ssl") ?? true
            ),
            refresh: next ?? refresh,
            identity: try Self.identity(members, or: expiry, at: now)
        )
    }

    /// The ID token. It is sent to an identity-aware proxy like a bearer token.
    private static func identity(
        _ members: JSONMembers,
        or expiry: Int64?,
        at now: Int64
    ) throws(TokenServiceError) -> AccessToken? {
        guard let token = members.secret("id_token") else { return nil }
        try check(token, "id_token")
        let end = IDToken.expiry(of: token).map { min($0, now + TokenLimits.lifetime) } ?? expiry
        return AccessToken(token, expiry: end)
    }

    /// What the client proves itself with.
    private var secret: SharedSecret? {
        switch authentication {
        case .basic(let secret), .post(let secret), .assertion(let secret): secret
        case .none, .certificate: nil
        }
    }

    /// Checks the response of a revocation endpoint. A token that the service does not know is revoked too (RFC 7009 section 2.2).
    public func checkRevocation(_ response: TokenResponse) throws(TokenServiceError) {
        if dialect == .standard, (200...299).contains(response.status) { return }
        let members = try Self.members(of: response, dialect)
        guard dialect == .standard || members.boolean("success") == true else { throw .missing("success") }
    }

    /// The refusal in a response of the service; `nil` for a success, and for an error that OAuth does not define.
    package static func refusal(in response: TokenResponse) -> OAuthRefusal? {
        do throws(TokenServiceError) {
            _ = try members(of: response)
            return nil
        } catch {
            guard case .refused(let refusal) = error else { return nil }
            return refusal
        }
    }

    /// The members of a success.
    static func members(
        of response: TokenResponse,
        _ dialect: Dialect = .standard
    ) throws(TokenServiceError) -> JSONMembers {
        let isSuccess = (200...299).contains(response.status)
        let members: JSONMembers
        do throws(TokenServiceError) {
            members = try JSONMembers(response.body)
        } catch {
            // A page of a proxy is HTML; its status says more than its syntax.
            throw isSuccess ? error : .status(response.status)
        }
        if dialect == .arcGIS, let problem = ArcGISProblem(members) { throw .refused(problem.oauthRefusal) }
        // Some services send a refusal with status 200.
        if let code = members.string("error") {
            let words = members.string("error_description")
            throw .refused(OAuthRefusal(code: .init(rawValue: code), text: words))
        }
        guard isSuccess else { throw .status(response.status) }
        return members
    }

    private static func expiry(_ members: JSONMembers, at now: Int64) throws(TokenServiceError) -> Int64? {
        guard members.contains("expires_in") else { return nil }
        guard let seconds = members.integer("expires_in"), seconds >= 0 else {
            throw .unusable("expires_in", "not a number of seconds: report it to the service")
        }
        return now + min(seconds, TokenLimits.lifetime)
    }

    /// A token goes into a field, so it has the characters of RFC 6750 section 2.1 and a bounded length.
    static func check(_ token: SharedSecret, _ name: String) throws(TokenServiceError) {
        guard token.count <= TokenLimits.tokenBytes else {
            throw .unusable(name, "longer than \(TokenLimits.tokenBytes) bytes: ask for fewer scopes")
        }
        let isClean = token.withBytes { bytes in
            bytes.indices.allSatisfy { (0x21...0x7E).contains(bytes[$0]) }
        }
        guard isClean else {
            throw .unusable(name, "it has a character that no field may hold: report it to the service")
        }
    }
}
